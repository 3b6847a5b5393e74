"""A guide's bytes as the lines that count: no comments, no blank ends, whatever the encoding."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from msgspec import Struct

from loom.capabilities.plain_file import decoded
from loom.lazy import lazy_re

OPEN, CLOSE = "<!--", "-->"
_RUN = lazy_re("`+")
_FENCE = lazy_re(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")


class CodeSpan(NamedTuple):
    """Where a code span stands in a text, its backticks included."""

    start: int
    end: int


class GuideLine(Struct, frozen=True, array_like=True):
    """A line and its number in the file, from 1."""

    number: int
    text: str


def plain(data: bytes) -> tuple[GuideLine, ...]:
    """The lines of a guide; () for one that says nothing.

    What is no text shows as U+FFFD. HTML comments are dropped, with the line when nothing else
    stands on it; one in a code fence or a code span is text, and so is one that never ends. Spaces
    at the ends of lines go, and blank lines at the ends of the file.
    """
    text = decoded(data)
    given = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if OPEN in text:
        lines = [*_uncommented(given)]
    else:
        lines = [GuideLine(at, line.rstrip()) for at, line in enumerate(given, 1)]
    said = [at for at, line in enumerate(lines) if line.text]
    return tuple(lines[said[0] : said[-1] + 1]) if said else ()


def _uncommented(given: list[str]) -> Iterator[GuideLine]:
    fence = ""
    commented = False
    last = max((at for at, line in enumerate(given) if CLOSE in line), default=-1)
    for at, line in enumerate(given):
        kept, inside = line, commented
        if not fence or commented:
            kept, commented = _without(line, commented, closes=at < last)
        if not commented:
            fence = fence_after(fence, kept)
        if kept.strip() or not (inside or kept != line):
            yield GuideLine(at + 1, kept.rstrip())


def _without(line: str, commented: bool, *, closes: bool) -> tuple[str, bool]:
    """A line less its comments, and whether one is left open; `closes` when a later line may."""
    if not commented and OPEN not in line:
        return line, False
    kept: list[str] = []
    at, lonely = 0, set[int]()
    while True:
        if commented:
            end = line.find(CLOSE, at)
            if end < 0:
                return "".join(kept), True
            commented, at = False, end + len(CLOSE)
        start = _opening(line, at, lonely)
        if start < 0 or (line.find(CLOSE, start + len(OPEN)) < 0 and not closes):
            return "".join([*kept, line[at:]]), False
        kept.append(line[at:start])
        at, commented = start + len(OPEN), True


def _opening(line: str, at: int, lonely: set[int]) -> int:
    """Where the next comment opens that is in no code span; -1 for nowhere.

    A span is what stands between two runs of as many backticks; `lonely` are the lengths of runs
    that nothing ends any more.
    """
    while True:
        start = line.find(OPEN, at)
        tick = line.find("`", at, max(start, at))
        if tick < 0:
            return start
        run = _RUN.match(line, tick)
        assert run is not None
        at = run.end()
        if len(run[0]) in lonely:
            continue
        ends = (one.end() for one in _RUN.finditer(line, at) if len(one[0]) == len(run[0]))
        end = next(ends, -1)
        if end < 0:
            lonely.add(len(run[0]))
        else:
            at = end


def fence_after(fence: str, line: str) -> str:
    """The code fence that is open after a line: its marks, "" for none."""
    found = _FENCE.match(line)
    if not found:
        return fence
    marks = found[1]
    if not fence:
        return marks
    bare = not line[found.end() :].strip()
    return "" if bare and marks[0] == fence[0] and len(marks) >= len(fence) else fence


def spans(text: str) -> list[CodeSpan]:
    """Return the code spans of a text: what stands between two runs of as many backticks."""
    runs = list(_RUN.finditer(text))
    later: dict[int, list[re.Match[str]]] = {}
    for run in reversed(runs):
        later.setdefault(len(run[0]), []).append(run)
    found: list[CodeSpan] = []
    at = 0
    for run in runs:
        others = later[len(run[0])]
        while others and others[-1].start() <= run.start():
            others.pop()
        if run.start() >= at and others:
            at = others[-1].end()
            found.append(CodeSpan(run.start(), at))
    return found
