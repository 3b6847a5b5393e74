"""A harness of context pressure: scenarios, strategies, judges, reports. No model is needed.

What it takes to write a scenario, a strategy or a judge of your own, and to run them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from loom_bench.asked import plan_of
    from loom_bench.drive import DrivenSession, driven
    from loom_bench.errors import BadBench
    from loom_bench.judge import HIGH, LOW, DrivenFault, Judge, MetricColumn
    from loom_bench.judges import JUDGES
    from loom_bench.moment import BenchMoment, BenchRuling
    from loom_bench.report import BenchReport, BenchRow
    from loom_bench.report.compare import compared
    from loom_bench.report.rows import BenchJob, BenchPlan
    from loom_bench.running import run
    from loom_bench.scenarios import SCENARIOS, Scenario, session_of
    from loom_bench.script import SessionScript
    from loom_bench.session import (
        HELD_OUT,
        PUBLIC,
        ChangingValue,
        CommandFailure,
        FactDue,
        PlantedInstruction,
        PressureSession,
        StandingRule,
        TruthAsked,
    )
    from loom_bench.strategies import STRATEGIES
    from loom_bench.strategy import KeptWindow, Strategy, WindowBudget
    from loom_bench.wires import ShownLine

# Module → its public names: each is imported when it is first used.
NAMES: dict[str, tuple[str, ...]] = {
    "loom_bench.asked": ("plan_of",),
    "loom_bench.drive": ("DrivenSession", "driven"),
    "loom_bench.errors": ("BadBench",),
    "loom_bench.judge": ("HIGH", "LOW", "DrivenFault", "Judge", "MetricColumn"),
    "loom_bench.judges": ("JUDGES",),
    "loom_bench.moment": ("BenchMoment", "BenchRuling"),
    "loom_bench.report.rows": ("BenchJob", "BenchPlan"),
    "loom_bench.report": ("BenchReport", "BenchRow"),
    "loom_bench.report.compare": ("compared",),
    "loom_bench.running": ("run",),
    "loom_bench.scenarios": ("SCENARIOS", "Scenario", "session_of"),
    "loom_bench.script": ("SessionScript",),
    "loom_bench.session": (
        "HELD_OUT", "PUBLIC", "ChangingValue", "CommandFailure", "FactDue", "PlantedInstruction",
        "PressureSession", "StandingRule", "TruthAsked",
    ),
    "loom_bench.strategies": ("STRATEGIES",),
    "loom_bench.strategy": ("KeptWindow", "Strategy", "WindowBudget"),
    "loom_bench.wires": ("ShownLine",),
}  # fmt: skip
MODULES = {name: module for module, names in NAMES.items() for name in names}

__all__ = [
    "HELD_OUT", "HIGH", "JUDGES", "LOW", "PUBLIC", "SCENARIOS", "STRATEGIES", "BadBench",
    "BenchJob", "BenchMoment", "BenchPlan", "BenchReport", "BenchRow", "BenchRuling",
    "ChangingValue", "CommandFailure", "DrivenFault", "DrivenSession", "FactDue", "Judge",
    "KeptWindow", "MetricColumn", "PlantedInstruction", "PressureSession", "Scenario",
    "SessionScript", "ShownLine", "StandingRule", "Strategy", "TruthAsked", "WindowBudget",
    "compared", "driven", "plan_of", "run", "session_of",
]  # fmt: skip

if not TYPE_CHECKING:  # a checker must not take every name for one that is there

    def __getattr__(name: str) -> object:
        """A name is imported when it is first used."""
        if name not in MODULES:
            raise AttributeError(f"module 'loom_bench' has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(MODULES[name]), name)
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *MODULES})
