"""Names in Chinese text, which has neither blanks nor capitals to tell them by.

A person is a surname that is seldom a word of its own, with a character of the given name; a place
or a body is two characters before a suffix (市, 公司, 大学); a foreign name has `·` in it. Surnames
are the commonest of the Hundred Family Surnames, less those that mostly are words (高, 方, 马, 周).
"""

from __future__ import annotations

from collections.abc import Iterator

from loom.lazy import lazy_re

_HAN = r"[\u3400-\u9fff]"
_SURNAMES = "王李张刘陈杨赵吴徐孙郭朱蒋沈姚邓彭谭廖潘袁蔡冯郑魏薛贾邹孟尹侯龚邵汪黎"
# Characters after which a surname is the end of a word: 国王, 紧张, 三张, 行李.
_BEFORE = "一二三四五六七八九十两几每这那扩紧主夸慌国大行子铺陈帝女海"
_AFTER = "的了是在和与及或被把将对有为于向从到等述列旧数贴开力图纸并"
_PERSON = lazy_re(rf"(?<![{_BEFORE}\d])[{_SURNAMES}](?![{_AFTER}]){_HAN}")
_COMMON = "的了在是和与及由该本此各全某这那有为对向从到被把将于等其限分子城超股上都门节以个家所大小"
_PLACE = lazy_re(rf"(?:(?![{_COMMON}]){_HAN}){{2}}(?:市|省|县|公司|集团|大学|银行|医院|法院)")
_FOREIGN = lazy_re(rf"{_HAN}+(?:·{_HAN}+)+")


def han_names(text: str) -> Iterator[str]:
    """The names found in a text; of a person the surname and one character."""
    for pattern in (_PERSON, _PLACE):
        yield from (found[0] for found in pattern.finditer(text))
    for found in _FOREIGN.finditer(text):
        # What stands before the name in the same run is not told apart from it.
        before, _, rest = found[0].partition("·")
        yield f"{before[-1]}·{rest[:1]}"
