"""What agents of one workspace tell each other: each agent's view of the event bus at their root.

Loom itself announces two things: an agent was spawned, an agent has a result. All agents get the
event with the agent's name, its address, its status. The goal and the result rest on a page in the
agent's own folder, and the bus shows them to that agent and to its parent; so no agent's goal or
result lies with another agent, nor on the bus itself. A result that was not announced, as its agent
was killed, is announced by whoever finds it: the agent when it is opened again, or the parent when
it joins. A mark beside the page says that it was announced."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from loom.capabilities.agents import result as agent_results
from loom.capabilities.agents.place import (
    Home,
    address_of,
    folder_of,
    name_of,
    parent_home,
    root_home,
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
    """Connects one agent to the event bus: delivers events to subscribers, passes interrupts on to
    the model, and announces spawned agents and results. `home` is the agent's folder or store;
    `signal(id, summary, urgency)` shows an event to the model."""

    def __init__(self, engine: Engine, home: Home, signal: Callable[[str, str, str], None]) -> None:
        self._engine, self._home, self._signal = engine, home, signal
        self._bus: EventBus | None = None
        self._cursor = -1  # through which interrupts were told; -1: not listening yet

    @property
    def bus(self) -> EventBus:
        """Return this agent's event bus. It is made on first use."""
        from loom.capabilities.agents.bus import EventBus

        engine = self._engine
        with engine.lock, engine.atomic:
            if self._bus is None:
                store = store_of(root_home(self._home), engine.workspace.store)
                address = address_of(self._home)
                self._bus = EventBus(store, address, redact=engine.redactor.patterns)
            return self._bus

    def spawned(self, child: Home, goal: str) -> None:
        """Announce that the child whose folder or store is `child` was spawned with `goal`."""
        self._announce("agent.spawn", child, "", {"goal": goal})

    def announce_result_of(self, home: Home, result: AgentResult) -> None:
        """Announce the result of the agent whose folder or store is `home`."""
        private = {"result": result.summary, "artefacts": [one.name for one in result.artefacts]}
        private |= {"error": result.error} if result.error else {}
        self._announce("agent.result", home, result.status, private)

    def _announce(self, topic: str, home: Home, status: str, private: dict[str, Any]) -> None:
        """Send one of Loom's own events about the agent at `home`, unless already sent. Errors of
        the bus are ignored, because the journal holds the same facts."""
        address, folder = address_of(home), folder_of(home)
        parent = address_of(parent_home(home)) if folder else ""
        body = {"agent": name_of(home), "child_id": address}
        body |= {"parent_id": parent, "status": status} if status else {}
        source, readers = address if status else parent, (parent, address)[not parent :]
        with suppress(LoomError, PagingError, OSError):
            self.bus.announce(topic, source, folder, readers, body, private)

    def announce_own_result(self) -> None:
        """Announce the stored result of this agent, if this agent is a child with a result."""
        # an earlier process may have been killed between storing and announcing it
        if self._engine.window.working.depth:
            with suppress(PagingError, OSError):
                found, _ = agent_results.read_result(
                    self._engine.workspace.store, name_of(self._home)
                )
                if found is not None:
                    self.announce_result_of(self._home, found)

    def listen(self) -> None:
        """Deliver new events of other agents, and show interrupts to the model. Does nothing for an
        agent without parent, children and subscribers."""
        window, index = self._engine.window, self._engine.workspace.index
        if self._bus is None and not (window.working.depth or index.spawned):
            return
        with suppress(PagingError, OSError):  # a bus out of reach is silent
            if self._cursor < 0:
                known = [id for surface, id in index.items if surface == "events"]
                told = [id[len(KIND) + 1 :] for id in known if id.startswith(f"{KIND}-")]
                self._cursor = max((int(one) for one in told if one.isdecimal()), default=0)
            self.bus.pump()
            through = self.bus.cursor  # which stays behind while a subscriber runs elsewhere
            for event in self.bus.since(self._cursor, topics=(INTERRUPT,)):
                if event.source != self.bus.agent:
                    why = event.body.get("why") if isinstance(event.body, dict) else ""
                    said = one_line(f"{event.source} asks to stop: {why or 'no reason'}", 180)
                    self._signal(f"{KIND}-{event.number}", said, "critical")
                self._cursor = event.number
            self._cursor = max(self._cursor, through)
