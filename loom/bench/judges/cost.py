"""What requests cost: tokens, how much of them the provider's cache has, dollars, CPU time."""

from __future__ import annotations

from loom.bench.judge import HIGH, LOW, MetricColumn, Ruled
from loom.bench.moment import BenchMoment, BenchRuling
from loom.bench.session import PressureSession
from loom.bench.wires import WireReader
from loom.providers.prices import prices_of
from loom.replay.cost import Bill, Billing

MODEL = "claude-sonnet-4"  # whose prices are taken: a cache that costs extra to write
MICRO = 1_000_000


class CostJudge:
    """Bills each request as if nothing ever expired from the cache; a refused one is free."""

    columns = (
        MetricColumn(
            "tokens", "tokens", "requests", LOW, "tokens", about="tokens of a request, on average"
        ),
        MetricColumn(
            "cached", "reused", "tokens", HIGH,
            about="of these, what the request begins with as the one before did",
        ),
        MetricColumn(
            "cost", "micro_dollars", "requests", LOW, "$/M",
            about=f"dollars for the input of a million requests, at the prices of {MODEL}",
        ),
        MetricColumn(
            "cpu", "cpu_us", "requests", LOW, "us", about="CPU time of a request, microseconds"
        ),
    )  # fmt: skip

    def open(self, session: PressureSession) -> Ruled:
        """What rules on the requests of one session."""
        billing = Billing(WireReader().meter)
        prices = prices_of(MODEL)

        def ruled(moment: BenchMoment) -> BenchRuling | None:
            if moment.refused:
                return None
            before = Bill(reused=billing.bill.reused, sent=billing.bill.sent)
            billing.take(moment.messages)
            one = Bill(
                sent=billing.bill.sent - before.sent, reused=billing.bill.reused - before.reused
            )
            ruling = BenchRuling()
            ruling.sums["tokens"] += moment.tokens
            ruling.sums["reused"] += one.reused
            ruling.sums["micro_dollars"] += round(MICRO * one.cost(prices))
            ruling.sums["cuts"] += moment.cut
            return ruling

        return ruled
