"""Whether a provider would take each request: its order, its pairs, its size."""

from __future__ import annotations

from loom_bench.judge import LOW, MetricColumn, Ruled
from loom_bench.moment import BenchMoment, BenchRuling
from loom_bench.session import PressureSession


class LawfulJudge:
    """Counts requests, and those a provider would refuse.

    It counts in no score: whoever keeps nothing sends lawful requests, and a refused one shows the
    model nothing, which the scored columns tell.
    """

    columns = (
        MetricColumn(
            "refused", "refused", "requests", LOW,
            about="requests that a provider would refuse: too large, a call without its result, "
            "none at all because the strategy failed",
        ),
    )  # fmt: skip

    def open(self, session: PressureSession) -> Ruled:
        """What rules on the requests of one session."""
        return _ruled


def _ruled(moment: BenchMoment) -> BenchRuling:
    ruling = BenchRuling()
    ruling.sums["requests"] += 1
    if moment.refused:
        ruling.sums["refused"] += 1
        ruling.faults.append("refused: " + "; ".join(moment.refused))
    return ruling
