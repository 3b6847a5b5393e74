"""Slices: ranges that cover a text, and excerpts made of them."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.residency.slices import (
    CHARS,
    MOST,
    bare,
    excerpt,
    lines_of,
    merged,
    number_of,
    slices,
)

LINE = st.sampled_from(
    ["", "    deep = 1", "def top():", "x" * 3_000, "\r", "héllo", "\u2028", " "]
)
TEXTS = st.one_of(
    st.text(max_size=300),
    st.lists(LINE, max_size=300).map("\n".join),
)


@given(TEXTS)
def test_lines_are_the_text(text: str) -> None:
    """Lines with their ends, joined, are the text; none of them is empty."""
    lines = lines_of(text)
    assert "".join(lines) == text
    assert all(lines)


@given(TEXTS)
def test_slices_cover_every_line_once(text: str) -> None:
    """Ranges follow each other without gap or overlap, from the first line to the last."""
    lines = lines_of(text)
    covered = [line for first, last in slices(lines) for line in range(first, last + 1)]
    assert covered == list(range(1, len(lines) + 1))
    assert all(first <= last for first, last in slices(lines))


@given(TEXTS)
def test_slices_are_bounded(text: str) -> None:
    """A slice has at most MOST lines, and more than CHARS characters only as one line."""
    lines = lines_of(text)
    for first, last in slices(lines):
        assert last - first < MOST
        assert first == last or sum(map(len, lines[first - 1 : last])) <= CHARS


@given(TEXTS)
def test_an_excerpt_of_all_is_the_text(text: str) -> None:
    """All pieces together are the text, less its last line end, and nothing is said to be left."""
    lines = lines_of(text)
    pieces = [((a, b), "".join(lines[a - 1 : b])) for a, b in slices(lines)]
    assert excerpt(pieces, len(lines), "outputs/x.txt") == text.removesuffix("\n")


@given(st.lists(LINE.filter(bool), min_size=1, max_size=300), st.data())
def test_an_excerpt_names_every_gap(lines: list[str], data: st.DataObject) -> None:
    """What is shown and what the gaps name are each line once, in order."""
    text = lines_of("\n".join(lines) + "\n")
    ranges = slices(text)
    kept = sorted(data.draw(st.sets(st.sampled_from(ranges))))
    shown = excerpt([((a, b), "".join(text[a - 1 : b])) for a, b in kept], len(text), "REF")
    rest: list[str] = []
    at = 0
    for first, last in merged(kept):
        rest += [f"[lines {at + 1}–{first - 1} → REF]\n"] if first > at + 1 else []
        rest += text[first - 1 : last]
        at = last
    rest += [f"[lines {at + 1}–{len(text)} → REF]\n"] if at < len(text) else []
    assert shown == "".join(rest).removesuffix("\n")


@pytest.mark.parametrize(
    ("text", "ranges"),
    [
        ("", []),
        ("one", [(1, 1)]),
        ("one\n", [(1, 1)]),
        ("a\n" * 48, [(1, 48)]),
        ("a\n" * 49, [(1, 40), (41, 49)]),
        ("a\n" * 30 + "\n" + "b\n" * 30, [(1, 31), (32, 61)]),
        ("    a\n" * 25 + "\n    b\n\ndef c():\n" + "    a\n" * 40, [(1, 28), (29, 69)]),
        ("z" * 7_000 + "\nshort\n", [(1, 1), (2, 2)]),
    ],
)
def test_where_a_text_is_cut(text: str, ranges: list[tuple[int, int]]) -> None:
    """Short texts are one slice; long ones are cut after a blank line, least indented, or at 40."""
    assert slices(lines_of(text)) == ranges


@given(st.lists(st.tuples(st.integers(1, 60), st.integers(0, 9)), max_size=12))
def test_merged_ranges_are_the_same_lines(spans: list[tuple[int, int]]) -> None:
    """Merging keeps the set of lines, leaves a gap between any two, and is idempotent."""
    ranges = [(first, first + more) for first, more in spans]
    done = merged(ranges)
    lines = {line for first, last in ranges for line in range(first, last + 1)}
    assert {line for first, last in done for line in range(first, last + 1)} == lines
    assert all(one[1] + 1 < two[0] for one, two in pairwise(done))
    assert merged(done) == done


@pytest.mark.parametrize(
    ("line", "number", "rest"),
    [
        ("plain", 0, "plain"),
        ("x = 12: y", 0, "x = 12: y"),
        ("", 0, ""),
        ("    12→code", 12, "code"),
        ("7\t  code\n", 7, "  code\n"),
        ("3: code", 3, " code"),
        ("  9|code", 9, "code"),
    ],
)
def test_line_numbers(line: str, number: int, rest: str) -> None:
    """The number a file tool wrote is read, and taken off."""
    assert (number_of(line), bare(line)) == (number, rest)
