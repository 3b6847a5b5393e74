"""What requests cost, how large they are, and which a provider would refuse."""

from __future__ import annotations

from collections.abc import Sequence

from loom.providers.prices import prices_of
from loom.replay.cost import front_share
from loom_bench.judge import HIGH, LOW, MetricColumn, Ruled
from loom_bench.moment import BenchMoment, BenchRuling
from loom_bench.session import PressureSession, Wire
from loom_bench.wires import ReadWire

MODEL = "claude-sonnet-4"  # a model whose cache costs extra to write
PRICES = prices_of(MODEL)  # dollars for a million tokens, so millionths of a dollar for one


class CostJudge:
    """Bills each request as if nothing ever expired from the cache; a refused one is not billed.

    What a model spends on asking is counted by the judges that ask, under the same names.
    """

    columns = (
        MetricColumn(
            "tokens", "tokens", "billed", LOW, "tokens",
            about="tokens of a request, its tools among them, on average",
        ),
        MetricColumn(
            "with asking", "tokens_with_asking", "billed", LOW, "tokens",
            about="the same and the requests that follow when the model asks for what it misses",
        ),
        MetricColumn(
            "cached", "reused", "tokens", HIGH,
            about="of the tokens, what the request begins with as the one before did",
        ),
        MetricColumn(
            "cost", "micro_dollars", "billed", LOW, "$/M",
            about=f"dollars for the input of a million requests and for asking, as {MODEL} costs",
        ),
        MetricColumn(
            "cpu", "cpu_us", "billed", LOW, "us", about="CPU time of a request, microseconds"
        ),
    )  # fmt: skip

    def open(self, session: PressureSession) -> Ruled:
        """What rules on the requests of one session."""
        return _CachedPrompt().rule


class _CachedPrompt:
    """The prompt that the provider has from the request before."""

    def __init__(self) -> None:
        self._tools: Sequence[Wire] = ()
        self._before: list[ReadWire] = []

    def rule(self, moment: BenchMoment) -> BenchRuling | None:
        """Bill one request."""
        if moment.refused:
            return None
        reused = self._reused(moment)
        ruling = BenchRuling()
        ruling.sums["billed"] += 1
        ruling.sums["tokens"] += moment.tokens
        ruling.sums["tokens_with_asking"] += moment.tokens
        ruling.sums["reused"] += reused
        ruling.sums["cuts"] += moment.cut
        dollars = PRICES.read * reused + PRICES.write * (moment.tokens - reused)
        ruling.sums["micro_dollars"] += round(dollars)
        self._tools, self._before = moment.tools, moment.read
        return ruling

    def _reused(self, moment: BenchMoment) -> int:
        """Tokens at the front of the prompt that the request before began with; tools lead."""
        if moment.tools != self._tools:
            return 0
        reused = moment.tool_tokens if self._before else 0
        for old, new in zip(self._before, moment.read, strict=False):
            if old is not new:
                return reused + int(front_share(old.message, new.message) * new.tokens)
            reused += new.tokens
        return reused


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
