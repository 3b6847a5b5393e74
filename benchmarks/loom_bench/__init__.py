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

# Where the public names are: each module is imported when one of its names is first used.
MODULES = (
    "judge", "session", "moment", "errors", "script", "wires", "strategy", "scenarios", "judges",
    "strategies", "report.rows", "asked", "drive", "running", "report.compare",
)  # fmt: skip

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
        for place in MODULES if name in __all__ else ():
            held = vars(import_module(f"loom_bench.{place}"))
            if name in held:
                globals()[name] = held[name]
                return held[name]
        raise AttributeError(f"module 'loom_bench' has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
