"""Agents below this one: spawned with a goal and grants, joined once, isolated by construction.

Theory of operation. Each agent has a window, a journal and a store of its own.
The parent's journal holds two records of a child, Spawned and HandedOver; the child holds of its
parent the goal and the granted pages. A result comes back, put once into the child's store before
the child records that it delivered. The parent reads the result there, and takes it in by one
commit: the result and HandedOver together.

So every kill leaves one of these states, and each has a way on. Spawned, never opened: `child`
opens the agent. Opened, no result: `child` opens it again, or `give_up` puts a result that says the
agent is lost; should the child deliver at the same time, the store lets one of the two be first. A
result, not joined: `join` takes it in, and does nothing where it was taken in before.

Nothing tells that an agent ended without a result: its process may have been killed. A store in a
folder shows whether anybody has it open; another store is known to be open only where this process
opened it. An agent that nobody has open may be about to be opened by a worker, so a wait gives it
up after a while, and for the waiting call alone."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import get_ident
from typing import Any, Generic
from weakref import ReferenceType, ref

import msgspec
from msgspec import json

from loom.capabilities.agents import result as agent_results
from loom.capabilities.agents.place import (
    Home,
    bad_agent_name,
    checked_agent_name,
    home_of,
    store_of,
    was_opened,
)
from loom.capabilities.agents.result import AgentResult
from loom.capabilities.agents.spawn_order import (
    Grant,
    Made,
    Opener,
    SpawnOrder,
    encode_order,
    storable_arguments,
)
from loom.errors import BadInput, LoomError, Overdue, amount
from loom.inputs import ToolCall
from loom.lazy import lazy_module
from loom.policy import Policy, choose_policy
from loom.providers.schema import schema_document as declaration
from loom.providers.schema import tool_schemas_of
from loom.reduce.clauses import beginning_or_notice
from loom.session import Engine
from loom.session.archive.workspace import Workspace
from loom.sizes import new_limits
from loom.text import one_line
from loom_paging import PagingError, Store, writer_of
from loom_partitions import records as r
from loom_partitions.limits import Budget
from loom_partitions.message import Call

budgets: Any = lazy_module("loom.capabilities.agents.child_budget", globals())
handover: Any = lazy_module("loom.capabilities.agents.handover", globals())

GOAL = 50  # characters of a goal as a line: the seed's
MOST = 200  # agents in flight
WAY_ON = "ctx.agents.child(name) opens one again, give_up(name, why) and join settle it"
LOOK = 0.02  # seconds between two looks for a result
WHYS = {
    "unborn": "it was never run, or its folder is gone",
    "at work": "it was closed or killed before it gave a result",
}
ENDED = (
    "{why}: ctx.agents.child({name!r}) opens it again, give_up({name!r}, why) and join settle it"
)


class Family(Generic[Made]):
    """The child agents of the agent whose session is `engine`. `home` is this agent's folder, or
    its store if it has no folder. `opener` is the function `loom.open`."""

    def __init__(self, engine: Engine, opener: Opener[Made]) -> None:
        self._engine, self._opener = engine, opener
        self.home: Home = engine.folder or engine.workspace.store
        # Spawned and not returned yet, by thread.
        self._spawning: dict[int, tuple[tuple[str, ...], str, SpawnOrder]] = {}
        self._opened: dict[str, ReferenceType[Made]] = {}  # children, by name

    def spawned(
        self,
        goal: str,
        name: str,
        pages: Sequence[str],
        tools: Sequence[Any],
        budget: Budget | None,
        call: Call | ToolCall | str,
        opening: Mapping[str, Any],
    ) -> tuple[str, SpawnOrder]:
        """Record a new child. Return its name and its SpawnOrder (goal, budget, pages, tools).
        `call` is the tool call that asked for the child, or its id. A repeated call with the same
        arguments returns the same child, if this child was not opened."""
        id = call if isinstance(call, str) else call.id
        asked_for = (goal, name, *pages, id)
        before, spawned = self._spawning.get(get_ident()), self._engine.workspace.index.spawned
        again = before and before[0] == asked_for and before[1] in spawned
        if before and again and self.state(before[1]) in WHYS:
            return before[1:]
        window = self._engine.window
        if opening.keys() & {"window", "reply"}:  # sizes that no window has
            size, policy = opening.get("window"), opening.get("policy") or "lazy"
            size = window.limits.window if size is None else size
            new_limits(choose_policy(policy), size, opening.get("reply"))
        given = budgets.budget_of_child(self._engine, budget)
        name = self._checked_new_name(name)
        for page in pages:
            self._engine.workspace.payload(page)
        schemas = [schema for tool in tools for schema in tool_schemas_of(tool)]
        clean = self._engine.ingest.clean  # they stand on a page of this agent
        if not clean(goal).strip():
            raise BadInput("spawn: the goal is empty, and the child knows nothing else of its task")
        order = SpawnOrder(
            clean(goal),
            given,
            window.working.depth + 1,
            tuple(Grant(page) for page in pages),
            tuple(clean(declaration(schema)) for schema in schemas),
            storable_arguments(opening),
        )
        page = self._engine.workspace.put_page("spawn", ".json", encode_order(order))
        line = beginning_or_notice(order.goal, GOAL, 2 * GOAL)
        self._engine.commit(r.Spawned(name, line, page, clean(id), given))
        self._engine.workspace.journal.make_durable()  # before there is a child
        self._spawning[get_ident()] = asked_for, name, order
        return name, order

    def _checked_new_name(self, name: str) -> str:
        """Return `name` with secrets replaced; "" gives "agent-N". Raises BadInput for an invalid
        name and for the name of an earlier child, LoomError when too many children are not joined.
        """
        name = self._engine.ingest.clean(name)
        known = self._engine.workspace.index.spawned
        if len(self._engine.window.working.children) >= MOST:
            raise LoomError(f"{MOST} agents are in flight: join some before another is spawned")
        if name in known:
            raise bad_agent_name(name, "there was one of that name")
        number = len(known) + 1
        while not name and f"agent-{number}" in known:
            number += 1
        return checked_agent_name(name or f"agent-{number}")

    def in_flight(self, name: str) -> r.Spawned:
        """Return the Spawned record of a child that is not joined yet. Raises BadInput for any
        other name."""
        index = self._engine.workspace.index
        record = index.spawned.get(name)
        if record is None or name in index.joined:
            raise BadInput(f"no agent {one_line(name, 60)!r} is in flight here")
        return record

    def store_at(self, name: str) -> Store:
        """Return the store of the child `name`."""
        return store_of(home_of(self.home, name), self._engine.workspace.store)

    def state(self, name: str) -> str:
        """Return the state of a child: "unborn" (never opened), "at work" (no result yet), or the
        status of its result ("done", "failed", "lost")."""
        home = home_of(self.home, name)
        if isinstance(home, Path) and not home.exists():
            return "unborn"
        found, _ = agent_results.read_result(self.store_at(name), name)
        return found.status if found else "at work" if was_opened(home) else "unborn"

    def status_changes(self) -> list[r.Resulted]:
        """Return a record for each child whose state changed since its last record: it got a
        result, was closed without a result, or was opened again. Closing and opening are only
        noticed for children in a folder."""
        changed = []
        for child in self._engine.window.working.children:
            home = home_of(self.home, child.name)
            if child.status:
                continue
            with suppress(PagingError, OSError, LoomError):  # a store out of reach says nothing
                state, left = self.state(child.name), child.left
                status = state if state in agent_results.STATUSES else ""
                if isinstance(home, Path) and not status:
                    closed = state == "at work" and writer_of(home) is None
                    left = (left or _closed_without_result(home)) if closed else ""
                if status or left != child.left:
                    changed.append(r.Resulted(child.name, status, "" if status else left))
        return changed

    def opened(self, name: str, birth: SpawnOrder, opening: Mapping[str, Any]) -> Made:
        """Open the child `name` and return its Context. `birth` gives goal, budget, tools and other
        arguments; `opening` has arguments that override those of `birth`."""
        window = self._engine.window
        usual = {
            "window": window.limits.window,
            "model": window.config.model,
            "durable": getattr(self._engine.workspace.store, "durable", True),
            "redact": self._engine.redactor.patterns,
        }
        arguments = {**usual, **birth.opening, **opening}
        if isinstance(arguments.get("policy"), dict):
            arguments["policy"] = msgspec.convert(arguments["policy"], Policy)
        home = home_of(self.home, name)
        budget = (
            birth.budget
            if was_opened(home)
            else budgets.limit_to_own_time(self._engine, birth.budget)
        )
        child: Made | None = None  # an interrupt may come before the next line begins
        try:
            child = self._opener(
                home,
                goal=birth.goal,
                tools=[json.decode(tool) for tool in birth.tools],
                budget=budget,
                depth=birth.depth,
                **arguments,
            )
            own = child.window.config.budget
            if own is not None and (told := budgets.allowance_text(own, birth.depth)):
                child.system(told, "budget")
            if birth.grants and not child._engine.workspace.index.turns:
                payload = self._engine.workspace.payload
                handover.grant_pages(
                    child._engine, {one.page: payload(one.page) for one in birth.grants}
                )
            self._opened[name] = ref(child)
            # In one line: an interrupt between the two would make a second child.
            return (child, self._spawning.pop(get_ident(), None))[0]
        except BaseException:
            if child is not None:
                child.close()
            raise

    def waited(
        self,
        wanted: Sequence[str],
        join: Callable[[str], AgentResult],
        *,
        first: bool,
        timeout: float | None,
        idle: float,
    ) -> tuple[AgentResult, ...]:
        """Wait for the agents `wanted`, call `join` for each that has a result, and return the
        results. With `first`, return as soon as at least one has a result. `timeout` and `idle` are
        seconds, as in `Agents.wait`."""
        began = time.monotonic()
        found: dict[str, AgentResult] = {}
        attended = dict.fromkeys(wanted, began)  # when somebody was last seen to have each open
        while True:
            for name in [name for name in wanted if name not in found]:
                with suppress(Overdue):
                    found[name] = join(name)
            now = time.monotonic()
            left = [name for name in wanted if name not in found and not (found and first)]
            for name in left:
                if self._is_open(name):
                    attended[name] = now
                elif now - attended[name] >= idle and (why := WHYS.get(self.state(name))):
                    said = ENDED.format(why=why, name=name)
                    found[name] = AgentResult(name, agent_results.LOST, error=said)
            if len(found) == len(wanted) or (first and found):
                return tuple(found[name] for name in wanted if name in found)
            if timeout is not None and now - began >= timeout:
                left = [name for name in left if name not in found]
                idle_ones = (name for name in left if not self._is_open(name))
                closed = [name for name in idle_ones if self.state(name) == "at work"]
                said = f"; nobody has {', '.join(closed)} open: " + WAY_ON if closed else ""
                raise Overdue(
                    f"no result of {', '.join(left)} within {timeout:g} s{said}", left, closed
                )
            time.sleep(LOOK)

    def _is_open(self, name: str) -> bool:
        """Return True when some process has the child open, or when this cannot be known."""
        here = self._opened[name]() if name in self._opened else None
        if here is not None and not here._engine.workspace.closed:
            return True
        home = home_of(self.home, name)
        return writer_of(home) is not None if isinstance(home, Path) else name not in self._opened


def _closed_without_result(home: Path) -> str:
    """Return a line for a child closed without a result, such as "closed without a result (3 steps
    used)"; "" for a child that has made no step."""
    found = Workspace.at_path(home, write=False)
    budget, used = found.window.config.budget, found.index.steps
    of = f"{used:,} of {amount(budget.steps, 'steps')}" if budget and budget.steps > 0 else None
    return f"closed without a result ({of or amount(used, 'steps')} used)" if used else ""
