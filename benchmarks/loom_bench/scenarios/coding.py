"""A simulated session of a coding agent, and questions about everything that happened in it."""

from __future__ import annotations

from loom_bench.obligations import TruthAsked
from loom_bench.script import SessionScript
from loom_bench.session import HELD_OUT
from loom_bench.simulated.world import world
from loom_bench.wires import wires_of


def coding(script: SessionScript) -> None:
    """Edits, runs of tests, rules, decisions and tasks, strewn over a long session."""
    simulated = world(script.seed, held_out=script.half == HELD_OUT)
    script.take(wires_of(simulated.events))
    for at in simulated.moments:
        script.owes(TruthAsked(at, simulated.truths[at - 1]))
