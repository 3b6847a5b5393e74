"""Agents below this one: spawned with a goal and grants, joined once, isolated by construction.

Theory of operation
-------------------
Each agent has a window, a journal and a store of its own. Of a child the parent's journal holds
two records, Spawned and HandedOver; of its parent the child holds the goal and what it was granted.
What comes back is a result, put once into the child's store before the child records that it gave
it. The parent reads it there, and takes it in by one commit: the result and HandedOver together.

So every kill leaves one of these, and each has a way on. Spawned, never opened: `child` opens it.
Opened, no result: `child` opens it again, or `give_up` puts a result that says it is lost; should
the child deliver at the same time, the store lets one of the two be the first. A result, not
joined: `join` takes it in, which is a no-op when it was.

Nothing tells that an agent ended without a result: its process may have been killed. A store in a
folder shows whether anybody has it open; of another one it is known only where this process opened
it. One that nobody has open may be about to be opened by a worker, so a wait gives it up for itself
alone, and after a while.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
from msgspec import json

from loom.capabilities.agents import result as agent_results
from loom.capabilities.agents.place import Home, bad_name, born, checked, home_of, store_of
from loom.capabilities.agents.result import AgentResult
from loom.capabilities.agents.spawn_order import Grant, Made, Opener, SpawnOrder, document, kept_of
from loom.context import Loop
from loom.errors import BadInput, LoomError, Overdue, amount
from loom.inputs import ToolCall
from loom.policy import Policy, choose_policy
from loom.providers.schema import document as declaration
from loom.providers.schema import schemas_of
from loom.reduce.clauses import told
from loom.session import Engine
from loom.session.archive.workspace import Workspace
from loom.sizes import limits_of
from loom.text import one_line
from loom_paging import PagingError, Store, writer_of
from loom_partitions import records as r
from loom_partitions.limits import Budget
from loom_partitions.message import Call

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
Opened = Mapping[str, Callable[[], Loop | None]]  # children this process opened, by name


def _left(home: Path) -> str:
    """How a child that nobody has open was left: no result, and the steps it took; "" before any,
    when a worker may be about to open it."""
    found = Workspace.at_path(home, write=False)
    budget, used = found.window.config.budget, found.index.steps
    of = f"{used:,} of {amount(budget.steps, 'steps')}" if budget and budget.steps > 0 else None
    return f"closed without a result ({of or amount(used, 'steps')} used)" if used else ""


class Family:
    """The agents below the one that lives at `home`."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.home: Home = engine.folder or engine.workspace.store

    def wanted_still(self, name: str) -> bool:
        """True for a child that was recorded, and has no result: its own, or that it is lost."""
        known = name in self._engine.workspace.index.spawned
        return known and self.state(name) in ("unborn", "at work")

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
        """Record a child, and give its name and what it is born with."""
        from loom.capabilities.agents import budget as budgets

        window = self._engine.window
        if opening.keys() & {"window", "reply"}:  # sizes that no window has
            size, policy = opening.get("window"), opening.get("policy")
            size = window.limits.window if size is None else size
            limits_of(
                choose_policy("lazy" if policy is None else policy), size, opening.get("reply")
            )
        given = budgets.budget_of_child(self._engine, budget)
        name = self._new_name(name)
        for page in pages:
            self._engine.workspace.payload(page)
        schemas = [schema for tool in tools for schema in schemas_of(tool)]
        clean = self._engine.ingest.clean  # they stand on a page of this agent
        goal = clean(goal)
        if not goal.strip():
            raise BadInput("spawn: the goal is empty, and the child knows nothing else of its task")
        birth = SpawnOrder(
            goal,
            given,
            window.working.depth + 1,
            tuple(Grant(page) for page in pages),
            tuple(clean(declaration(schema)) for schema in schemas),
            kept_of(opening),
        )
        page = self._engine.workspace.put_page("spawn", ".json", document(birth))
        line = told(goal, GOAL, 2 * GOAL)
        id = call if isinstance(call, str) else call.id
        self._engine.commit(r.Spawned(name, line, page, clean(id), given))
        self._engine.workspace.journal.make_durable()  # before there is a child
        return name, birth

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
            raise bad_name(name, "there was one of that name")
        return checked(name)

    def in_flight(self, name: str) -> r.Spawned:
        """The record of a child that is not joined. Raises LoomError for another name."""
        index = self._engine.workspace.index
        record = index.spawned.get(name)
        if record is None or name in index.joined:
            raise BadInput(f"no agent {one_line(name, 60)!r} is in flight here")
        return record

    def store_at(self, name: str) -> Store:
        """The store of a child."""
        return store_of(home_of(self.home, name), self._engine.workspace.store)

    def state(self, name: str) -> str:
        """How a child stands: unborn, at work, or the status of the result that waits."""
        home = home_of(self.home, name)
        if isinstance(home, Path) and not home.exists():
            return "unborn"
        found, _ = agent_results.read(store_of(home, self._engine.workspace.store), name)
        if found is not None:
            return found.status
        return "at work" if born(home) else "unborn"

    def news(self) -> list[r.Resulted]:
        """The records of what befell children since it was last looked: a result that waits, closed
        without one, open again. Of a store in no folder nobody can tell the latter."""
        changed = []
        for child in self._engine.window.working.children:
            home = home_of(self.home, child.name)
            if child.status:
                continue
            with suppress(PagingError, OSError, LoomError):  # a store out of reach says nothing
                state, left = self.state(child.name), child.left
                if state in agent_results.STATUSES:
                    changed.append(r.Resulted(child.name, state))
                    continue
                if isinstance(home, Path):
                    closed = state == "at work" and writer_of(home) is None
                    left = (child.left or _left(home)) if closed else ""
                if left != child.left:
                    changed.append(r.Resulted(child.name, "", left))
        return changed

    def opened(
        self, opener: Opener[Made], name: str, birth: SpawnOrder, opening: Mapping[str, Any]
    ) -> Made:
        """Open a child with what it is born with, or as `opening` says otherwise."""
        from loom.capabilities.agents import budget as budgets
        from loom.capabilities.agents.budget import allowance
        from loom.capabilities.agents.handover import grant

        limits = self._engine.window.limits
        usual = {
            "window": limits.window,
            "model": self._engine.window.config.model,
            "durable": getattr(self._engine.workspace.store, "durable", True),
            "redact": self._engine.redactor.patterns,
        }
        arguments = {**usual, **birth.opening, **opening}
        if isinstance(arguments.get("policy"), dict):
            arguments["policy"] = msgspec.convert(arguments["policy"], Policy)
        home = home_of(self.home, name)
        budget = birth.budget if born(home) else budgets.in_time(self._engine, birth.budget)
        child: Made | None = None  # an interrupt may come before the next line begins
        try:
            child = opener(
                home,
                goal=birth.goal,
                tools=[json.decode(tool) for tool in birth.tools],
                budget=budget,
                depth=birth.depth,
                **arguments,
            )
            own = child.window.config.budget
            if own is not None and (told := allowance(own, birth.depth)):
                child.system(told, "budget")
            if birth.grants and not child._engine.workspace.index.turns:
                payload = self._engine.workspace.payload
                grant(child._engine, {one.page: payload(one.page) for one in birth.grants})
            return child
        except BaseException:
            if child is not None:
                child.close()
            raise


