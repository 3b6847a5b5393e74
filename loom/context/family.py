"""Agents below this one: spawned with a goal and grants, joined once, isolated by construction.

Theory of operation
-------------------
Each agent has a window, a journal and a store of its own. Of a child the parent's journal holds
two records, Spawned and Joined; of its parent the child holds the goal and what it was granted.
What comes back is an agent result, put once into the child's store before the child records that it
gave it. The parent reads it there, and takes it in by one commit: the result and Joined together.

So every kill leaves one of these, and each has a way on. Spawned, never opened: `child` opens it.
Opened, no result: `child` opens it again, or `give_up` puts a result that says it is lost; should
the child deliver at the same time, the store lets one of the two be the first. A result, not
joined: `join` takes it in, which is a no-op when it was.

Nothing here waits on a process, a thread or a machine: what is told is told by stores.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import RLock, get_ident
from typing import Any

from msgspec import json

from loom.capabilities.agents import budget as budgets
from loom.capabilities.agents import result as agent_results
from loom.capabilities.agents.place import (
    BadName,
    Home,
    born,
    checked,
    copied,
    durable,
    fork_of,
    home_of,
    store_of,
)
from loom.capabilities.agents.result import AgentResult
from loom.capabilities.agents.spawn_order import KEPT, Grant, SpawnOrder, document, read
from loom.capabilities.agents.tool import spawn_request
from loom.context.joining import taken
from loom.engine import Engine
from loom.engine.atomic import Atomic
from loom.errors import LoomError
from loom.inputs import ToolCall
from loom.providers.schema import document as declaration
from loom.providers.schema import schemas_of
from loom.text import one_line
from loom_paging import Store
from loom_partitions import records as r
from loom_partitions.limits import Budget
from loom_partitions.message import Call

GOAL = 50  # characters of a goal as a line: the seed's
LOOK = 0.02  # seconds between two looks for a result
MOST = 200  # agents in flight


class NotDelivered(LoomError):
    """An agent that has no result yet."""

    def __init__(self, agent: str, state: str) -> None:
        self.agent = agent
        self.state = state
        super().__init__(f"{agent} has no result yet, it is {state}: wait, or give it up")


class Overdue(LoomError):
    """Agents whose results did not come in time; those that did were joined."""

    def __init__(self, agents: Sequence[str], seconds: float) -> None:
        self.agents = tuple(agents)
        super().__init__(f"no result of {', '.join(agents)} within {seconds:g} s")


class Family:
    """What a Context offers to work with agents below it, and to be one."""

    _engine: Engine
    _lock: RLock
    _atomic: Atomic
    _home: Home
    _opener: Callable[..., Any]
    _announce: Callable[[str, object], None]
    _spawning: dict[int, tuple[tuple[str, ...], str, SpawnOrder]]  # not returned yet, by thread

    def settle(self, home: Home, opener: Callable[..., Any]) -> None:
        """Tell where this agent lives, and what opens another: `loom.open`."""
        with self._lock:
            self._home, self._opener = home, opener

    def spawn(
        self,
        goal: str | Call | ToolCall,
        *,
        name: str = "",
        pages: Sequence[str] = (),
        tools: Sequence[Any] = (),
        budget: Budget | None = None,
        call: Call | ToolCall | str = "",
        **opening: Any,
    ) -> Any:
        """Open a child: a Context of its own, that knows the goal and the granted `pages` alone.

        A call of the tool `spawn` (`loom.capabilities.agents.tool`) in place of a goal says all
        three; `call` is the open call the result answers. Other arguments are those of `loom.open`,
        by default a window of this one's size. Raises TooDeep, BadName, MissingPage; nothing is
        recorded then. A call that failed after that, or was interrupted, opens the same child when
        made again.
        """
        if not isinstance(goal, str):
            asked, call = spawn_request(goal.arguments), goal
            goal, name, pages = asked.goal, name or asked.name, (*pages, *asked.pages)
        asked_for = (goal, name, *pages, call if isinstance(call, str) else call.id)
        with self._lock, self._atomic:
            before = self._spawning.get(get_ident())
            if before and before[0] == asked_for and self._wanted_still(before[1]):
                _, name, birth = before
            else:
                name, birth = self._spawned(goal, name, pages, tools, budget, call, opening)
                self._spawning[get_ident()] = asked_for, name, birth
        self._announce("agent.spawn", {"agent": name})
        child = self._opened(name, birth, opening)
        try:
            # In one line: an interrupt between the two would make a second child.
            return (child, self._spawning.pop(get_ident(), None))[0]
        except BaseException:
            child.close()
            raise

    def _wanted_still(self, name: str) -> bool:
        """Whether a child was recorded, and has no result: neither its own nor that it is lost."""
        known = name in self._engine.workspace.index.spawned
        return known and self._state(name) in ("unborn", "at work")

    def _spawned(
        self,
        goal: str,
        name: str,
        pages: Sequence[str],
        tools: Sequence[Any],
        budget: Budget | None,
        call: Call | ToolCall | str,
        opening: Mapping[str, Any],
    ) -> tuple[str, SpawnOrder]:
        """Record a child, and give its name and what it is born with."""
        window = self._engine.window
        given = budgets.narrowed(budget or window.config.budget or Budget(), window.config.budget)
        depth = window.working.depth + 1
        budgets.check_depth(depth, given.depth)
        name = self._new_name(name)
        for page in pages:
            self._engine.workspace.payload(page)
        schemas = [schema for tool in tools for schema in schemas_of(tool)]
        clean = self._engine.ingest.clean  # they stand on a page of this agent
        goal = clean(goal)
        birth = SpawnOrder(
            goal,
            given,
            depth,
            tuple(Grant(page) for page in pages),
            tuple(clean(declaration(schema)) for schema in schemas),
            {key: value for key, value in opening.items() if key in KEPT and value is not None},
        )
        page = self._engine.workspace.rest("spawn", ".json", document(birth))
        line = one_line(goal, GOAL)
        id = call if isinstance(call, str) else call.id
        self._engine.commit(r.Spawned(name, line, page, clean(id)))
        return name, birth

    def child(self, name: str, **opening: Any) -> Any:
        """Open a child again, as it was left; raises StoreLocked while another process has it.

        What no document can hold (`toolbox`, `on_cut`, …) is given anew. Raises LoomError for an
        agent that was not spawned or is joined.
        """
        with self._lock, self._atomic:
            record = self._in_flight(name)
            birth = read(self._engine.workspace.payload(record.page))
        return self._opened(name, birth, opening)

    def fork(self, name: str, **opening: Any) -> Any:
        """Open a copy of this agent as it stands: its requests begin with the same bytes, so the
        provider's cache serves both. It is nobody's child, and agents in flight stay with this one.

        Raises BadName, for one that is taken too.
        """
        with self._lock, self._atomic:
            name = self._engine.ingest.clean(name)
            home = fork_of(self._home, name)
            if born(home):
                raise BadName(name, "there is a fork of that name")
            copied(self._engine.workspace.store, store_of(home, self._engine.workspace.store))
        made = self._opener(home, **{"redact": self._engine.redactor.patterns, **opening})
        with made._lock, made._atomic:
            for child in made.children:
                made._engine.commit(r.Joined(child, "elsewhere", ""))
        return made

    @property
    def children(self) -> dict[str, str]:
        """The agents that are spawned and not joined: name → unborn, at work, or the status of the
        result that waits."""
        return {one.name: self._state(one.name) for one in self._engine.window.working.children}

    def give_up(self, name: str, why: str) -> AgentResult:
        """Say that a child is lost, for a reason; when it has a result, that stays. See `join`."""
        with self._lock, self._atomic:
            self._in_flight(name)
            store = self._store_of(name)
            lost = AgentResult(name, agent_results.LOST, error=self._engine.ingest.clean(why))
            with suppress(agent_results.AlreadyDelivered):
                agent_results.put(store, lost)
            found, _ = agent_results.read(store, name)
            assert found is not None
            return found

    def join(self, name: str) -> AgentResult:
        """Take in the result of a child, once; later it is only returned again.

        It is the result of the call the child was spawned by, when that waits, else a step of its
        own: the goal as a line, then the result; one too large is a page and a preview. Its
        artefacts become pages here. Raises NotDelivered, and OpenCalls while other calls wait.
        """
        with self._lock, self._atomic:
            engine = self._engine
            record = engine.workspace.index.spawned.get(name)
            found, _ = agent_results.read(self._store_of(name), name) if record else (None, "")
            if record is None:
                raise LoomError(f"no agent {one_line(name, 60)!r} was spawned here")
            if found is None:
                raise NotDelivered(name, self._state(name))
            if name not in engine.workspace.index.joined:
                engine.commit(*taken(engine, self._store_of(name), record, found))
            return found

    def wait(
        self, *names: str, any: bool = False, timeout: float | None = None
    ) -> tuple[AgentResult, ...]:
        """Join children as their results come: all of them (of those in flight when none is named),
        or with `any` whichever come first. Raises Overdue after `timeout` seconds; what came is
        joined.
        """
        flying = (one.name for one in self._engine.window.working.children)
        wanted = tuple(dict.fromkeys(names or flying))
        until = None if timeout is None else time.monotonic() + timeout
        found: dict[str, AgentResult] = {}
        while True:
            for name in wanted:
                if name not in found:
                    try:
                        found[name] = self.join(name)
                    except NotDelivered:
                        continue
            if len(found) == len(wanted) or (any and found):
                return tuple(found[name] for name in wanted if name in found)
            if until is not None and time.monotonic() >= until:
                raise Overdue([name for name in wanted if name not in found], timeout or 0.0)
            time.sleep(LOOK)

    def _new_name(self, name: str) -> str:
        """A name no agent here has had, and no secret."""
        name = self._engine.ingest.clean(name)
        known = self._engine.workspace.index.spawned
        if len(self._engine.window.working.children) >= MOST:
            raise LoomError(f"{MOST} agents are in flight: join some before another is spawned")
        if not name:
            number = len(known) + 1
            while f"agent-{number}" in known:
                number += 1
            return f"agent-{number}"
        if name in known:
            raise BadName(name, "there was one of that name")
        return checked(name)

    def _in_flight(self, name: str) -> r.Spawned:
        index = self._engine.workspace.index
        record = index.spawned.get(name)
        if record is None or name in index.joined:
            raise LoomError(f"no agent {one_line(name, 60)!r} is in flight here")
        return record

    def _store_of(self, name: str) -> Store:
        return store_of(home_of(self._home, name), self._engine.workspace.store)

    def _state(self, name: str) -> str:
        home = home_of(self._home, name)
        if isinstance(home, Path) and not home.exists():
            return "unborn"
        found, _ = agent_results.read(store_of(home, self._engine.workspace.store), name)
        if found is not None:
            return found.status
        return "at work" if born(home) else "unborn"

    def _opened(self, name: str, birth: SpawnOrder, opening: Mapping[str, Any]) -> Any:
        limits = self._engine.window.limits
        usual = {
            "window": limits.window,
            "model": self._engine.window.config.model,
            "durable": durable(self._engine.workspace.store),
            "redact": self._engine.redactor.patterns,
        }
        tools = [json.decode(tool) for tool in birth.tools]
        child = self._opener(
            home_of(self._home, name),
            goal=birth.goal,
            tools=tools,
            budget=birth.budget,
            depth=birth.depth,
            **{**usual, **birth.opening, **opening},
        )
        try:
            if birth.grants and not child._engine.workspace.index.turns:
                child.grant(
                    {one.page: self._engine.workspace.payload(one.page) for one in birth.grants}
                )
            return child
        except BaseException:
            child.close()
            raise
