import pytest

from loom.reduce.phrases import RULE


@pytest.mark.parametrize(
    "text",
    [
        "You must use tabs", "NEVER push to main", "Don't touch it", "don’t touch it",
        "please make sure it builds", "only Python 3.11", "必须使用中文", "不要修改测试",
        "ファイルを変更しないでください",
        "Niemals löschen", "Hands off the vendor folder", "Up to 4 workers, the machine is shared",
        "N'utilise pas Redis", "Las fechas van siempre con el día primero", "Не трогай миграции",
        "最多四个进程", "테스트를 수정하지 마세요",
        "I decided to keep it", "We'll use a table instead of a chain", "改用缓存",
    ],
)  # fmt: skip
def test_rules(text: str) -> None:
    """Force, prohibition and choice are recognised in several languages."""
    assert RULE.search(text)


@pytest.mark.parametrize(
    "text",
    [
        "", "The file is large.", "mustard is yellow", "Il marche bien",
        "Die Tests sind rot", "x = sin(y) in a sans-serif font",
        "a non-empty list that is up to date", "特别好看", "The index has to load the map",
    ],
)  # fmt: skip
def test_what_only_looks_like_a_rule(text: str) -> None:
    """Words that bind in one language are none in another, nor parts of other words."""
    assert not RULE.search(text)


@pytest.mark.parametrize("unit", ["ok ", "not ", "ne ", "n'aaa", "不"])
def test_tables_take_one_pass(unit: str) -> None:
    """A long text of half a phrase again and again is looked through once."""
    assert not RULE.search(unit * (30_000 // len(unit))) or unit in ("ne ", "n'aaa")
