"""Which of the user's words are kept longest, where not all of them fit."""

from __future__ import annotations

from collections import Counter as Counted
from collections.abc import Sequence
from functools import lru_cache

from loom_partitions.message import Fact

TASKED = 4  # of the oldest facts are kept first: a session begins with its task …
LAID = 12  # … and of so many those that lay something down
SHORT = 12  # sentences of a message that was typed, and not pasted
LINE = 240  # characters of a line that stands for itself …
ALONE = 2  # … and its sentences
TASK, BINDS, OPENS, SAYS, PASTED, ASKED, TOLD, SHOWN = range(8)
BINDING = (TASK, BINDS, OPENS)  # what has room of its own
CLASSES: dict[str, int] = {"heading": ASKED, "question": TOLD, "user": TOLD, "code": SHOWN}


def keeping_ranks(facts: Sequence[Fact]) -> list[int]:
    """Return a rank for each fact; low ranks are kept longest. `facts` are oldest first."""
    sizes = Counted(fact.at for fact in facts)
    opening = _opening_sentence_ids(facts)
    bound: Counted[int] = Counted()  # rules behind, by message
    made = [0] * len(facts)
    for at in range(len(facts) - 1, -1, -1):
        fact = facts[at]
        first = LAID if fact.kind in ("rule", "heading") else TASKED * (fact.kind != "code")
        if fact.at == facts[0].at and at < first:
            made[at] = TASK
        elif fact.kind == "rule":
            made[at] = BINDS if bound[fact.at] < SHORT else PASTED
        elif fact.kind == "user" and id(fact) in opening:
            made[at] = OPENS
        else:
            made[at] = SAYS if sizes[fact.at] <= SHORT else CLASSES.get(fact.kind, TOLD)
        bound[fact.at] += fact.kind == "rule"
    return made


def _opening_sentence_ids(facts: Sequence[Fact]) -> set[int]:
    """Return the Python `id()` of each fact from the first typed line of a message."""
    first: dict[int, list[Fact]] = {}
    for fact in facts:
        line = first.setdefault(fact.at, [])
        if fact.kind != "code" and (not line or line[0].about == fact.about):
            line.append(fact)
    short = (one for one in first.values() if len(one) <= ALONE)
    return {id(one) for line in short if sum(len(f.text) for f in line) <= LINE for one in line}


@lru_cache(maxsize=8)
def places_by_rank(facts: tuple[Fact, ...]) -> tuple[tuple[int, int], ...]:
    """Return (rank, index) for each fact, the facts to keep longest first."""
    made = keeping_ranks(facts)
    places = sorted(range(len(facts)), key=lambda at: (made[at], -at))
    return tuple((made[at], at) for at in places)


def keep_highest_ranked(facts: Sequence[Fact], most: int) -> list[Fact]:
    """Return the `most` most important facts, in their old order."""
    return [facts[at] for at in sorted(place for _, place in places_by_rank(tuple(facts))[:most])]
