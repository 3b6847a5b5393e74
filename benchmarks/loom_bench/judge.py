"""A judge holds each request of a session against what the session owes; one at work.

It is opened once for a session and then asked about every request. What it counts is added up by
name; its columns say which of these sums a report shows, and how.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Protocol

from msgspec import Struct

from loom_bench.errors import RAISES, BadBench, said_of
from loom_bench.moment import SHOWN, BenchMoment, BenchRuling
from loom_bench.session import PressureSession

HIGH, LOW = "high", "low"
Ruled = Callable[[BenchMoment], BenchRuling | None]


class MetricColumn(Struct, frozen=True):
    """A figure of a report: the sum `part`, divided by the sum `whole` where there is one.

    `better` is HIGH, LOW, or "" for a figure that is neither. A `scored` one is a share, and counts
    in the score by which strategies are ranked. `unit` is `%`, `tokens`, `$/M`, `us`, `ms` or "".
    `bars`: a strategy with any of it ranks behind all that have none, whatever its score.
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


class BuiltJudge:
    """A judge of the kit: columns, and the function that opens it, whose docstring is its own."""

    def __init__(self, columns: Sequence[MetricColumn], open: Callable[..., Ruled | None]) -> None:
        self.columns = columns
        self.open = open
        self.__doc__, self.__name__ = open.__doc__, open.__name__


def judge(*columns: MetricColumn) -> Callable[[Callable[..., Ruled | None]], BuiltJudge]:
    """Make a judge of the function that opens it."""
    return lambda opens: BuiltJudge(columns, opens)


EACH = 4  # faults that are kept of one judge in one session
LARGEST = 2**53  # of a sum: what every reader of JSON takes
LAWFUL = "lawful"  # the judge whose faults are told first: they explain those of all others


class DrivenFault(Struct, frozen=True):
    """A fault in words, and the judge that told it ("" for the drive itself).

    `at` messages stood before the request.
    """

    judge: str
    at: int
    text: str

    def __str__(self) -> str:
        return f"message {self.at}: {self.text}"


class HeldSession:
    """One judge that follows one session. What it raises ends it, and nothing else."""

    def __init__(self, name: str, judge: Judge, session: PressureSession) -> None:
        self.name = name
        self.scored = any(column.scored for column in judge.columns)
        self.sums: Counter[str] = Counter()
        self.faults: list[DrivenFault] = []
        self.raised = ""
        self._rule: Ruled | None = None
        try:
            self._rule = judge.open(session)
        except RAISES as error:
            self._end(0, error)

    def look(self, moment: BenchMoment) -> None:
        """Have it rule on one request."""
        if self._rule is None:
            return
        try:
            ruling = self._rule(moment)
            if ruling is not None:
                self._take(moment.at, ruling)
        except RAISES as error:
            self._end(moment.at, error)

    def _take(self, at: int, ruling: BenchRuling) -> None:
        for name, count in ruling.sums.items():
            if not isinstance(name, str) or not isinstance(count, int) or abs(count) > LARGEST:
                raise TypeError(f"sums are whole numbers by name, not {name!r:.60}: {count!r:.60}")
        self.sums.update(ruling.sums)
        for text in ruling.faults[: EACH - len(self.faults)]:
            self.faults.append(DrivenFault(self.name, at, str(text)[:SHOWN]))

    def _end(self, at: int, error: BaseException) -> None:
        self.raised = f"message {at}: {said_of(error)}"
        self._rule = None


def told_faults(held: Sequence[HeldSession]) -> list[DrivenFault]:
    """The faults of all judges: of `lawful` first, then of those that count in the score."""
    order = sorted(held, key=lambda one: (one.name != LAWFUL, not one.scored))
    return [fault for one in order for fault in one.faults]


def name_of(part: object) -> str:
    """The name of a part that is given as it is: its own, else that of its class."""
    return str(getattr(part, "__name__", type(part).__name__))


def columns_of(name: str, judge: Judge) -> tuple[MetricColumn, ...]:
    """The columns of a judge. Raises BadBench for what is no judge."""
    try:
        columns = tuple(judge.columns)
    except RAISES as error:
        raise BadBench(f"judge {name}: it has no columns: {said_of(error)}") from error
    names = [getattr(column, "name", "") for column in columns]
    if len(set(names)) < len(names):
        raise BadBench(f"judge {name}: two of its columns have one name")
    for column in columns:
        if not isinstance(column, MetricColumn):
            raise BadBench(f"judge {name}: a column is a MetricColumn, not {column!r:.60}")
    if not callable(getattr(judge, "open", None)):
        raise BadBench(f"judge {name}: it has no method `open`")
    return columns