def waited(
    family: Family,
    opened: Opened,
    join: Callable[[str], AgentResult],
    wanted: Sequence[str],
    *,
    first: bool,
    timeout: float | None,
    idle: float,
) -> tuple[AgentResult, ...]:
    """Join agents as their results come: all, or with `first` whichever come first.

    One that nobody has had open for `idle` seconds is returned as lost. Raises Overdue after
    `timeout` seconds; what came is joined.
    """
    began = time.monotonic()
    found: dict[str, AgentResult] = {}
    attended = dict.fromkeys(wanted, began)  # when somebody was last seen to have each open
    while True:
        missing = [name for name in wanted if name not in found]
        for name in missing:
            with suppress(Overdue):
                found[name] = join(name)
        now = time.monotonic()
        for name in [name for name in missing if name not in found and not (found and first)]:
            if _open(family, opened, name):
                attended[name] = now
            elif now - attended[name] >= idle and (why := WHYS.get(family.state(name))):
                found[name] = AgentResult(
                    name, agent_results.LOST, error=ENDED.format(why=why, name=name)
                )
        if len(found) == len(wanted) or (first and found):
            return tuple(found[name] for name in wanted if name in found)
        if timeout is not None and now - began >= timeout:
            left = [name for name in wanted if name not in found]
            idle_ones = (name for name in left if not _open(family, opened, name))
            closed = [name for name in idle_ones if family.state(name) == "at work"]
            said = f"; nobody has {', '.join(closed)} open: " + WAY_ON if closed else ""
            told = f"no result of {', '.join(left)} within {timeout:g} s{said}"
            raise Overdue(told, left, closed)
        time.sleep(LOOK)


def _open(family: Family, opened: Opened, name: str) -> bool:
    """True for an agent that somebody may be working on."""
    here = opened[name]() if name in opened else None
    if here is not None and not here._engine.workspace.closed:
        return True
    home = home_of(family.home, name)
    return writer_of(home) is not None if isinstance(home, Path) else name not in opened
