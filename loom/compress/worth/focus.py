"""The present focus: which terms matter now, and how much each unit shares with them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

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


def relevance(catalog: Catalog, wanted: Mapping[str, float]) -> dict[Key, float]:
    """The relevance of each unit to the focus; units that share nothing are left out.

    A sum over shared terms, rare ones more, divided by a unit's length: BM25 without its counts.
    """
    number = len(catalog.units)
    if not number:
        return {}
    found: dict[Key, float] = {}
    for term, weight in wanted.items():
        held = catalog.frequency.get(term, 0)
        if not held or held > max(COMMON * number, 3):
            continue
        worth = weight * math.log(1 + number / held)
        for key in catalog.postings[term]:
            found[key] = found.get(key, 0.0) + worth
    mean = sum(unit.tokens for unit in catalog.units.values()) / number
    return {
        key: worth / (NORM + (1 - NORM) * catalog.units[key].tokens / mean)
        for key, worth in found.items()
    }
