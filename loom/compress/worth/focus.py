"""The present focus: which terms matter now, and how much weight of them each unit holds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from loom.compress.worth.fitted import ScoreConstants
from loom.compress.worth.identifiers import identifiers
from loom.compress.worth.unit_columns import Numbers
from loom.compress.worth.working_set import WorkingSet
from loom_partitions.working import Working

COMMON = 0.2  # share of the units above which a term says nothing
NORM = 0.4  # what does not depend on a unit's length


def focus_terms(
    working_set: WorkingSet, working: Working, weights: ScoreConstants
) -> dict[str, float]:
    """Return the weight of each term (identifier) that matters now, by term."""
    found: dict[str, float] = {}

    def add(terms: Iterable[str], weight: float) -> None:
        for term in sorted(terms):  # a set has no order of its own, and sums of floats have
            found[term] = found.get(term, 0.0) + weight

    steps = [touch for touch in working_set.recent if not touch.user]
    users = [touch for touch in working_set.recent if touch.user]
    if steps:
        add(steps[-1].said, weights.last)
        add(frozenset().union(*(touch.said for touch in steps[-6:])), weights.lately)
    plan = [item.text for item in working.plan if item.state in ("doing", "todo", "pending")]
    goal = working.goal.body or "" if working.goal else ""
    add(identifiers("\n".join([goal, *plan])), weights.plan)
    if users:
        add(users[-1].said, weights.user)
    return found


def relevance_of_rows(
    working_set: WorkingSet, wanted: Mapping[str, float], rows: Numbers
) -> Numbers:
    """Return an array with the relevance of the units (pieces of entries) in these table rows.
    `wanted` has the weight of each term.

    Relevance is the sum of the weights of the wanted terms in the unit, divided by the unit's
    length. Rare terms count more (BM25 without term counts)."""
    number, columns = len(working_set.units), working_set.columns
    numbers, held = columns.terms.of, columns.terms.held
    most = max(COMMON * number, 3)
    known = [(numbers[term], weight) for term, weight in wanted.items() if term in numbers]
    says = {
        term: weight * math.log(1 + number / held[term])
        for term, weight in known
        if held[term] <= most
    }
    mean = working_set.tokens / number if number else 1.0
    length = NORM + (1 - NORM) * columns.column("tokens")[rows] / max(mean, 1.0)
    return columns.shared(says, rows) / length
