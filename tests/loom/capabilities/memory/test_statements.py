"""A guide's statements: list items and sentences, each with the line it begins on."""

from __future__ import annotations

from loom.capabilities.memory.guide_text import plain
from loom.capabilities.memory.statements import spans, statements
from tests.kit.cases import all_cases


def said(text: str) -> list[tuple[int, str]]:
    """(line, text) of the statements of a guide."""
    return [(one.line, one.text) for one in statements(plain(text.encode()))]


CASES: list[tuple[str, list[tuple[int, str]]]] = [
    ("Run this. Then that.", [(1, "Run this."), (1, "Then that.")]),
    ("Always run `make check`\nbefore\ncommitting. Not\nelse.",
     [(1, "Always run `make check` before committing."), (3, "Not else.")]),
    ("- one\n  more\n- two\n\n1. three", [(1, "one more"), (3, "two"), (5, "three")]),
    ("**Never** use `a. B`.", [(1, "Never use `a. B`.")]),
    ("Use tabs\nRun the tests", [(1, "Use tabs"), (2, "Run the tests")]),
    ("See e.g. this one.", [(1, "See e.g. this one.")]),
    ("> quoted rule", [(1, "quoted rule")]),
]  # fmt: skip


@all_cases(("text", "wanted"), CASES)
def test_each_with_its_line(text: str, wanted: list[tuple[int, str]]) -> None:
    """Wrapped lines are joined, sentences split, emphasis dropped, code spans left whole."""
    assert said(text) == wanted


def test_spans_of_unequal_ticks() -> None:
    """A span ends with as many backticks as it began with; what nothing ends is no span."""
    assert [one.code for one in spans("`a` ``b ` c`` ```d")] == ["a", "b ` c"]
