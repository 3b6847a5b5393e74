"""Slices: a long text in pieces of about forty lines, and the text that shows some of them.

A slice ends where a person would cut: after a blank line, before the line that is indented least,
so that a function or a paragraph stays whole. Forty lines did best on recorded sessions (twenty a
little worse, eighty worse)."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from loom.lazy import lazy_re
from loom.providers.render.neutral import neutral
from loom.providers.render.standin import StandIn
from loom_partitions.message import Text

Range = tuple[int, int]  # first and last line, from 1

LINES = 40
SLACK = 8  # lines more that need no cut
LEAST, MOST = 20, 64  # lines between which a cut is looked for
SAYS = 20  # characters of a line that is no chance repetition (judgement)
SENTENCES = 6  # lines a tool says at most before the lines of a file (judgement)
CHARS = 6_000  # of a slice: a file of very long lines is cut by size
END = 20_000  # lines at either end of a text that are sliced
_LINE = lazy_re(r"[^\n]*\n|[^\n]+")
_NUMBERED = lazy_re(r"^\s*+\d+(?:→|\t|:|\|)")
_BLANK = lazy_re(r"\s*+(?:\d+(?:→|\t|:|\|)\s*)?")  # no more than the number of a line
# What stands before a line, and the line.
_SAID = lazy_re(r"^(?:(?:[\w./-]{1,200}[:-])?[^\S\n]*+\d+[→\t:|-]|[+-])?+[^\S\n]*+([^\n]*)", re.M)
_WRITTEN = lazy_re(r" *+(\d+)(?:→|\t)")  # a number that is surely no part of the line


def lines_with_ends(text: str) -> list[str]:
    r"""Return the lines of a text, each with its newline: "a\nb\n" → ["a\n", "b\n"]."""
    return _LINE.findall(text)


def slice_ranges(lines: Sequence[str]) -> list[Range]:
    """Return the (first, last) line numbers of each slice of a text, in order. Only the two ends of
    a very long text are sliced."""
    if len(lines) > 2 * END:
        behind = len(lines) - END
        last = slice_ranges(lines[behind:])
        return [*slice_ranges(lines[:END]), *((a + behind, b + behind) for a, b in last)]
    found: list[Range] = []
    start, blank = 0, _BLANK.fullmatch
    # What a tool says before a file's lines, and behind them, is no part of the file.
    before = next(
        (at for at in range(min(SENTENCES, len(lines))) if _count_numbered_lines(lines[at:])), 0
    )
    numbered = before + _count_numbered_lines(lines[before:])
    filled = [not blank(line) for line in lines]
    # Where a person would cut: something ended in front of it.
    begun = [at for at in range(1, len(lines)) if filled[at] and not filled[at - 1]]
    ends = array("q", accumulate(map(len, lines), initial=0))
    for stop in (before, numbered, len(lines)):
        while start < stop:
            end = _end_of_slice(lines, begun, ends, start, stop)
            found.append((start + 1, end))
            start = end
    return found


def _end_of_slice(
    lines: Sequence[str], begun: Sequence[int], ends: Sequence[int], start: int, stop: int
) -> int:
    """Return the number of the last line of a slice, at most `stop`. The slice begins after line
    `start`. `begun` has the indexes of lines after a blank line. `ends` has the number of
    characters before each line."""
    limit = bisect_right(ends, ends[start] + CHARS, start) - 1
    limit = min(max(limit, start + 1), start + MOST, stop)
    if limit == stop and limit - start <= LINES + SLACK:
        return limit
    places = begun[bisect_left(begun, start + LEAST) : bisect_left(begun, limit)]
    if not places:
        return min(limit, start + LINES)
    return min(places, key=lambda at: (_indent_width(lines[at]), abs(at - start - LINES)))


def _indent_width(line: str) -> int:
    """Return the width of a line's indent, without a tool's line number."""
    text = without_line_number(line)
    return len(text) - len(text.lstrip())


def without_line_number(line: str) -> str:
    """Return a line without the line number that a file tool wrote before it."""
    found = _NUMBERED.match(line)
    return line[found.end() :] if found else line


@lru_cache(maxsize=128)
def line_marks(text: str) -> tuple[int, ...]:
    """Return a mark (a hash) for each line, equal for equal lines; 0 for a short line. The indent,
    a tool's line number, the file name of a search result and the sign of a diff are ignored."""
    lines = map(str.rstrip, _SAID.findall(text.removesuffix("\n")))
    return tuple([hash(line) if len(line) >= SAYS else 0 for line in lines])


