"""The scenarios of the kit: a function each, which writes a session with a `SessionScript`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from loom.bench.named import MARK, NamedParts
from loom.bench.scenarios.chatter import chatter
from loom.bench.scenarios.coding import coding
from loom.bench.scenarios.constraints import constraints
from loom.bench.scenarios.contradiction import contradiction
from loom.bench.scenarios.failures import failures
from loom.bench.scenarios.flood import flood
from loom.bench.scenarios.handover import handover
from loom.bench.scenarios.haul import haul
from loom.bench.scenarios.injection import injection
from loom.bench.scenarios.languages import languages
from loom.bench.scenarios.needle import needle
from loom.bench.scenarios.parallel import parallel
from loom.bench.scenarios.pictures import pictures
from loom.bench.scenarios.superseded import superseded
from loom.bench.script import SessionScript
from loom.bench.session import PressureSession

__all__ = ["SCENARIOS", "Scenario", "session_of"]

Scenario = Callable[[SessionScript], None]

# Those with few and small requests first: what is interrupted early has whole scenarios.
BUILT: Mapping[str, Scenario] = {
    "handover": handover,
    "languages": languages,
    "injection": injection,
    "superseded": superseded,
    "flood": flood,
    "parallel": parallel,
    "constraints": constraints,
    "failures": failures,
    "contradiction": contradiction,
    "pictures": pictures,
    "needle": needle,
    "coding": coding,
    "haul": haul,
    "chatter": chatter,
}
SCENARIOS = NamedParts("scenario", lambda: BUILT)


def session_of(scenario: str, seed: int, half: str) -> PressureSession:
    """The session of a scenario by its name. Raises BadBench for a name of none.

    Where the file of a scenario lies says nothing about its sessions: they are the same elsewhere.
    """
    write: Scenario = SCENARIOS.get(scenario)
    script = SessionScript(scenario.rpartition(MARK)[2], seed, half)
    write(script)
    return script.session()
