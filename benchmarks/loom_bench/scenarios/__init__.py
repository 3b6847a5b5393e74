"""The scenarios of the kit: a function each, which writes a session with a `SessionScript`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from loom_bench.named import MARK, NamedParts
from loom_bench.scenarios.changing import handover, superseded
from loom_bench.scenarios.facts import coding, flood, haul, languages, needle, parallel
from loom_bench.scenarios.stories import constraints, contradiction, injection
from loom_bench.scenarios.told import chatter, failures, pictures
from loom_bench.script import SessionScript
from loom_bench.session import PressureSession

__all__ = ["SCENARIOS", "Scenario", "session_of"]

Scenario = Callable[[SessionScript], None]

# Those with few and small requests first: what is interrupted early has whole scenarios.
BUILT: Mapping[str, Scenario] = {
    write.__name__: write
    for write in (
        handover, languages, injection, superseded, flood, parallel, constraints, failures,
        contradiction, pictures, needle, coding, haul, chatter,
    )
}  # fmt: skip
SCENARIOS = NamedParts("scenario", lambda: BUILT)


def session_of(scenario: str, seed: int, half: str) -> PressureSession:
    """The session of a scenario by its name. Raises BadBench for a name of none.

    Where the file of a scenario lies says nothing about its sessions: they are the same elsewhere.
    """
    write: Scenario = SCENARIOS.get(scenario)
    script = SessionScript(scenario.rpartition(MARK)[2], seed, half)
    write(script)
    return script.session()
