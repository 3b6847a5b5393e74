"""A guide too large for its place: its headings, and the sections that matter for the goal.

Theory of operation
-------------------
A guide is a row of sections, told by its headings outside code fences. Its outline stands first: a
heading tells the model what it could ask for. When not all of it fits, deep headings go before
shallow ones. Then sections are filled in, those that share rare words with the goal before the
others, which follow in their order; the first of all is cut at a line when it does not fit, any
other stays a heading. A heading whose text is not all there ends in "…".
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from loom.capabilities.memory.guide_text import fence_after
from loom.search.terms import asked, terms

LEFT_OUT = " …"
_HEADING = re.compile(r" {0,3}(#{1,6})(?:\s|$)")

Count = Callable[[str], int]


class GuideSection(Struct, frozen=True):
    """A heading ("" before the first), its depth (0 for none), and the lines below it."""

    heading: str
    depth: int
    lines: tuple[str, ...]


def sections(text: str) -> tuple[GuideSection, ...]:
    """The sections of a Markdown text in their order; together they are the text."""
    found: list[GuideSection] = []
    heading, depth, lines, fence = "", 0, list[str](), ""
    for line in text.split("\n"):
        marks = None if fence else _HEADING.match(line)
        fence = fence_after(fence, line)
        if marks is None:
            lines.append(line)
            continue
        if heading or lines:
            found.append(GuideSection(heading, depth, tuple(lines)))
        heading, depth, lines = line, len(marks[1]), []
    return (*found, GuideSection(heading, depth, tuple(lines)))


def excerpt(text: str, goal: str, room: int, count: Count, more: str = "") -> str:
    """At most `room` tokens of a guide; `more` is the line that says where the whole rests.

    The text itself when it fits; "" when not even `more` and something of it do.
    """
    if count(text) <= room:
        return text
    found = sections(text)

    def made(shown: Mapping[int, int]) -> str:
        lines = list(_lines(found, taken, shown))
        return "\n".join([*lines, more] if more else lines) if lines else ""

    taken = _outline(found, room - count(f"{more}\n"), count)
    shown: dict[int, int] = {}
    left = room - count(made(shown))
    for rank, at in enumerate(at for at in _wanted(found, goal) if at in taken):
        lines = found[at].lines
        fits = _fitting(lines, left, count) if rank == 0 else len(lines)
        cost = count("\n".join(lines[:fits])) + 1
        if fits and cost <= left:
            shown[at] = fits
            left -= cost
    # Counted apart, texts may take a token less than together.
    while shown and count(made(shown)) > room:
        shown.popitem()
    text = made(shown)
    return text if count(text) <= room else ""


def _outline(found: Sequence[GuideSection], room: int, count: Count) -> set[int]:
    """The sections whose headings fit, the shallow ones before the deep, each in their order."""
    taken: set[int] = set()
    for at in sorted(range(len(found)), key=lambda at: (found[at].depth, at)):
        room -= count(f"{found[at].heading}{LEFT_OUT}\n") if found[at].heading else 0
        if room < 0:
            break
        taken.add(at)
    return taken


def _lines(found: Sequence[GuideSection], taken: set[int], shown: Mapping[int, int]) -> list[str]:
    """The lines of an excerpt: each heading that is taken, and so many lines of its section."""
    lines: list[str] = []
    for at in sorted(taken):
        section, some = found[at], shown.get(at, 0)
        rest = any(line.strip() for line in section.lines[some:])
        if section.heading:
            lines.append(section.heading + (LEFT_OUT if rest else ""))
        lines += section.lines[:some]
        if some and rest:
            lines.append(LEFT_OUT.strip())
    return lines


def _fitting(lines: Sequence[str], room: int, count: Count) -> int:
    """How many of the first lines take at most `room` tokens."""
    low, high = 0, len(lines)
    while low < high:
        middle = (low + high + 1) // 2
        if count("\n".join(lines[:middle])) + 2 <= room:
            low = middle
        else:
            high = middle - 1
    return low


def _wanted(found: Sequence[GuideSection], goal: str) -> list[int]:
    """The sections in the order they are served: those near the goal first, then as they stand."""
    held = []
    for section in found:
        read = terms("\n".join((section.heading, *section.lines)))
        held.append({*read.words, *read.names})
    spread = Counter(term for one in held for term in one)
    wanted = asked(goal)
    sought = {*wanted.words, *wanted.names}
    scores = [sum(math.log(1 + len(found) / spread[term]) for term in sought & one) for one in held]
    return sorted(range(len(found)), key=lambda at: (-scores[at], at))
