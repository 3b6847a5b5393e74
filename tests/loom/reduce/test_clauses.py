"""Sentences written shorter say that they were cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.reduce.clauses import CUT, LIMITED, LONG, RULE, beginning_or_notice, beginning_within


@given(st.text(max_size=600), st.integers(2, 200))
def test_any_text_is_begun_within_its_room(text: str, limit: int) -> None:
    """However odd it is, in at most so many characters, on one line; what is cut is marked."""
    made = beginning_within(text, limit)
    assert len(made) <= limit and "\n" not in made
    assert not made or made.endswith((CUT, LIMITED)) or made == beginning_within(text, 9_000)
    assert beginning_or_notice(text, limit) or not text.strip()


def test_a_line_ends_where_a_sentence_does() -> None:
    """A later sentence limits none before it, so nothing has to be said of it."""
    text = "Mend the parser in the old folder first of all. Never touch the tests of it, whatever."
    assert beginning_within(text, 70) == "Mend the parser in the old folder first of all. …"
    assert beginning_within("Mend it.", 70) == "Mend it."
    assert beginning_within("word " * 40, 40) == "word " * 7 + "…"


def test_what_binds_and_is_cut_says_so() -> None:
    """A rule cut within its sentence ends with a clause, and says that more may limit it."""
    text = (
        "You may rename the helpers of client 3, but never delete its old retry code, as we bill."
    )
    assert beginning_within(text, 80) == "You may rename the helpers of client 3" + LIMITED
    assert beginning_within(text, 20) == ""
    assert (beginning_or_notice(text, 20), beginning_or_notice(text, 20, 80)) == (
        LONG,
        beginning_within(text, 80),
    )
    assert beginning_or_notice(text, 20, otherwise="") == beginning_or_notice("", 80) == ""


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
