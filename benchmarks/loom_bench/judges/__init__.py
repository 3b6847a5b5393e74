"""The judges of the kit: what a request must hold, must not say, and costs."""

from __future__ import annotations

from collections.abc import Mapping

from loom_bench.judge import Judge
from loom_bench.judges.facts import AnswersJudge, CostJudge, FactsJudge, LawfulJudge
from loom_bench.judges.failures import FailuresJudge
from loom_bench.judges.forged import ForgedJudge
from loom_bench.judges.rules import OrdersJudge, RulesJudge
from loom_bench.judges.truth import TruthJudge
from loom_bench.judges.values import ValuesJudge
from loom_bench.named import NamedParts

__all__ = ["JUDGES"]

BUILT: Mapping[str, Judge] = {
    "lawful": LawfulJudge(),
    "facts": FactsJudge(),
    "rules": RulesJudge(),
    "values": ValuesJudge(),
    "failures": FailuresJudge(),
    "orders": OrdersJudge(),
    "answers": AnswersJudge(),
    "forged": ForgedJudge(),
    "truth": TruthJudge(),
    "cost": CostJudge(),
}
# It looks at every line of every request after a cut: four times what all others take together.
JUDGES = NamedParts("judge", lambda: BUILT, rare=("truth",))
