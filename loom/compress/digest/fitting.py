"""Which facts of a digest fit its room; what does not is counted under its heading."""

from __future__ import annotations

from collections import Counter as Counted
from collections.abc import Iterable, Sequence

from loom.compress.digest.groups import CORE, FactGroup, kind_of, left_out, of_group
from loom.compress.digest.lines import Line, lines_of, root_of, written
from loom.providers.counts import Counter
from loom_partitions.message import Fact

FIRST = 12  # of the oldest facts, where they are carried: a session begins with its task
MORE = "; {more} more on its page"  # in a heading: what the group leaves out
SHORT = 12  # sentences of a message that was typed, and not pasted
ROUGH = 2  # tokens that joints may take beyond those of the lines


def body(facts: Sequence[Fact], groups: Iterable[FactGroup], room: int, count: Counter) -> str:
    """The facts of these groups that fit `room` tokens, in the order of the groups."""
    parts: dict[str, str] = {}
    listed = list(groups)
    named = root_of(fact.text for fact in facts if fact.kind in ("read", "edit", "write"))
    for group in sorted(listed, key=lambda group: group.turn):
        mine = of_group(group, facts)
        before = left_out(group, facts)
        if (not mine and not before) or room <= 0:
            continue
        # No group may starve the ones after it of everything.
        root = root_of(fact.text for fact in mine) if group.shape == "tree" else named
        text = _part(group, mine, before, int(room * group.share), count, root)
        room -= count(text)
        parts[group.title] = text
    return "".join(parts.get(group.title, "") for group in listed)


def _part(
    group: FactGroup, facts: Sequence[Fact], before: int, room: int, count: Counter, root: str
) -> str:
    """A group's heading and what fits under it; "" when not even the heading does."""
    lines = lines_of(group, facts, root)
    room -= count(_title(group, 999, root))
    taken = _fitting(group, lines, room, count)
    while True:
        left = before + len(lines) - len(taken)
        shown = [taken[at] for at in sorted(taken)]
        text = _title(group, left, root) + written(group, shown, lines)
        if not taken or count(text) <= room + count(_title(group, 999, root)):
            break
        for _ in range(max(1, len(taken) // 20)):
            taken.popitem()  # what was taken last matters least
    return text if taken or (left and room >= 0 and group in CORE) else ""


def _title(group: FactGroup, left: int, root: str) -> str:
    where = f" (in {root})" if root and group.shape == "tree" else ""
    more = MORE.format(more=left) if left else ""
    return f"\n {group.title}{where}{more}:" + (" " if group.shape == "words" else "")


def _fitting(group: FactGroup, lines: Sequence[Line], room: int, count: Counter) -> dict[int, Line]:
    """Place → the line that fits, what is kept first in front; short ones where whole ones no
    longer do."""
    sizes = count.many(f"\n  {line.text}" for line in lines)
    shorts = count.many(f", {line.short}" for line in lines) if group.shape == "tree" else []
    names = list(dict.fromkeys(line.above for line in lines))
    above = dict(zip(names, count.many(f"\n  {name}: " for name in names), strict=True))
    taken: dict[int, Line] = {}
    seen: set[str] = set()
    for at in _ranked(group, lines):
        line = lines[at]
        more = 0 if line.above in seen else above[line.above]
        if sizes[at] + more + ROUGH <= room:
            taken[at], spent = line, sizes[at] + more
        elif shorts and shorts[at] + more + ROUGH <= room:
            taken[at], spent = line._replace(text=line.short), shorts[at] + more
        else:
            continue
        seen.add(line.above)
        room -= spent
    return taken


def _ranked(group: FactGroup, lines: Sequence[Line]) -> list[int]:
    """Places, what is kept first in front: by kind, then the newest.

    Where the oldest are carried too, some of them go before.
    """
    places = list(range(len(lines) - 1, -1, -1))
    if group.kinds == ("name",):
        return places
    if group.kinds in (("task",), ("id",)):
        return places[::-1]
    if group.shape == "said":
        return _said_first(group, lines)
    first = FIRST if group.oldest else 0
    places.sort(key=lambda at: (at >= first, group.kinds.index(kind_of(lines[at].fact))))
    return places


def _said_first(group: FactGroup, lines: Sequence[Line]) -> list[int]:
    """Places of what the user said: the first; then short messages, of which none is pasted, what
    binds before the rest, the newest first; then long ones, by kind."""
    sizes = Counted(line.above for line in lines)
    places = list(range(len(lines) - 1, -1, -1))

    def rank(at: int) -> tuple[bool, bool, int]:
        short = sizes[lines[at].above] <= SHORT
        kind = group.kinds.index(kind_of(lines[at].fact))
        task = at < FIRST and lines[at].above == lines[0].above
        return not task, not short, min(kind, 1) if short else kind

    return sorted(places, key=rank)
