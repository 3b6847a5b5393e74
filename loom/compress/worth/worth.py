"""The worth of a unit: K · rel · e^(−λ·age).

K is the weight of the kind of unit, rel is one more than its relevance to the present focus. A
superseded unit keeps a small part of that. Age is counted as the policy says (`AGEING`).

"steps" is the documented one: the steps since the unit was last used.

"log" is the fitted one: K · (rel · e^(−λ·age) + fresh · e^(−tokens since ÷ share of the window)).
Every use keeps a unit young, the latest most: age is −ln Σ weight ÷ (1 + tokens since ÷ span), a
logarithmic scale, for a unit not used for a while is likely not to be used for as long again.

The focus knows the task at hand alone. Where tasks take turns, units that the other tasks used last
count as well: the second term is recency whatever the focus. It is one summand with the first, not
a rank above it: a unit relevant or in use enough is worth more than a merely recent one, and beyond
its share of the window the second term is gone."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from loom.compress.worth.entry_units import UnitKey
from loom.compress.worth.fitted import ScoreConstants
from loom.compress.worth.focus import focus_terms, relevance_of_rows
from loom.compress.worth.unit_columns import Numbers
from loom.compress.worth.working_set import WorkingSet
from loom.lazy import lazy_module
from loom_partitions.working import Working

if TYPE_CHECKING:
    import numpy as np
else:
    np = lazy_module("numpy", globals())


class Worths:
    """The worth of units (pieces of entries) at one moment, found by key."""

    def __init__(
        self,
        working_set: WorkingSet,
        working: Working,
        fitted: ScoreConstants,
        capacity: int,
        ageing: str = "log",
        rows: Numbers | None = None,
    ) -> None:
        """Score the units in these table rows (None: all). `capacity` is the window's size in
        tokens."""
        self.catalog = working_set
        self.fitted = fitted
        self.fresh_span = max(fitted.fresh_span * capacity, 1.0)
        columns = working_set.columns
        self.rows = rows = np.arange(len(columns)) if rows is None else rows
        self._relevance = np.zeros(len(columns))
        self._relevance[rows] = relevance_of_rows(
            working_set, focus_terms(working_set, working, fitted), rows
        )
        rel = (1.0 + self._relevance[rows]) ** fitted.focus
        kinds = np.array([fitted.kinds.get(kind, 1.0) for kind in columns.kinds] or [1.0])
        worth = AGEING[ageing](self, rel) * kinds[columns.column("kind")[rows]]
        tokens = np.maximum(columns.column("tokens")[rows], 1).astype(np.float64)
        self._rows = columns.rows
        self._worths, self._densities = np.zeros(len(columns)), np.zeros(len(columns))
        self._worths[rows] = np.where(columns.column("stale")[rows], worth * fitted.stale, worth)
        self._densities[rows] = self._worths[rows] / tokens**fitted.gamma

    def of(self, key: UnitKey) -> float:
        """Return the worth of a unit (piece of an entry), 0 if the working set has no such unit."""
        row = self._rows.get(key)
        return 0.0 if row is None else float(self._worths[row])

    def relevance_of(self, key: UnitKey) -> float:
        """Return how relevant a unit is to what matters now; 0 or more."""
        return float(self._relevance[self._rows[key]])

    def value(self, key: UnitKey) -> float:
        """Return what a unit adds to a window: worth · tokens^(1−γ); 0 if it is unknown."""
        unit = self.catalog.units.get(key)
        return self.valued(self.of(key), unit.tokens) if unit else 0.0

    def valued(self, worth: float, tokens: int) -> float:
        """Return what a text of this worth and size adds to a window: worth · tokens^(1−γ)."""
        return worth * float(max(tokens, 1) ** (1.0 - self.fitted.gamma))

    def density_of(self, key: UnitKey) -> float:
        """Return worth ÷ tokens^γ of a unit."""
        return float(self._densities[self._rows[key]])

    def densities_of(self, rows: Numbers) -> Numbers:
        """Return an array with worth ÷ tokens^γ for the units in these rows."""
        found: Numbers = self._densities[rows]
        return found


def score_units(
    working_set: WorkingSet, working: Working, fitted: ScoreConstants, capacity: int, ageing: str
) -> Worths:
    """Return the worth of all units (pieces of entries) that are in the window or may come back."""
    now = working_set.newest, working, fitted, capacity, ageing
    if working_set.scored is None or working_set.scored[0] != now:
        rows = working_set.columns.returning()
        rows[working_set.columns.rows_of(working_set.present_keys)] = True
        made = Worths(working_set, working, fitted, capacity, ageing, rows.nonzero()[0])
        working_set.scored = now, made
    found: Worths = working_set.scored[1]
    return found


MOST = 200.0  # exponent of a worth: a policy's own decay may be 1,000, and sums must stay finite


def _aged_by_steps(worths: Worths, rel: Numbers) -> Numbers:
    """Return an array with `rel` · e^(−λ·age) of the scored units. Age: steps since last use."""
    age = worths.catalog.steps - worths.catalog.columns.column("step")[worths.rows]
    worth: Numbers = rel * np.exp(-worths.fitted.step_decay * age)
    return worth


def _aged_by_log(worths: Worths, rel: Numbers) -> Numbers:
    """Return an array with `rel` · e^(−λ·age) plus the freshness of each scored unit. Age is
    logarithmic and depends on all uses of the unit."""
    fitted, columns, clock = worths.fitted, worths.catalog.columns, worths.catalog.clock
    rows, uses = worths.rows, columns.column("uses")[worths.rows]
    at = slice(uses.max(initial=0)), rows
    shares = columns.weight[at] / (1.0 + (clock - columns.clock[at]) / fitted.span)
    recency = sum(shares, np.zeros(len(rows)))  # in the order of the uses, however many rows
    fresh = fitted.fresh * np.exp((columns.clock[uses - 1, rows] - clock) / worths.fresh_span)
    most = math.exp(MOST / max(fitted.decay, 1.0))
    worth: Numbers = rel * np.minimum(recency, most) ** fitted.decay + fresh
    return worth


AGEING: dict[str, Callable[[Worths, Numbers], Numbers]] = {
    "log": _aged_by_log,
    "steps": _aged_by_steps,
}
