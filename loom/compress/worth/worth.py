"""The worth of a unit: K · rel · e^(−λ·age).

K is the weight of what the unit is, rel one more than its relevance to the present focus. Age is
counted in one of two ways, as the policy says (`AGEING`).

"steps" is the documented one: the steps since the unit was last used.

"log" is the fitted one: K · (rel · e^(−λ·age) + fresh · e^(−tokens since ÷ share of the window)).
Every use keeps a unit young, the latest most: age is −ln Σ weight ÷ (1 + tokens since ÷ span), a
logarithmic scale, for what was not used for a while is likely not to be used for as long again.

The focus knows the task at hand alone. Where tasks take turns, what the others used last counts as
well: the second term is recency whatever the focus. It is one summand with the first, not a rank
above it: what is relevant or in use enough is worth more than what is merely recent, and beyond its
share of the window nothing is left of it.

What is superseded keeps a small part.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from loom.compress.worth.catalog import Catalog
from loom.compress.worth.fitted import ScoreConstants
from loom.compress.worth.focus import focus, relevance
from loom.compress.worth.units import Key
from loom_partitions.working import Working


class Worths:
    """The worth of every unit at this moment."""

    def __init__(
        self,
        catalog: Catalog,
        working: Working,
        fitted: ScoreConstants,
        capacity: int,
        ageing: str = "log",
    ) -> None:
        """`capacity` of the window in tokens: how long a unit is fresh is a share of it."""
        self.catalog = catalog
        self._aged = AGEING[ageing]
        self.fitted = fitted
        self.fresh_span = max(fitted.fresh_span * capacity, 1.0)
        self.relevance = relevance(catalog, focus(catalog, working, fitted))
        self._known: dict[Key, float] = {}

    def of(self, key: Key) -> float:
        """The worth of one unit; 0 for one that is not in the catalog any more."""
        worth = self._known.get(key)
        if worth is None:
            worth = self._known[key] = self._worth(key)
        return worth

    def _worth(self, key: Key) -> float:
        unit = self.catalog.units.get(key)
        if unit is None:
            return 0.0
        rel = (1.0 + self.relevance.of(key)) ** self.fitted.focus
        worth = self._aged(self, key, rel) * self.fitted.kinds.get(unit.kind, 1.0)
        return float(worth * self.fitted.stale if key in self.catalog.stale else worth)

    def value(self, key: Key) -> float:
        """The value a unit adds to a window; per token it is its worth per token^γ."""
        unit = self.catalog.units.get(key)
        return self.valued(self.of(key), unit.tokens) if unit else 0.0

    def valued(self, worth: float, tokens: int) -> float:
        """A worth of so many tokens as a value: γ below 1 favours the long over the short."""
        return worth * float(max(tokens, 1) ** (1.0 - self.fitted.gamma))

    def density(self, key: Key) -> float:
        """Worth per token^γ."""
        tokens = max(self.catalog.units[key].tokens, 1)
        return self.of(key) / float(tokens**self.fitted.gamma)


MOST = 200.0  # exponent of a worth: a policy's own decay may be 1,000, and sums must stay finite


def _by_steps(worths: Worths, key: Key, rel: float) -> float:
    """rel · e^(−λ·age), age in steps since the last use."""
    age = worths.catalog.steps - worths.catalog.used_at[key]
    return rel * math.exp(-worths.fitted.step_decay * age)


def _by_log(worths: Worths, key: Key, rel: float) -> float:
    """rel · e^(−λ·age) on the logarithmic scale of all uses, and what is fresh beside it."""
    fitted, clock, uses = worths.fitted, worths.catalog.clock, worths.catalog.uses_of(key)
    recency = sum(weight / (1.0 + (clock - when) / fitted.span) for when, weight in uses)
    fresh = fitted.fresh * math.exp((uses[-1][0] - clock) / worths.fresh_span)
    steep = recency > 1.0 and fitted.decay * math.log(recency) > MOST
    return float(rel * (math.exp(MOST) if steep else recency**fitted.decay) + fresh)


AGEING: dict[str, Callable[[Worths, Key, float], float]] = {"log": _by_log, "steps": _by_steps}
