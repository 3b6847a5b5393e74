"""A guide too large for its place: its headings, and how it begins."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from loom.capabilities.memory.excerpt import LEFT_OUT, excerpt

MORE = "[whole in pages/p.md]"


def words(text: str) -> int:
    """A count that needs no tokenizer: words."""
    return len(text.split())


def within(room: int) -> Callable[[str], bool]:
    """Whether a text has at most so many words."""
    return lambda text: words(text) <= room


def test_headings_stand_first() -> None:
    """Then the lines from the beginning on; a heading tells that its text is not all there."""
    text = "# A\none two\n## B\nthree four five\n## C\nsix seven eight nine ten"
    made = excerpt(text, within(14), MORE).split("\n")
    assert made == ["# A", "one two", "## B …", "## C …", MORE]


LINES = ["", "text", "# a", "## b", "###### f", "####### no", "#no", " # c", "    # code",
         "## About testing", "Rule of testing", "word " * 30]  # fmt: skip


@given(st.lists(st.sampled_from(LINES), max_size=30).map("\n".join), st.integers(0, 120))
def test_any_excerpt(text: str, room: int) -> None:
    """Within the room, lines of the guide in their order, and a last line that says where."""
    made = excerpt(text, within(room), MORE)
    assert words(made) <= room or not made
    if words(text) <= room:
        assert made == text
    elif made:
        *shown, last = made.split("\n")
        assert last == MORE
        file = iter(text.split("\n"))
        for line in (line for line in shown if line.strip(" …")):
            kept = line.removesuffix("…").rstrip()
            assert any(given.startswith(kept) for given in file), line


def test_a_line_that_is_too_long_shows_its_first_words() -> None:
    """A guide of one line is not left out."""
    text = " ".join(f"Never push to branch{n}." for n in range(300))
    made = excerpt(text, within(30), MORE)
    assert made.startswith("Never push to branch0. Never") and made.endswith(f"…\n{MORE}")


def test_a_large_code_block() -> None:
    """Its first lines stand, and the fence is closed."""
    text = "```\n" + "make it\n" * 400 + "```\n# Next\nthis"
    made = excerpt(text, within(100), MORE).split("\n")
    assert made[:2] == ["```", "make it"] and made[-3].startswith("```")
    assert made[-2:] == [f"# Next{LEFT_OUT}", MORE]
