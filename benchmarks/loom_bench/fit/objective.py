"""The objective of a fit, and how sure a gain of it is.

    objective = mean over judges and capacities of
        (resident ÷ needs − PRICE × mean request ÷ capacity)

The judges are those of the sources: `needs`, and where they are given `takeover` and `ask`. The
price is there so that nothing is bought by sending more: a request that is fuller by a fifth of
the capacity has to hold one more needle of a hundred.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import fmean

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from loom_bench.fit.replay import ReplaySums

PRICE = 0.05  # of a request as long as the capacity, in shares of the needles
DRAWS = 2_000
TAIL = 5.0  # percent on either side of the interval

Row = tuple[ReplaySums, ...]  # of one session, for each capacity
Floats = NDArray[np.float64]


def added(rows: Iterable[Row]) -> Row:
    """The sums of several sessions, for each capacity."""
    total: Row = ()
    for row in rows:
        total = tuple(a + b for a, b in zip(total, row, strict=True)) if total else row
    return total


def by_judge(rows: Iterable[Row]) -> dict[str, Row]:
    """The sums of the sources of each judge."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row[0].judge, []).append(row)
    return {judge: added(some) for judge, some in found.items()}


def share(sums: ReplaySums) -> float:
    """Of the needles, those that were resident."""
    return sums.resident / max(sums.needs, 1)


def mean_request(sums: ReplaySums) -> float:
    """Tokens of a request."""
    return sums.sent / max(sums.calls, 1)


def objective(rows: Iterable[Row], capacities: Sequence[int]) -> float:
    """The objective over sources; 0 when there are none."""
    return fmean(
        share(sums) - PRICE * mean_request(sums) / capacity
        for total in by_judge(rows).values() or [(ReplaySums(),) * len(capacities)]
        for sums, capacity in zip(total, capacities, strict=True)
    )


class Gain(Struct, frozen=True):
    """How much better the objective is, and the interval of that when sessions are drawn anew."""

    mean: float
    low: float
    high: float

    @property
    def sure(self) -> bool:
        """True when the gain is more than noise: the interval lies above 0."""
        return self.low > 0.0


def gain(before: Sequence[Row], after: Sequence[Row], capacities: Sequence[int], seed: int) -> Gain:
    """The gain over the same sessions in the same order, bootstrapped by session."""
    mean = objective(after, capacities) - objective(before, capacities)
    draw = np.random.default_rng(seed).integers(0, len(before), (DRAWS, len(before)))
    drawn = _objectives(after, capacities, draw) - _objectives(before, capacities, draw)
    low, high = np.percentile(drawn, (TAIL, 100.0 - TAIL))
    return Gain(mean, float(low), float(high))


def _objectives(rows: Sequence[Row], capacities: Sequence[int], draw: NDArray[np.int64]) -> Floats:
    """The objective of each draw of sources."""
    table: Floats = np.array(
        [[[s.resident, s.needs, s.sent, s.calls] for s in row] for row in rows], dtype=np.float64
    )
    judges = np.array([row[0].judge for row in rows])
    found = []
    for judge in dict.fromkeys(judges.tolist()):
        drawn = (table * (judges == judge)[:, None, None])[draw].sum(axis=1)
        resident, needs, sent, calls = np.moveaxis(drawn, 2, 0)
        price = PRICE * sent / np.maximum(calls, 1) / np.array(capacities, dtype=np.float64)
        found.append((resident / np.maximum(needs, 1) - price).mean(axis=1))
    means: Floats = np.mean(found, axis=0)
    return means
