"""Interrupts: a parent stops its child, or a child its parent, by an event addressed to it.

An interrupt is asked for, never forced: the one addressed looks when it can stop, once a turn.
"""

from __future__ import annotations

from loom.agents.bus import EventBus
from loom.agents.event import Event

INTERRUPT = "agent.interrupt"


def interrupt(bus: EventBus, to: str, why: str) -> Event:
    """Ask the agent `to` ("" for all the others) to stop; the body is {"why": why}."""
    return bus.emit(INTERRUPT, {"why": why}, to=to)


def interrupted(bus: EventBus, cursor: int = 0) -> Event | None:
    """The first interrupt after `cursor` that another agent sent to this one; None without.

    Its `number` is the cursor to ask with again. Raises as `EventBus.since`: an agent that missed
    events may have missed an interrupt, and must decide.
    """
    found = bus.since(cursor, topics=(INTERRUPT,))
    return next((event for event in found if event.source != bus.agent), None)
