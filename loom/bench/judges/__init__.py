"""The judges of the kit: what a request must hold, must not say, and costs."""

from __future__ import annotations

from collections.abc import Mapping

from loom.bench.judge import Judge
from loom.bench.judges.cost import CostJudge
from loom.bench.judges.facts import FactsJudge
from loom.bench.judges.lawful import LawfulJudge
from loom.bench.named import NamedParts

__all__ = ["JUDGES"]

BUILT: Mapping[str, Judge] = {"lawful": LawfulJudge(), "facts": FactsJudge(), "cost": CostJudge()}
JUDGES = NamedParts("judge", lambda: BUILT)
