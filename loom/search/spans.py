"""A text in spans: what is searched and shown as one, small enough to name a place.

A slice ends at a line's end, at about LINES lines or CHARS characters. A longer line is cut between
words; only a run of characters longer than WORD is cut within.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

LINES = 40
CHARS = 2_000
WORD = 200  # characters before a cut in which a gap between words is looked for


class Span(Struct, frozen=True):
    """Characters `start` to `end` of a text, which stand in lines `first` to `last`, from 1."""

    start: int
    end: int
    first: int
    last: int


def spans(text: str) -> Iterator[Span]:
    """The spans of a text, in order; joined they are the text. Blank ones are left out."""
    start, first = 0, 1
    while start < len(text):
        end = _end(text, start)
        lines = text.count("\n", start, end)
        last = first + lines - (text[end - 1] == "\n")
        if not text[start:end].isspace():
            yield Span(start, end, first, last)
        start, first = end, first + lines


def _end(text: str, start: int) -> int:
    """The end of the span that begins at `start`."""
    most = start + CHARS
    end = start
    for _ in range(LINES):
        line = text.find("\n", end, most) + 1
        if not line:
            break
        end = line
    else:
        return end
    if len(text) <= most:
        return len(text)
    return end if end > start else _gap(text, start, most)


def _gap(text: str, start: int, most: int) -> int:
    """The end of the last word before `most`, or `most` within a run without gaps."""
    for at in range(most, max(most - WORD, start + 1), -1):
        if text[at - 1].isspace() or text[at - 1] in ",;()[]{}\"'":
            return at
    return most
