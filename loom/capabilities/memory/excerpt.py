"""A guide too large for its place: its headings, and the rules that matter for the goal.

Theory of operation
-------------------
A guide is a row of sections, told by its headings outside code fences. Its outline stands first: a
heading tells the model what it could ask for. When not all of it fits, deep headings go before
shallow ones. Then sections are filled in, those that share rare words with the goal before the
others, which follow in their order. The first of all is shown in part when it does not fit: its
list items and paragraphs, the sentences of one that is too large alone, those near the goal first;
what room is left goes to items and paragraphs of the others. So a guide without any heading is
shown too. A heading whose text is not all there ends in "…", and so does a part of a line.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set

from msgspec import Struct

from loom.capabilities.memory.guide_text import fence_after
from loom.capabilities.memory.guide_units import LEFT_OUT, GuideUnit, opening, pieces, units
from loom.capabilities.memory.guide_units import shown as lines_of
from loom.lazy import lazy_re
from loom.search.terms import asked, terms

LEAST_LEFT = 8  # tokens: hardly a rule takes less
TRIED = 64  # units in a row without room: what follows them has hardly any either
_HEADING = lazy_re(r" {0,3}(#{1,6})(?:\s|$)")

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


def excerpt(
    text: str, goal: str, room: int, count: Count, more: str = "", last: Sequence[str] = ()
) -> str:
    """At most `room` tokens of a guide; `more` is the line that says where the whole rests.

    With the lines it had `last`, those that are new come first.

    The text itself when it fits; "" when not even `more` and something of it do.
    """
    if count(text) <= room:
        return text
    found = sections(text)
    new = {line for line in text.split("\n") if line.strip()} - {*last} if last else set[str]()
    taken = _outline(found, room - count(f"{more}\n"), count)
    shown: dict[int, list[GuideUnit]] = {}
    left = room - count("\n".join([*_lines(found, taken, shown), LEFT_OUT.strip(), more]))
    lacking: list[int] = []
    for at in (at for at in _wanted([_whole(one) for one in found], goal, new) if at in taken):
        every = _all(found[at])
        cost = _cost(every, count)
        if every and cost <= left:
            shown[at] = every
        elif every and not shown and not lacking:
            shown[at] = _some(every, goal, left, count, new, split=True)
            cost = _cost(shown[at], count)
        else:
            lacking.append(at)
            continue
        left -= cost
    for at in lacking:
        if left < LEAST_LEFT:
            break
        shown[at] = _some([*units(found[at].lines)], goal, left, count, new)
        left -= _cost(shown[at], count)
    # Counted apart, texts may take a token less than together.
    while True:
        lines = _lines(found, taken, shown)
        made = "\n".join([*lines, more] if more else lines) if lines else ""
        if count(made) <= room:
            return made
        shown = {at: some for at, some in shown.items() if some}
        if not shown:
            return ""
        shown[[*shown][-1]].pop()


def _outline(found: Sequence[GuideSection], room: int, count: Count) -> set[int]:
    """The sections whose headings fit, the shallow ones before the deep, each in their order."""
    taken: set[int] = set()
    for at in sorted(range(len(found)), key=lambda at: (found[at].depth, at)):
        room -= count(f"{found[at].heading}{LEFT_OUT}\n") if found[at].heading else 0
        if room < 0:
            break
        taken.add(at)
    return taken


def _cost(given: Sequence[GuideUnit], count: Count) -> int:
    """Tokens of units, a newline each."""
    return sum(count("\n".join(unit.lines)) + 1 + unit.after for unit in given)


def _all(section: GuideSection) -> list[GuideUnit]:
    """The lines of a section as one unit; none where they are blank."""
    lines = section.lines
    return [GuideUnit(0, lines)] if any(line.strip() for line in lines) else []


def _some(
    given: Sequence[GuideUnit],
    goal: str,
    room: int,
    count: Count,
    new: Set[str],
    *,
    split: bool = False,
) -> list[GuideUnit]:
    """The units that fit, those near the goal first, each behind what introduces it.

    With `split`, of one that alone is too large the sentences that fit.
    """
    if split:
        every = [unit for one in given for unit in units(one.lines)]
        given = [
            piece
            for unit in every
            for piece in ([unit] if count(unit.text) < room else _smaller(unit, room, count))
        ]
    by_place = {unit.place: unit for unit in given}
    chosen: dict[tuple[int, int], GuideUnit] = {}
    tried = 0
    for at in _wanted([unit.text for unit in given], goal, new):
        if chosen and (room < LEAST_LEFT or tried > TRIED):
            break
        tried += 1
        wanted = list[GuideUnit]()
        unit: GuideUnit | None = given[at]
        while unit is not None and unit.place not in chosen and unit not in wanted:
            wanted.insert(0, unit)
            unit = by_place.get(unit.needs) if unit.needs is not None else None
        cost = _cost(wanted, count)
        if cost <= room:
            chosen |= {one.place: one for one in wanted}
            room -= cost
            tried = 0
    return [*chosen.values()]


def _smaller(unit: GuideUnit, room: int, count: Count) -> Sequence[GuideUnit]:
    """The sentences of a unit, of a code block its first lines."""
    made = pieces(unit)
    if made != (unit,) or len(unit.lines) == 1:
        return made
    low, high = 0, len(unit.lines)
    while low < high:
        middle = (low + high + 1) // 2
        if count(opening(unit, middle).text) + 1 <= room:
            low = middle
        else:
            high = middle - 1
    return [opening(unit, low)] if low else []


def _lines(
    found: Sequence[GuideSection], taken: set[int], shown: Mapping[int, Sequence[GuideUnit]]
) -> list[str]:
    """The lines of an excerpt: each heading that is taken, and what is shown of its section."""
    lines: list[str] = []
    for at in sorted(taken):
        section, some = found[at], lines_of(shown.get(at, ()))
        rest = [*filter(str.strip, some)] != [*filter(str.strip, section.lines)]
        if section.heading:
            lines.append(section.heading + (LEFT_OUT if rest else ""))
        lines += some
        if some and rest and not some[-1].endswith(LEFT_OUT):
            lines.append(LEFT_OUT.strip())
    return lines


def _whole(section: GuideSection) -> str:
    return "\n".join((section.heading, *section.lines))


def _wanted(found: Sequence[str], goal: str, new: Set[str]) -> list[int]:
    """Texts in the order they are served: what is new, those near the goal, then as they stand."""
    held = []
    for text in found:
        read = terms(text)
        held.append({*read.words, *read.names})
    spread = Counter(term for one in held for term in one)
    wanted = asked(goal)
    sought = {*wanted.words, *wanted.names}
    scores = [sum(math.log(1 + len(found) / spread[term]) for term in sought & one) for one in held]
    old = [new.isdisjoint(text.split("\n")) if new else True for text in found]
    return sorted(range(len(found)), key=lambda at: (old[at], -scores[at], at))