def strip_line_numbers(lines: Sequence[str]) -> tuple[str, int]:
    """Return (text, first number): the lines as text without the line numbers that a tool wrote,
    and the number of the first line, 0 if the lines are not numbered."""
    run = _count_numbered_lines(lines)
    first = _WRITTEN.match(lines[0]) if run else None
    kept = [_WRITTEN.sub("", line, count=1) for line in lines[:run]]
    return "".join((*kept, *lines[run:])), int(first[1]) if first else 0


def _count_numbered_lines(lines: Sequence[str]) -> int:
    """Return how many lines at the start are numbered in sequence, 0 for fewer than two."""
    first = _WRITTEN.match(lines[0]) if lines else None
    if first is None:
        return 0
    run = 0
    for number, line in enumerate(lines, int(first[1])):
        match = _WRITTEN.match(line)
        if match is None or int(match[1]) != number:
            break
        run += 1
    return run if run > 1 else 0


def merge_ranges(ranges: Iterable[Range]) -> tuple[Range, ...]:
    """Return the ranges sorted and merged where they touch: (4, 6), (1, 3) → (1, 6)."""
    done: list[Range] = []
    for first, last in sorted(ranges):
        if done and first <= done[-1][1] + 1:
            done[-1] = (done[-1][0], max(done[-1][1], last))
        else:
            done.append((first, last))
    return tuple(done)


class ExcerptPart(NamedTuple):
    """A part of an excerpt: its range of lines, their text, and in `number` the line of the file at
    which the part begins, 0 if not known or if the text shows line numbers."""

    lines: Range
    text: str
    number: int = 0


def excerpt_text(pieces: Iterable[ExcerptPart], total: int, ref: str, mark: str = "") -> str:
    """Return parts of a text as one text, with notes for the lines left out. The whole text has
    `total` lines; `ref` is its page or file, "" for none. Each note has `mark`, the session's sign
    on text that Loom wrote."""
    texts: list[str] = []
    end = ""  # the last of them that is not empty
    before: ExcerptPart | None = None
    for piece in sorted(pieces):
        last = before.lines[1] if before else 0
        said = _gap_note(last, piece.lines[0], ref, mark)
        if said or before is None or not _continues(before, piece):
            starts = start_line_note(piece.number, mark)
            said = said + starts if ref or not starts else starts
        texts += (_missing_newline(end) if said else "", said, neutral(piece.text, mark))
        end = piece.text or said or end
        before = piece
    gap = _gap_note(before.lines[1] if before else 0, total + 1, ref, mark)
    return "".join((*texts, _missing_newline(end) if gap else "", gap)).removesuffix("\n")


def _continues(one: ExcerptPart, two: ExcerptPart) -> bool:
    """Return True if part `two` follows part `one` without a gap, in the same file."""
    if one.lines[1] + 1 != two.lines[0]:
        return False
    return two.number == (one.number and one.number + one.text.count("\n"))


def _missing_newline(text: str) -> str:
    r"""Return "\n" if a newline must be added to the text before a note, else ""."""
    return "\n" if text and not text.endswith("\n") else ""


def start_line_note(number: int, mark: str = "") -> str:
    """Return the note "[line 40 of the file]", with `mark`; "" for number 0."""
    return f"[line {number} of the file{_mark_suffix(mark)}]\n" if number else ""


def _gap_note(before: int, after: int, ref: str, mark: str) -> str:
    """Return the note for the lines left out between `before` and `after`; "" for none."""
    if after - before <= 1:
        return ""
    if not ref:
        return f"[…{_mark_suffix(mark)}]\n" if before else ""
    return f"[lines {before + 1}–{after - 1} moved{_mark_suffix(mark)} → {ref}]\n"


def _mark_suffix(mark: str) -> str:
    """Return the mark with a blank before it; "" for no mark."""
    return f" {mark}" if mark else ""


def whole_text_of(text: Text, read: Callable[[str], str]) -> str:
    """Return the whole text, from its page if it has one; "" if the page is gone."""
    whole = read(text.page) if text.page else text.body or ""
    return "" if isinstance(whole, StandIn) else whole
