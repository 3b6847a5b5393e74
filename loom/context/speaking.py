"""What agents of one workspace tell each other: an event bus at the root of them all."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from threading import RLock

from loom.capabilities.agents import BusEvent, EventBus, Interrupts, Missed, Subscription, interrupt
from loom.capabilities.agents.place import Home, address_of, root_of, store_of
from loom.engine import Engine
from loom.engine.atomic import Atomic
from loom.errors import LoomError
from loom.text import one_line
from loom_paging import PagingError

KIND = "interrupt"
MISSED = "interrupts may have been missed: events were trimmed before this agent looked"


class Speaking:
    """What a Context offers to speak with the agents above, below and beside it."""

    _engine: Engine
    _lock: RLock
    _atomic: Atomic
    _home: Home
    _bus: EventBus | None = None
    _interrupts: Interrupts | None = None
    signal: Callable[..., None]

    @property
    def address(self) -> str:
        """This agent's name on the bus: the names from the root down, "main" for the root."""
        return address_of(self._home)

    @property
    def bus(self) -> EventBus:
        """The bus all agents of the workspace share, across threads, processes and machines."""
        with self._lock, self._atomic:
            if self._bus is None:
                root = root_of(self._home)
                self._bus = EventBus(
                    store_of(root, self._engine.workspace.store),
                    self.address,
                    redact=self._engine.redactor.patterns,
                )
            return self._bus

    def emit(self, topic: str, body: object = None, *, to: str = "") -> BusEvent:
        """Tell all the other agents, or the one of that address; durable when this returns."""
        return self.bus.emit(topic, body, to=to)

    def subscribe(
        self, topic: str, call: Callable[[BusEvent], object], *, cursor: int | None = None
    ) -> Subscription:
        """Hear of a topic from now on, or after a cursor; what others emit comes at each turn."""
        return self.bus.subscribe(topic, call, cursor=cursor)

    def interrupt(self, name: str = "", why: str = "") -> BusEvent:
        """Ask a child, or without a name the one this agent works for, to stop and look.

        It stands on the other's event surface from its next turn on, as critical.
        """
        here = self.address
        to = _below(here, name) if name else here.rpartition("/")[0] or "main"
        if to == here:
            raise LoomError("interrupt: nobody stands above the first agent: name a child")
        return interrupt(self.bus, to, why)

    def _announce(self, topic: str, body: object) -> None:
        """Tell of what is recorded elsewhere too: a bus that cannot be written stops nothing."""
        with suppress(LoomError, PagingError, OSError):
            self.bus.emit(topic, body)

    def _listen(self) -> None:
        """Look for what other agents said, where there are any."""
        window = self._engine.window
        if self._bus is None and not (window.working.depth or self._engine.workspace.index.spawned):
            return
        with suppress(PagingError, OSError):  # a bus out of reach is silent
            if self._interrupts is None:
                self._interrupts = Interrupts(self.bus, self._heard_to())
            self._look_for_interrupts(self._interrupts)
            self.bus.pump()

    def _look_for_interrupts(self, interrupts: Interrupts) -> None:
        while True:
            try:
                event = interrupts.next()
            except Missed as missed:
                told = f"{KIND}-{missed.first}"
                self.signal(told, MISSED, kind=KIND, urgency="high")
                continue
            if event is None:
                return
            body = event.body if isinstance(event.body, dict) else {}
            why = one_line(f"{event.source} asks to stop: {body.get('why') or 'no reason'}", 180)
            self.signal(f"{KIND}-{event.number}", why, kind=KIND, urgency="critical")

    def _heard_to(self) -> int:
        """The number of the newest interrupt that was ever projected here."""
        ids = (id for surface, id in self._engine.workspace.index.items if surface == "events")
        numbers = (id.removeprefix(f"{KIND}-") for id in ids if id.startswith(f"{KIND}-"))
        return max((int(number) for number in numbers if number.isdecimal()), default=0)


def _below(here: str, name: str) -> str:
    return name if here == "main" else f"{here}/{name}"
