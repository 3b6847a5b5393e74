"""Which facts of a digest fit its room; what does not is counted under its heading."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from loom.compress.digest.checked import checks
from loom.compress.digest.groups import CORE, THREAD, FactGroup, Grouped, kind_of
from loom.compress.digest.lines import ONCE, PLACED, ROW, UNMARKED, Line, lines_of, root_of, written
from loom.compress.digest.ranking import BINDING, FIRST, ordered, shorter
from loom.providers.counts import Counter
from loom_partitions.message import Fact

MORE = " more"  # in a heading: what the group leaves out
UNIT = " sentence{s}"  # … of messages, which are told in part
ON_PAGE, IN_MESSAGES = " on its page", " in those messages"
IN_STEPS = " in those steps"
JOINTS = 1.08  # of what binds: names of messages, marks of what stood between
ROUGH = 2  # tokens that joints may take beyond those of the lines


def body(facts: Grouped, groups: Iterable[FactGroup], room: int, count: Counter) -> str:
    """The facts of these groups that fit `room` tokens, in the order of the groups."""
    parts: dict[str, str] = {}
    listed = list(groups)
    kept = _reserved_rooms(listed, facts, room, count)
    named = root_of(facts.paths)
    for group in sorted(listed, key=lambda group: group.turn):
        mine = facts.of(group)
        before = facts.left_out(group)
        own = kept.pop(group.title, 0)
        if (not mine and not before) or room <= 0:
            continue
        # No group may starve the ones after it of everything.
        root = root_of(tuple(fact.text for fact in mine)) if group.shape == "tree" else named
        most = max(own, int((room - sum(kept.values())) * group.share))
        within = facts.within(group)
        text = _part(group, mine, before, most, count, root, within)
        room -= count(text)
        parts[group.title] = text
    return "".join(parts.get(group.title, "") for group in listed)


def _reserved_rooms(
    groups: Iterable[FactGroup], facts: Grouped, room: int, count: Counter
) -> dict[str, int]:
    """Title → the room that is kept for what binds in a group, before any other group has some."""
    kept = {}
    for group in groups:
        mine = facts.of(group) if group.kept else []
        if mine and room > 0:
            binding = sorted(place for rank, place in ordered(tuple(mine)) if rank in BINDING)
            most = int(room * group.kept)
            text = _part(group, [mine[place] for place in binding], 0, most, count, "")
            kept[group.title] = min(most, int(count(text) * JOINTS))
    return kept


def _part(
    group: FactGroup,
    facts: Sequence[Fact],
    before: int,
    room: int,
    count: Counter,
    root: str,
    within: int = 0,
) -> str:
    """A group's heading and what fits under it; "" when not even the heading does.

    So many were left out `before`; of them those `within` the messages are on no page of a digest.
    """
    whole, said = room, group.shape == "said"
    room -= count(_title(group, 999 + within, root, within))
    lines, binding = lines_of(group, facts, root), set[int]()
    if said:
        ranked = ordered(tuple(facts))
        order = [place for _, place in ranked]
        binding = {place for rank, place in ranked if rank in BINDING}
        lines = _bound(lines, binding, room, count)
    else:
        order = _order(group, lines)
    taken = _fitting(group, lines, order, room, count)
    marks = PLACED
    while True:
        left = before + len(lines) - len(taken)
        text = _title(group, left, root, within) + written(group, lines, taken, marks)
        text = text if taken else f"\n {group.title}: {_places(group, left, within)}"
        if not taken or count(text) <= whole:
            break
        # What was taken last matters least; what binds more than where something was left out.
        if said and marks > (UNMARKED if next(reversed(taken)) in binding else ONCE):
            marks -= 1
            continue
        for _ in range(max(1, len(taken) // 20)):
            taken.popitem()
    return text if taken or (left and room >= 0 and group in CORE) else ""


def _title(group: FactGroup, left: int, root: str, within: int) -> str:
    where = f" (in {root})" if root and group.shape == "tree" else ""
    more = f"; {_places(group, left, within, MORE)}" if left else ""
    return f"\n {group.title}{where}{more}:"


def _places(group: FactGroup, left: int, within: int, more: str = "") -> str:
    """How much is left out of a group, and where it stands."""
    page = IN_STEPS if group in THREAD else ON_PAGE
    places = [(left - within, page), (within, IN_MESSAGES)]
    (first, where), *others = [place for place in places if place[0]] or places[:1]
    unit = UNIT.format(s="s" * (first != 1)) if group.shape == "said" else ""
    return f"{first}{unit}{more}{where}" + "".join(f", {n}{at}" for n, at in others)


def _bound(lines: list[Line], binding: Collection[int], room: int, count: Counter) -> list[Line]:
    """Lines of what the user said. What binds goes without its reasons before any of it is left
    out, and is never shortened else: a sentence that is shown says what was said."""
    mine = [lines[place] for place in binding]
    spent = sum(count.many(line.row for line in mine))
    if spent + sum(_above(mine, count).values()) <= room:
        return lines
    return [
        line.as_text(shorter(line.text)) if place in binding else line
        for place, line in enumerate(lines)
    ]


def _above(lines: Sequence[Line], count: Counter) -> dict[str, int]:
    """The tokens of what stands above lines."""
    names = list(dict.fromkeys(line.above for line in lines))
    return dict(zip(names, count.many(f"\n  {name}: " for name in names), strict=True))


def _fitting(
    group: FactGroup, lines: Sequence[Line], order: Sequence[int], room: int, count: Counter
) -> dict[int, Line]:
    """Place → the line that fits, what is kept first in front; short ones where whole ones no
    longer do. Where a newer rule had no room, no older one has it."""
    sizes = count.many(line.row for line in lines)
    short = any(line.short for line in lines)
    joint = ", " if group.shape == "tree" else ROW
    shorts = count.many(f"{joint}{line.short}" for line in lines) if short else sizes
    above = _above(lines, count)
    taken: dict[int, Line] = {}
    for at in order:
        line = lines[at]
        more = above.get(line.above, 0)
        if sizes[at] + more + ROUGH <= room:
            taken[at], spent = line, sizes[at] + more
        elif line.short and shorts[at] + more + ROUGH <= room:
            taken[at], spent = line.as_text(line.short), shorts[at] + more
        elif line.fact.kind == "rule":
            break
        else:
            continue
        above.pop(line.above, None)  # it is said once
        room -= spent
    return taken


def _order(group: FactGroup, lines: Sequence[Line]) -> list[int]:
    """Places, what is kept first in front: by kind, of commands the checks, then the newest.

    Where the oldest are carried too, some of them go before.
    """
    places = list(range(len(lines) - 1, -1, -1))
    if group.kinds == ("task",):
        return places[::-1]
    if group.kinds == ("ran",):
        return sorted(places, key=lambda at: not checks(lines[at].fact))
    first = min(FIRST, group.oldest)
    if first or len(group.kinds) > 1:
        places.sort(key=lambda at: (at >= first, group.kinds.index(kind_of(lines[at].fact))))
    return places
