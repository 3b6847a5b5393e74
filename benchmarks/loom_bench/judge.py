"""A judge holds each request of a session against what the session owes.

It is opened once for a session and then asked about every request. What it counts is added up by
name; its columns say which of these sums a report shows, and how.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from msgspec import Struct

from loom_bench.moment import BenchMoment, BenchRuling
from loom_bench.session import PressureSession

HIGH, LOW = "high", "low"
Ruled = Callable[[BenchMoment], BenchRuling | None]


class MetricColumn(Struct, frozen=True):
    """A figure of a report: the sum `part`, divided by the sum `whole` where there is one.

    `better` is HIGH, LOW, or "" for a figure that is neither. A `scored` one is a share, and counts
    in the score by which strategies are ranked. `unit` is `%`, `ms`, `tokens` or "". `bars`: a
    strategy with any of it ranks behind all that have none, whatever its score.
    """

    name: str
    part: str
    whole: str = ""
    better: str = HIGH
    unit: str = "%"
    scored: bool = False
    about: str = ""
    bars: bool = False


class Judge(Protocol):
    """One judge. `columns` are what a report shows of it."""

    @property
    def columns(self) -> Sequence[MetricColumn]:
        """The figures."""

    def open(self, session: PressureSession) -> Ruled | None:
        """What rules on the requests of one session, in their order; None for nothing to say.

        What it returns may say nothing about a request too.
        """
