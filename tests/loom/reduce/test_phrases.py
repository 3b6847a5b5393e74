import pytest

from loom.reduce.phrases import DECISION, NUMBER, PLAN, RULE


@pytest.mark.parametrize(
    "text", ["", "The file is large.", "mustard is yellow", "lonely commonly", "3 apples"]
)
def test_plain_sentences_are_none_of_them(text: str) -> None:
    """Statements without force, choice, plan or measure match no table."""
    assert not any(table.search(text) for table in (RULE, DECISION, PLAN, NUMBER))


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
        "The root cause is a race",
        "The fix is one line",
        "It turns out the cache was stale",
        "因为缓存过期",
    ],
)
def test_decisions(text: str) -> None:
    """Choices and conclusions are recognised."""
    assert DECISION.search(text)


@pytest.mark.parametrize("text", ["[ ] write tests", "[x] done", "Next, run it", "TODO: docs"])
def test_plans(text: str) -> None:
    """Checkboxes and announced steps are recognised."""
    assert PLAN.search(text)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("wait 500 ms.", "500 ms"),
        ("at most 3.5GB of it", "3.5GB"),
        ("80% full", "80%"),
        ("costs $12.50", "$12.50"),
        ("set PORT=8080 first", "PORT=8080"),
        ("max_retries = 5", "max_retries = 5"),
        ("timeout: 30", "timeout: 30"),
        ("  - timeout: 30s", "  - timeout: 30s"),
    ],
)
def test_numbers(text: str, found: str) -> None:
    """A number counts when it has a unit, or a name it is given to."""
    match = NUMBER.search(text)
    assert match is not None
    assert match[0] == found


@pytest.mark.parametrize("text", ["a.go:352", "version 2", "v1.2.3", "in 2024", "see above: 2"])
def test_bare_numbers_do_not_count(text: str) -> None:
    """Line numbers, versions, years and ordinals are not measures."""
    assert NUMBER.search(text) is None
