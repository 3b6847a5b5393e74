"""Timings of a long life in memory that does not grow with its length: histograms, not lists."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from math import exp, log, log2

FIFTHS = 5
KINDS = ("plain", "cut", "renewal")
GRAIN = 0.01  # the ratio between two sizes a histogram tells apart, less 1
LEAST = 1e-6  # smaller values count as this
FEW = 5  # plain turns a point of the curve needs
ENOUGH = 100  # values of which one in a hundred can be told: fewer have no quantiles
JUDGED = 500  # plain turns, of the first fifth and the last, whose medians may be compared


class Histogram:
    """How often each size of a value above 0 came; a quantile is within GRAIN of the true one."""

    def __init__(self) -> None:
        self.count = 0
        self.total = 0.0
        self._sizes: Counter[int] = Counter()

    def add(self, value: float) -> None:
        """Count one value."""
        self.count += 1
        self.total += value
        self._sizes[round(log(max(value, LEAST)) / GRAIN)] += 1

    def quantile(self, share: float) -> float:
        """The value a share (0 to 1) of all lies below, the largest for 1; 0 without values."""
        rank = min(int(share * self.count), self.count - 1)
        for size in sorted(self._sizes):
            rank -= self._sizes[size]
            if rank < 0:
                return exp(size * GRAIN)
        return 0.0

    @property
    def largest(self) -> float:
        """The largest value, 0 without values."""
        return self.quantile(1.0)

    @property
    def mean(self) -> float:
        """The mean, 0 without values."""
        return self.total / max(self.count, 1)

    @property
    def buckets(self) -> int:
        """Different sizes seen: what it holds in memory."""
        return len(self._sizes)

    @classmethod
    def merged(cls, parts: Iterable[Histogram]) -> Histogram:
        """One histogram of all values of several."""
        made = cls()
        for part in parts:
            made.count += part.count
            made.total += part.total
            made._sizes += part._sizes
        return made


class TurnCosts:
    """The turns of one keeper in a life of so many steps: milliseconds by kind and by fifth."""

    def __init__(self, steps: int) -> None:
        self._steps = steps
        self.fifths = [{kind: Histogram() for kind in KINDS} for _ in range(FIFTHS)]
        self.wall = [0.0] * FIFTHS
        self._curve: dict[int, Histogram] = {}

    def add(self, number: int, kind: str, cpu: float, wall: float) -> None:
        """Take in turn `number`, from 0: milliseconds of thread CPU and of wall time."""
        at = number * FIFTHS // self._steps
        self.fifths[at][kind].add(cpu)
        self.wall[at] += wall
        if kind == "plain":
            self._curve.setdefault(int(2 * log2(number + 1)), Histogram()).add(cpu)

    def all(self) -> Histogram:
        """Every turn."""
        return Histogram.merged(one for fifth in self.fifths for one in fifth.values())

    def cpu(self, at: int) -> float:
        """Milliseconds of CPU of all turns of a fifth."""
        return sum(one.total for one in self.fifths[at].values())

    def growth(self) -> float:
        """The median plain turn of the last fifth over that of the first; 0 without either."""
        first, last = (self.fifths[at]["plain"].quantile(0.5) for at in (0, -1))
        return last / first if first else 0.0

    def compared(self) -> int:
        """The plain turns that growth is told from: those of the first fifth and of the last."""
        return self.fifths[0]["plain"].count + self.fifths[-1]["plain"].count

    def curve(self) -> list[tuple[float, float]]:
        """(steps, median milliseconds of a plain turn): two points for each doubling of steps."""
        return list(self._points())

    def _points(self) -> Iterator[tuple[float, float]]:
        for at, turns in sorted(self._curve.items()):
            if turns.count >= FEW:
                middle = min(2 ** ((at + 0.5) / 2), self._steps)
                yield round(middle, 1), round(turns.quantile(0.5), 4)
