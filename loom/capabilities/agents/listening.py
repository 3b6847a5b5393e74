"""What agents of one workspace tell each other: an event bus at the root of them all.

Loom itself announces two things: an agent was spawned, an agent has a result. Everybody hears that
it happened: the agent's name, its address, its status. The goal and the result rest on a page in
the agent's own folder, and the bus shows them to that agent and to the one it works for; so no
agent's goal or result lies with another, nor on the bus itself. Whoever finds a result that nobody
told of tells it: the agent when it is opened again, the one above when it joins. A mark beside the
page says that it was told.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from loom.capabilities.agents import result as agent_results
from loom.capabilities.agents.place import (
    Home,
    address_of,
    folder_of,
    name_of,
    parent_home,
    root_of,
    store_of,
)
from loom.errors import LoomError
from loom.session import Engine
from loom.text import one_line
from loom_paging import PagingError

if TYPE_CHECKING:
    from loom.capabilities.agents.bus import EventBus
    from loom.capabilities.agents.result import AgentResult

KIND = "interrupt"
INTERRUPT = "agent.interrupt"  # asked for, never forced: the one addressed looks once a turn


class Listener:
    """The bus as one agent has it: it hears of interrupts, and of what it has subscribed to.

    `signal` tells of an event: (id, summary, urgency).
    """

    def __init__(self, engine: Engine, home: Home, signal: Callable[[str, str, str], None]) -> None:
        self._engine = engine
        self._home = home
        self._signal = signal
        self._bus: EventBus | None = None
        self._cursor = -1  # of interrupts that were looked for; none yet

    @property
    def address(self) -> str:
        """The agent's name on the bus: the names from the root down, "main" for the root."""
        return address_of(self._home)

    @property
    def bus(self) -> EventBus:
        """The bus, made when it is first asked for."""
        from loom.capabilities.agents.bus import EventBus

        with self._engine.lock, self._engine.atomic:
            if self._bus is None:
                root = root_of(self._home)
                self._bus = EventBus(
                    store_of(root, self._engine.workspace.store),
                    self.address,
                    redact=self._engine.redactor.patterns,
                )
            return self._bus

    def spawned(self, child: Home, goal: str) -> None:
        """Tell that an agent was spawned: `child_id` and `goal`, nothing of its parent's."""
        here, address = self.address, address_of(child)
        body = {"agent": name_of(child), "child_id": address}
        self._announce("agent.spawn", here, child, (here, address), body, {"goal": goal})

    def resulted(self, home: Home, found: AgentResult) -> None:
        """Tell of the result of the agent at a place: `parent_id`, `result`, its status."""
        address = address_of(home)
        parent = address_of(parent_home(home)) if folder_of(home) else ""
        body = {
            "agent": found.agent,
            "child_id": address,
            "parent_id": parent,
            "status": found.status,
        }
        names = [one.name for one in found.artefacts]
        private: dict[str, Any] = {"result": found.summary, "artefacts": names}
        private |= {"error": found.error} if found.error else {}
        readers = (parent, address) if parent else (address,)
        self._announce("agent.result", address, home, readers, body, private)

    def _announce(
        self,
        topic: str,
        source: str,
        home: Home,
        readers: tuple[str, ...],
        body: Mapping[str, Any],
        private: Mapping[str, Any],
    ) -> None:
        """Tell of what is recorded elsewhere too: a bus that cannot be written stops nothing."""
        with suppress(LoomError, PagingError, OSError):
            self.bus.announce(topic, source, folder_of(home), readers, body, private)

    def announce_result(self) -> None:
        """Tell of this agent's own result, where it was killed before it did."""
        if self._engine.window.working.depth:
            with suppress(PagingError, OSError):
                found, _ = agent_results.read(self._engine.workspace.store, name_of(self._home))
                if found is not None:
                    self.resulted(self._home, found)

    def listen(self) -> None:
        """Look for what other agents said, where there are any."""
        window = self._engine.window
        if self._bus is None and not (window.working.depth or self._engine.workspace.index.spawned):
            return
        with suppress(PagingError, OSError):  # a bus out of reach is silent
            if self._cursor < 0:
                self._cursor = self._heard_to()
            found, self._cursor = self.bus.read(self._cursor, topics=(INTERRUPT,))
            for event in found:
                if event.source != self.bus.agent:
                    body = event.body if isinstance(event.body, dict) else {}
                    why = f"{event.source} asks to stop: {body.get('why') or 'no reason'}"
                    self._signal(f"{KIND}-{event.number}", one_line(why, 180), "critical")
            self.bus.pump()

    def _heard_to(self) -> int:
        """The number of the newest interrupt that was ever projected here."""
        ids = (id for surface, id in self._engine.workspace.index.items if surface == "events")
        numbers = (id.removeprefix(f"{KIND}-") for id in ids if id.startswith(f"{KIND}-"))
        return max((int(number) for number in numbers if number.isdecimal()), default=0)
