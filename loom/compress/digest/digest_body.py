"""Choose the facts of a digest that fit within its tokens; the others are counted under their
heading."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from loom.compress.digest.check_facts import is_check_fact
from loom.compress.digest.fact_groups import CORE, SAID, FactGroup, GroupedFacts, shown_kind_of
from loom.compress.digest.fact_lines import ROW, FactLine, common_folder, fact_lines, join_lines
from loom.compress.digest.ranking import BINDING, places_by_rank
from loom.providers.counts import Counter

KEPT = 0.75  # of a digest's facts, for what the user laid down: it holds until the user says else
OLDEST = 12  # of the oldest lines of a group, those that go before the newest
ROUGH = 2  # tokens that joints may take beyond those of the lines


def digest_body(facts: GroupedFacts, groups: Iterable[FactGroup], room: int, count: Counter) -> str:
    """Return the text of these groups in the given order, with as many facts as fit in `room`
    tokens."""
    parts: dict[str, str] = {}
    listed = list(groups)
    kept = _tokens_for_binding(facts, room, count) if SAID in listed else 0
    for group in sorted(listed, key=lambda group: group.turn):
        own, kept = (kept, 0) if group is SAID else (0, kept)
        # No group may starve the ones after it of everything.
        most = max(own, int((room - kept) * group.share))
        parts[group.title] = _group_text(group, facts, most, count) if room > 0 else ""
        room -= count(parts[group.title])
    return "".join(parts[group.title] for group in listed)


def _tokens_for_binding(facts: GroupedFacts, room: int, count: Counter) -> int:
    """Return the tokens to reserve for the user's task, rules and opening sentences; 0 for none."""
    mine = facts.of(SAID)
    lines = fact_lines(SAID, mine)
    binding = {at: lines[at] for rank, at in places_by_rank(tuple(mine)) if rank in BINDING}
    text = _group_title(SAID, 999) + join_lines(SAID, binding)
    return min(int(room * KEPT), count(text)) if binding else 0


def _group_text(group: FactGroup, facts: GroupedFacts, whole: int, count: Counter) -> str:
    """Return a group's heading and the lines that fit under it, in at most `whole` tokens. If no
    line fits, return "" or, for a group in CORE, only a heading."""
    mine, before = facts.of(group), facts.left_out(group)
    root = common_folder(tuple(fact.text for fact in mine)) if group.shape == "tree" else ""
    room = whole - count(_group_title(group, 999, root))
    lines = fact_lines(group, mine, root)
    said = group.shape == "said"
    order = (
        [place for _, place in places_by_rank(tuple(mine))]
        if said
        else _places_by_rank(group, lines)
    )
    taken = _lines_that_fit(lines, order, room, count)
    while taken:
        left = before + len(lines) - len(taken)
        text = _group_title(group, left, root) + join_lines(group, taken)
        if count(text) <= whole:
            return text
        for _ in range(max(1, len(taken) // 20)):
            taken.popitem()  # what was taken last matters least
    left = before + len(lines)
    counted = left and room >= 0 and group in CORE
    return f"\n {group.title}: {left} part{'s' * (left != 1)} left out here" if counted else ""


def _group_title(group: FactGroup, left: int, root: str = "") -> str:
    """Return the heading of a group. `left` is the number of facts not shown, `root` a folder that
    the heading names."""
    unit = " lines" if group.shape == "said" or "told" in group.kinds else ""
    where, more = (
        f" (in {root})" * bool(root),
        f"; {left} more{unit} not shown here" * bool(left),
    )
    return f"\n {group.title}{where}{more}:"


def _lines_that_fit(
    lines: Sequence[FactLine], order: Sequence[int], room: int, count: Counter
) -> dict[int, FactLine]:
    """Return the lines that fit in `room` tokens, some in their short form, by their index in
    `lines`. `order` has the indexes in the order to try."""
    sizes = count.many(line.row for line in lines)
    shorts = count.many(f"{ROW}{line.short}" for line in lines)
    names = list(dict.fromkeys(line.above for line in lines))
    above = dict(zip(names, count.many(f"\n  {name}: " for name in names), strict=True))
    taken: dict[int, FactLine] = {}
    for at in order:
        line = lines[at]
        more = above.get(line.above, 0)
        if sizes[at] + more + ROUGH <= room:
            taken[at], spent = line, sizes[at]
        elif line.short and shorts[at] + more + ROUGH <= room:
            taken[at], spent = line._replace(text=line.short), shorts[at]
        elif line.fact.kind == "rule":
            break  # no older rule of the user is shown without a newer rule
        else:
            continue
        above.pop(line.above, None)  # it is said once
        room -= spent + more
    return taken


def _places_by_rank(group: FactGroup, lines: Sequence[FactLine]) -> list[int]:
    """Return the indexes of a group's lines, the most important line first."""
    places = list(range(len(lines) - 1, -1, -1))
    if group.kinds in (("task",), ("id",)):
        return places[::-1]
    if group.kinds == ("ran",):
        return sorted(places, key=lambda at: not is_check_fact(lines[at].fact))
    first = min(OLDEST, group.oldest)
    if first or len(group.kinds) > 1:
        places.sort(key=lambda at: (at >= first, group.kinds.index(shown_kind_of(lines[at].fact))))
    return places
