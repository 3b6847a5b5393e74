"""A text in spans."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from loom.search.spans import CHARS, LINES, spans
from tests.kit.cases import all_cases

LONG = "word " * CHARS
CUTS: list[tuple[str, list[tuple[int, int]]]] = [
    ("", []),
    (" \n\n", []),
    ("one", [(1, 1)]),
    ("one\ntwo\n", [(1, 2)]),
    ("x\n" * LINES, [(1, LINES)]),
    ("x\n" * (LINES + 1), [(1, LINES), (LINES + 1, LINES + 1)]),
    ("\n" * LINES + "x", [(LINES + 1, LINES + 1)]),
    ("x" * CHARS, [(1, 1)]),
    ("a\n" + "x" * CHARS, [(1, 1), (2, 2)]),
    ("x" * (CHARS + 1), [(1, 1), (1, 1)]),
]


@all_cases(("text", "lines"), CUTS)
def test_slices(text: str, lines: list[tuple[int, int]]) -> None:
    """Slices end with lines, at so many lines or characters; blank ones are left out."""
    assert [(part.first, part.last) for part in spans(text)] == lines


def test_a_long_line_is_cut_between_words() -> None:
    """Every word of a line longer than a slice is whole in one of them."""
    parts = [LONG[part.start : part.end] for part in spans(LONG)]
    assert "".join(parts) == LONG and len(parts) > 4
    assert {word for part in parts for word in part.split()} == {"word"}


TEXTS = st.lists(
    st.tuples(st.sampled_from(["a", "word ", "\n", " ", "é\n", "x" * 90]), st.integers(0, 300))
)


@given(TEXTS)
def test_slices_are_the_text(shape: list[tuple[str, int]]) -> None:
    """Slices lie in order, leave out blanks only, and know their lines."""
    text = "".join(piece * times for piece, times in shape)
    at = 0
    for part in spans(text):
        assert not text[at : part.start].strip()
        assert 0 < part.end - part.start <= CHARS
        held = text[part.start : part.end]
        assert part.first == text.count("\n", 0, part.start) + 1
        assert part.last == part.first + held.removesuffix("\n").count("\n")
        assert part.last - part.first < LINES
        at = part.end
    assert not text[at:].strip()
