"""The scenarios of the kit: a function each, which writes a session with a `SessionScript`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from loom.bench.named import NamedParts
from loom.bench.scenarios.coding import coding
from loom.bench.scenarios.flood import flood
from loom.bench.scenarios.handover import handover
from loom.bench.scenarios.haul import haul
from loom.bench.scenarios.languages import languages
from loom.bench.scenarios.needle import needle
from loom.bench.scenarios.parallel import parallel
from loom.bench.scenarios.superseded import superseded
from loom.bench.script import SessionScript
from loom.bench.session import PressureSession

__all__ = ["SCENARIOS", "Scenario", "session_of"]

Scenario = Callable[[SessionScript], None]

BUILT: Mapping[str, Scenario] = {
    "coding": coding,
    "flood": flood,
    "handover": handover,
    "haul": haul,
    "languages": languages,
    "needle": needle,
    "parallel": parallel,
    "superseded": superseded,
}
SCENARIOS = NamedParts("scenario", lambda: BUILT)


def session_of(scenario: str, seed: int, half: str) -> PressureSession:
    """The session of a scenario by its name. Raises BadBench for a name of none."""
    write: Scenario = SCENARIOS.get(scenario)
    script = SessionScript(scenario, seed, half)
    write(script)
    return script.session()
