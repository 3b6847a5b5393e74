"""The judges of the kit: what a request must hold, must not say, and costs."""

from __future__ import annotations

from collections.abc import Mapping

from loom_bench.judge import Judge
from loom_bench.judges.facts import answers, cost, facts, lawful
from loom_bench.judges.failures import failures
from loom_bench.judges.forged import forged
from loom_bench.judges.rules import orders, rules
from loom_bench.judges.truth import truth
from loom_bench.judges.values import values
from loom_bench.named import NamedParts

__all__ = ["JUDGES"]

BUILT: Mapping[str, Judge] = {
    one.__name__: one
    for one in (
        lawful, facts, rules, values, failures, orders, answers, forged, truth, cost,
    )
}  # fmt: skip
# It looks at every line of every request after a cut: four times what all others take together.
JUDGES = NamedParts("judge", lambda: BUILT, rare=("truth",))
