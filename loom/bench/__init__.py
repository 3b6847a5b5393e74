"""A harness of context pressure: scenarios, strategies, judges, reports. No model is needed.

What it takes to write a scenario, a strategy or a judge of your own, and to run them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from loom.bench.asked import plan_of
    from loom.bench.drive import DrivenSession, driven
    from loom.bench.errors import BadBench
    from loom.bench.held import DrivenFault
    from loom.bench.judge import HIGH, LOW, Judge, MetricColumn
    from loom.bench.judges import JUDGES
    from loom.bench.moment import BenchMoment, BenchRuling
    from loom.bench.obligations import (
        ChangingValue,
        CommandFailure,
        FactDue,
        PlantedInstruction,
        StandingRule,
        TruthAsked,
    )
    from loom.bench.plan import BenchJob, BenchPlan
    from loom.bench.report import BenchReport, BenchRow
    from loom.bench.report.compare import compared
    from loom.bench.running import run
    from loom.bench.scenarios import SCENARIOS, Scenario, session_of
    from loom.bench.script import SessionScript
    from loom.bench.session import HELD_OUT, PUBLIC, PressureSession
    from loom.bench.strategies import STRATEGIES
    from loom.bench.strategy import KeptWindow, Strategy, WindowBudget
    from loom.bench.wires import ShownLine

# Module → its public names: each is imported when it is first used.
NAMES: dict[str, tuple[str, ...]] = {
    "loom.bench.asked": ("plan_of",),
    "loom.bench.drive": ("DrivenSession", "driven"),
    "loom.bench.errors": ("BadBench",),
    "loom.bench.held": ("DrivenFault",),
    "loom.bench.judge": ("HIGH", "LOW", "Judge", "MetricColumn"),
    "loom.bench.judges": ("JUDGES",),
    "loom.bench.moment": ("BenchMoment", "BenchRuling"),
    "loom.bench.obligations": (
        "ChangingValue",
        "CommandFailure",
        "FactDue",
        "PlantedInstruction",
        "StandingRule",
        "TruthAsked",
    ),
    "loom.bench.plan": ("BenchJob", "BenchPlan"),
    "loom.bench.report": ("BenchReport", "BenchRow"),
    "loom.bench.report.compare": ("compared",),
    "loom.bench.running": ("run",),
    "loom.bench.scenarios": ("SCENARIOS", "Scenario", "session_of"),
    "loom.bench.script": ("SessionScript",),
    "loom.bench.session": ("HELD_OUT", "PUBLIC", "PressureSession"),
    "loom.bench.strategies": ("STRATEGIES",),
    "loom.bench.strategy": ("KeptWindow", "Strategy", "WindowBudget"),
    "loom.bench.wires": ("ShownLine",),
}
MODULES = {name: module for module, names in NAMES.items() for name in names}

__all__ = [
    "HELD_OUT",
    "HIGH",
    "JUDGES",
    "LOW",
    "PUBLIC",
    "SCENARIOS",
    "STRATEGIES",
    "BadBench",
    "BenchJob",
    "BenchMoment",
    "BenchPlan",
    "BenchReport",
    "BenchRow",
    "BenchRuling",
    "ChangingValue",
    "CommandFailure",
    "DrivenFault",
    "DrivenSession",
    "FactDue",
    "Judge",
    "KeptWindow",
    "MetricColumn",
    "PlantedInstruction",
    "PressureSession",
    "Scenario",
    "SessionScript",
    "ShownLine",
    "StandingRule",
    "Strategy",
    "TruthAsked",
    "WindowBudget",
    "compared",
    "driven",
    "plan_of",
    "run",
    "session_of",
]

if not TYPE_CHECKING:  # a checker must not take every name for one that is there

    def __getattr__(name: str) -> object:
        """A name is imported when it is first used."""
        if name not in MODULES:
            raise AttributeError(f"module 'loom.bench' has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(MODULES[name]), name)
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *MODULES})
