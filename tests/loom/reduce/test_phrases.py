import pytest

from loom.reduce.phrases import DECISION, RULE


@pytest.mark.parametrize(
    "text", ["", "The file is large.", "mustard is yellow", "lonely commonly", "3 apples"]
)
def test_plain_sentences_are_none_of_them(text: str) -> None:
    """Statements without force or choice match no table."""
    assert not any(table.search(text) for table in (RULE, DECISION))


@pytest.mark.parametrize(
    "text",
    [
        "You must use tabs",
        "NEVER push to main",
        "Don't touch it",
        "don’t touch it",
        "please make sure it builds",
        "only Python 3.11",
        "必须使用中文",
        "不要修改测试",
        "ファイルを変更しないでください",
        "Niemals löschen",
    ],
)
def test_rules(text: str) -> None:
    """Modal and prohibitive force is recognised in several languages."""
    assert RULE.search(text)


@pytest.mark.parametrize(
    "text",
    [
        "I decided to keep it",
        "We'll use a table instead of a chain",
        "Going with SQLite",
        "I no longer use the cache",
        "改用缓存",
    ],
)
def test_decisions(text: str) -> None:
    """Choices are recognised."""
    assert DECISION.search(text)
