"""Interrupts: a parent stops its child, or a child its parent, by an event addressed to it.

An interrupt is asked for, never forced: the one addressed looks when it can stop, once a turn.
"""

from __future__ import annotations

from loom.capabilities.agents.bus import EventBus
from loom.capabilities.agents.event import BusEvent
from loom.capabilities.agents.log import Missed

INTERRUPT = "agent.interrupt"


class Interrupts:
    """The interrupts other agents send to the one of `bus`, after `cursor`: each comes once.

    What was read is not read again: a look costs what is new. `cursor` is where the next begins.
    """

    def __init__(self, bus: EventBus, cursor: int = 0) -> None:
        self.cursor = cursor
        self._bus = bus

    def next(self) -> BusEvent | None:
        """The next interrupt; None when there is none yet.

        Raises Missed, once, when events were trimmed before this looked: an interrupt may have
        been among them, and the agent must decide. The look after it goes on behind them.
        """
        while True:
            try:
                found, self.cursor = self._bus.read(self.cursor, topics=(INTERRUPT,), limit=1)
            except Missed as missed:
                self.cursor = missed.first - 1
                raise
            if not found or found[0].source != self._bus.agent:
                return found[0] if found else None


def interrupt(bus: EventBus, to: str, why: str) -> BusEvent:
    """Ask the agent `to` ("" for all the others) to stop; the body is {"why": why}."""
    return bus.emit(INTERRUPT, {"why": why}, to=to)
