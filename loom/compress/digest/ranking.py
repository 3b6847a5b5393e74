"""In which order what the user said is kept, where not all of it fits.

The task and the latest request come first, then what binds, then what was said alone: a short line
that is its message, or begins it, in whatever language. That is where a user lays something down
once, so of these both ends are kept before their middle. Then come the rest of what was typed, and
what was pasted; of equals the newest. An older rule never takes the room a newer one did not get:
read alone, it would seem to hold.
"""

from __future__ import annotations

from collections import Counter as Counted
from collections.abc import Sequence
from functools import lru_cache

from loom_partitions.message import Fact

FIRST = 12  # of the oldest facts: a session begins with its task
TASKED = 4  # … of which so many are kept first, whatever they say
SHORT = 12  # sentences of a message that was typed, and not pasted
LINE = 240  # characters of a line that stands for itself
TASK, BINDS, ALONE, OPENS, SAYS, PASTED, ASKED, TOLD, SHOWN = range(9)
LAID = ("rule", "heading")
BOTH_ENDS = (ALONE, OPENS)  # a short first line of one sentence, and one of two
BINDING = (TASK, BINDS, *BOTH_ENDS)  # what has room of its own
CLASSES: dict[str, int] = {"heading": ASKED, "question": TOLD, "user": TOLD, "code": SHOWN}


def ranks(facts: Sequence[Fact]) -> list[int]:
    """The class of each of these facts, which are in order: the lower, the earlier it is kept."""
    sizes = Counted(fact.at for fact in facts)
    opening = _opening(facts)
    bound: Counted[int] = Counted()
    made = [0] * len(facts)
    for at in range(len(facts) - 1, -1, -1):
        fact = facts[at]
        made[at] = _class(fact, short=sizes[fact.at] <= SHORT, before=bound[fact.at])
        if made[at] != BINDS:
            made[at] = opening.get(id(fact), made[at])
        if fact.kind == "rule":
            bound[fact.at] += 1
        first = FIRST if fact.kind in LAID else TASKED * (fact.kind != "code")
        if fact.at == facts[0].at and at < first:
            made[at] = TASK
    return made


def _class(fact: Fact, short: bool, before: int) -> int:
    """The class of one fact; `before` is how many rules stand behind it in its message."""
    if fact.kind == "rule":
        return BINDS if before < SHORT else PASTED
    return SAYS if short else CLASSES.get(fact.kind, TOLD)


def _opening(facts: Sequence[Fact]) -> dict[int, int]:
    """id → class of the sentences in the first typed line of their message, where it is short."""
    first: dict[int, list[Fact]] = {}
    for fact in facts:
        if fact.kind == "code":
            continue  # and what was pasted
        line = first.setdefault(fact.at, [])
        if not line or line[0].about == fact.about:
            line.append(fact)
    short = (line for line in first.values() if sum(len(one.text) for one in line) <= LINE)
    classes = dict(enumerate(BOTH_ENDS, 1))
    return {
        id(one): classes[len(line)]
        for line in short
        for one in line
        if one.kind == "user" and len(line) in classes
    }


@lru_cache(maxsize=8)
def ordered(facts: tuple[Fact, ...]) -> tuple[tuple[int, int], ...]:
    """(class, place) of each fact, what is kept first in front."""
    made = ranks(facts)
    places = sorted(range(len(facts)), key=lambda at: (made[at], -at))
    for rank in BOTH_ENDS:
        newest = [at for at in places if made[at] == rank]
        both = dict.fromkeys(at for pair in zip(newest, newest[::-1], strict=True) for at in pair)
        start = sum(one < rank for one in made)
        places[start : start + len(newest)] = both
    return tuple((made[at], at) for at in places)


def held(facts: Sequence[Fact], most: int, oldest: int) -> list[Fact]:
    """At most so many of the facts, in order: by class, of the last class with room both ends."""
    if len(facts) <= most:
        return list(facts)
    by_class: dict[int, list[int]] = {}
    for rank, place in ordered(tuple(facts)):
        by_class.setdefault(rank, []).append(place)
    kept: set[int] = set()
    for rank in sorted(by_class):
        places, room = sorted(by_class[rank]), most - len(kept)
        if len(places) > room:
            first = min(oldest, room // 3)
            places = places[:first] + places[len(places) - (room - first) :]
        kept.update(places)
    return [facts[place] for place in sorted(kept)]
