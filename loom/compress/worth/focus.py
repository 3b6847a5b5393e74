"""The present focus: which terms matter now, and how much each unit shares with them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping

from loom.compress.worth.catalog import Catalog
from loom.compress.worth.fitted import ScoreConstants
from loom.compress.worth.identifiers import identifiers
from loom.compress.worth.units import Key
from loom_partitions.working import Working

COMMON = 0.2  # share of the units above which a term says nothing
NORM = 0.4  # what does not depend on a unit's length


def focus(catalog: Catalog, working: Working, weights: ScoreConstants) -> dict[str, float]:
    """The weight of each term that matters now."""
    found: dict[str, float] = {}

    def add(terms: Iterable[str], weight: float) -> None:
        for term in sorted(terms):  # a set has no order of its own, and sums of floats have
            found[term] = found.get(term, 0.0) + weight

    steps = [touch for touch in catalog.recent if not touch.user]
    users = [touch for touch in catalog.recent if touch.user]
    if steps:
        add(steps[-1].said, weights.last)
        add(frozenset().union(*(touch.said for touch in steps[-6:])), weights.lately)
    add(next((touch.heard for touch in reversed(steps) if touch.heard), ()), weights.output)
    plan = [item.text for item in working.plan if item.state in ("doing", "todo", "pending")]
    goal = working.goal.body or "" if working.goal else ""
    add(identifiers("\n".join([goal, *plan])), weights.plan)
    if users:
        add(users[-1].said, weights.user)
    return found


class Relevance(Mapping[Key, float]):
    """The relevance of each unit to the focus; of a unit that shares nothing there is none.

    A sum over shared terms, rare ones more, divided by a unit's length: BM25 without its counts.
    It is worked out for those units that are asked for.
    """

    def __init__(self, catalog: Catalog, wanted: Mapping[str, float]) -> None:
        self._units = catalog.units
        number = len(catalog.units)
        held = {term: catalog.frequency.get(term, 0) for term in wanted}
        most = max(COMMON * number, 3)
        self._says = {
            term: weight * math.log(1 + number / held[term])
            for term, weight in wanted.items()
            if 0 < held[term] <= most
        }
        self._rank = {term: at for at, term in enumerate(self._says)}
        self._mean = catalog.tokens / number if number else 0.0

    def of(self, key: Key) -> float:
        """The relevance of a unit, 0 for one that shares nothing."""
        unit = self._units[key]
        shared = self._says.keys() & unit.terms
        if not shared:
            return 0.0
        worth = 0.0
        for term in sorted(shared, key=self._rank.__getitem__):  # a sum of floats has an order
            worth += self._says[term]
        return worth / (NORM + (1 - NORM) * unit.tokens / self._mean)

    def __getitem__(self, key: Key) -> float:
        found = self.of(key) if key in self._units else 0.0
        if not found:
            raise KeyError(key)
        return found

    def __iter__(self) -> Iterator[Key]:
        return (key for key in self._units if self.of(key))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def relevance(catalog: Catalog, wanted: Mapping[str, float]) -> Relevance:
    """The relevance of units to what is wanted: the weight of each term."""
    return Relevance(catalog, wanted)
