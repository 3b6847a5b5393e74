"""Facts told by those that stood before: a digest repeats most of what the one before it held.

A cut that folds a digest into the next one would otherwise record the same facts over and over,
which is most of what a long journal holds.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from loom_partitions.message import Fact

FRESH = -1


class DrawnFacts(Struct, frozen=True, array_like=True):
    """Facts as runs: (first, count) of those before, or (FRESH, count) of the next fresh ones."""

    runs: tuple[tuple[int, int], ...]
    fresh: tuple[Fact, ...]


def drawn(facts: Sequence[Fact], before: Sequence[Fact]) -> DrawnFacts:
    """Facts told by `before`, of which each run is taken in its order."""
    before = tuple(before)
    places = {fact: at for at, fact in reversed([*enumerate(before)])}
    runs: list[tuple[int, int]] = []
    fresh: list[Fact] = []
    for fact in facts:
        at = places.get(fact, FRESH)
        first, count = runs[-1] if runs else (0, 0)
        if first == FRESH == at:
            runs[-1] = FRESH, count + 1
        elif count and first != FRESH and before[first + count : first + count + 1] == (fact,):
            runs[-1] = first, count + 1
        else:
            runs.append((at, 1))
        if runs[-1][0] == FRESH:
            fresh.append(fact)
    return DrawnFacts(tuple(runs), tuple(fresh))


def whole(told: DrawnFacts, before: Sequence[Fact]) -> tuple[Fact, ...]:
    """The facts again. Raises ValueError when they cannot have been told by these."""
    facts: list[Fact] = []
    fresh = 0
    for first, count in told.runs:
        if first == FRESH:
            facts += told.fresh[fresh : fresh + count]
            fresh += count
        else:
            facts += before[first : first + count]
    if len(facts) != sum(count for _, count in told.runs) or fresh != len(told.fresh):
        raise ValueError(f"{len(facts)} facts where {told.runs} tells of others")
    return tuple(facts)
