"""Parts that raise: told by their names, and the others go on."""

import sys
from collections.abc import Sequence
from typing import Any

import pytest

from loom_bench.drive import driven
from loom_bench.errors import BadBench
from loom_bench.judge import MetricColumn
from loom_bench.judges import JUDGES
from loom_bench.moment import BenchMoment, BenchRuling
from loom_bench.running import columns_by
from loom_bench.session import PressureSession, Wire
from loom_bench.strategies import STRATEGIES
from tests.kit.cases import all_cases


class OddJudge:
    """Rules as it was told."""

    columns = (MetricColumn("odd", "odd_held", "odd", scored=True),)

    def __init__(self, ruled: Any) -> None:
        self._ruled = ruled

    def open(self, session: PressureSession) -> Any:
        """What rules on every request."""
        return self._ruled


def leave(moment: BenchMoment) -> BenchRuling:
    """End the process, or so it thinks."""
    sys.exit(3)


def many(moment: BenchMoment) -> BenchRuling:
    """A fault for each of nine things."""
    return BenchRuling(faults=["odd: one"] * 9)


@all_cases(
    "ruled",
    [leave, lambda moment: 1 / 0, lambda moment: 7, lambda moment: BenchRuling({"odd": 0.5})],
)
def test_a_judge_that_raises_ends_itself_alone(owing: PressureSession, ruled: Any) -> None:
    """It is named, nothing of it counts, and the other judge finds what it finds alone."""
    tail, facts = STRATEGIES.get("tail"), JUDGES.get("facts")
    found = driven(owing, tail, 8_192, [OddJudge(ruled), facts], ["odd", "facts"])
    alone = driven(owing, tail, 8_192, [facts])
    assert found.broken["odd"].startswith("message 2: ") and not found.failed
    del found.sums["cpu_us"], alone.sums["cpu_us"]
    assert found.sums == alone.sums and found.sums["facts"] > 0


def test_a_strategy_that_exits_has_failed(owing: PressureSession) -> None:
    """At its start, at a request, and while it is closed."""

    class Leaving:
        """Exits when it is closed."""

        def request(self, messages: Sequence[Wire]) -> Sequence[Wire]:
            """The newest message."""
            return messages[-1:]

        def close(self) -> None:
            """Exit."""
            sys.exit("bye")

    def at_once(budget: Any) -> Any:
        sys.exit("no")

    for strategy in (at_once, lambda budget: at_once, lambda budget: Leaving()):
        found = driven(owing, strategy, 8_192, [JUDGES.get("lawful")])
        assert "SystemExit" in found.failed and found.sums["requests"] > 10


def test_what_is_no_judge_is_refused_before_anything_runs() -> None:
    """No columns, odd ones, no `open`, a column that another has."""
    fine = OddJudge(many)
    assert [*columns_by({"a": fine})] == ["a"]

    class NoOpen:
        """A judge without a way to begin."""

        columns = ()

    class OddColumns(OddJudge):
        """A judge whose columns are texts."""

        columns = ("kept",)

    for judges, why in (
        ({"a": object()}, "a: it has no columns"),
        ({"a": OddColumns(many)}, "a column is a MetricColumn"),
        ({"a": NoOpen()}, "no method `open`"),
        ({"a": fine, "b": fine}, "b: judge a has a odd too"),
    ):
        with pytest.raises(BadBench, match=why):
            columns_by(judges)
