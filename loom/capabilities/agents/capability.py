"""`ctx.agents`: the agents below this one, its parent, and the bus by which agents speak."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Generic, Unpack

from loom.capabilities.agents import result as agent_results
from loom.capabilities.agents.family import Family
from loom.capabilities.agents.listening import INTERRUPT, KIND, Listener
from loom.capabilities.agents.place import address_of, home_of, name_of, remove_broken_forks
from loom.capabilities.agents.result import AgentResult
from loom.capabilities.agents.spawn_order import (
    Made,
    Opener,
    Opening,
    SpawnOrder,
    checked_child_arguments,
    decode_order,
)
from loom.capability import Capability
from loom.context import Loop
from loom.errors import BadInput, LoomError, Overdue
from loom.inputs import ToolCall
from loom.lazy import lazy_module, lazy_modules
from loom.session.locking import one_call
from loom.text import one_line
from loom.typed import check_arguments
from loom_partitions import records as r
from loom_partitions.limits import Budget
from loom_partitions.message import Call
from loom_partitions.surfaces import Child

if TYPE_CHECKING:
    from loom.capabilities.agents import child_budget as budgets
    from loom.capabilities.agents import handover, tool
    from loom.capabilities.agents.bus import EventBus, Subscription
    from loom.capabilities.agents.event import BusEvent
else:
    lazy_modules("loom.capabilities.agents", "handover tool", globals())
    budgets = lazy_module("loom.capabilities.agents.child_budget", globals())

LAST_STEP = "budget-last-step"
IDLE = 10.0  # seconds nobody has a child open before a wait ends for it


@check_arguments
class Agents(Capability, Generic[Made]):
    """The agents of a workspace: spawn, join results, exchange events; `opener` is `loom.open`."""

    name = "agents"

    def __init__(self, opener: Opener[Made]) -> None:
        self._opener = opener

    def __repr__(self) -> str:
        closed = self.engine.workspace.closed
        said = (f"{name} {state}" for name, state in ({} if closed else self.children).items())
        return f"<ctx.agents of {self.address}: {', '.join(said) or 'none'}>"

    # Agents below this one

    def spawn(
        self,
        goal: str | Call | ToolCall,
        *,
        name: str = "",
        pages: Sequence[str] = (),
        tools: Sequence[Any] = (),
        budget: Budget | None = None,
        call: Call | ToolCall | str = "",
        **opening: Unpack[Opening],
    ) -> Made:
        """Open a child: a Context of its own, that knows the goal and the granted `pages` alone.

        A call of the tool `spawn` (`loom.capabilities.agents.tool`) in place of a goal gives goal,
        name, pages and budget; `call` is the open call that the child's result will answer. The
        child's budget is within what this agent has left. Other arguments are those of `loom.open`;
        the default window has this one's size. Raises LoomError, BudgetSpent, BadInput,
        MissingPage; nothing is recorded then, except that a call given in place of a goal is
        answered with the reason. Where `spawn` failed later, or was interrupted, `spawn` with the
        same arguments opens the same child.

            >>> with loom.open("memory://parent", goal="Survey.") as ctx:
            ...     with ctx.agents.spawn("Read a.py.", name="reader-1") as child:
            ...         result = child.agents.deliver("It parses JSON.")
            ...     ctx.agents.join("reader-1").summary
            'It parses JSON.'"""
        opening = checked_child_arguments("spawn", opening)
        made = None if isinstance(goal, str) else goal
        with tool.answer_refusals(self.engine, made):
            if not isinstance(goal, str):
                wanted, call = tool.parse_spawn_request(goal.arguments), goal
                goal, name, pages = wanted.goal, name or wanted.name, (*pages, *wanted.pages)
                budget = budgets.requested_budget(wanted.budget, budgets.check_budget(budget))
            budget = budgets.check_budget(budget)
            with self.engine.lock, self.engine.atomic:
                name, birth = self._family.spawned(goal, name, pages, tools, budget, call, opening)
        return self._open_child(name, birth, opening)

    def _open_child(self, name: str, birth: SpawnOrder, opening: Opening) -> Made:
        """Announce the child `name` on the bus, then open it as its order `birth` says."""
        self._listener.spawned(home_of(self._family.home, name), birth.goal)
        return self._family.opened(name, birth, opening)

    def child(self, name: str, **opening: Unpack[Opening]) -> Made:
        """Open a child again, as it was left. Raises StoreLocked while another process has it open.

        Give `capabilities` and `on_cut` again, as they are not recorded. Raises LoomError for an
        agent that was not spawned or is joined."""
        opening = checked_child_arguments("child", opening)
        with self.engine.lock, self.engine.atomic:
            record = self._family.in_flight(name)
            birth = decode_order(self.engine.workspace.payload(record.page))
        return self._open_child(name, birth, opening)

    def fork(self, name: str, *, at: int | None = None, **opening: Unpack[Opening]) -> Made:
        """Open a copy of this agent as it stands: the requests of both begin with the same bytes,
        so the provider's cache serves both. The fork has no parent, and agents in flight stay with
        this agent. What is left of a budget is halved between the two, and the fork counts as an
        agent. With `at` the copy goes back to that request (`ctx.history.undo`).

        Raises BadInput, for a taken name too, and BudgetSpent where there is nothing to share."""
        opening = checked_child_arguments("fork", opening)
        same = {"redact": self.engine.redactor.patterns, "policy": self.engine.policy}
        arguments: Any = {**same, **opening}
        name = self.engine.ingest.clean(name)
        return handover.open_fork(self.engine, self._opener, self._family.home, name, at, arguments)

    @property
    @one_call
    def children(self) -> dict[str, str]:
        """Return the agents spawned and not joined, by name: "unborn" (never opened), "at work", or
        the status of a result."""
        return {one.name: self._family.state(one.name) for one in self._in_flight}

    def give_up(self, name: str, why: str) -> AgentResult:
        """Give a result in the place of a child, with status "lost" and the reason `why`, and
        return it. A result that the child gave before stays, and is returned. `join` takes it in.
        """
        with self.engine.lock, self.engine.atomic:
            self._family.in_flight(name)
            store = self._family.store_at(name)
            lost = AgentResult(name, agent_results.LOST, error=self.engine.ingest.clean(why))
            with suppress(BadInput):
                agent_results.put_result(store, lost)
            found, _ = agent_results.read_result(store, name)
            assert found is not None
            if any(one.name == name and not one.status for one in self._in_flight):
                self.engine.commit(r.Resulted(name, found.status))
        self._listener.announce_result_of(home_of(self._family.home, name), found)
        return found

    def join(self, name: str) -> AgentResult:
        """Take in the result of a child and return it; a second call only returns it again.

        The text (the goal as a line, then the result) answers the call that spawned the child,
        where that call waits, else a call in a step made for it; a large result rests on a page and
        is previewed. The child's artefacts become pages here. Raises Overdue without a result, and
        OpenCalls while other calls wait."""
        with self.engine.lock, self.engine.atomic:
            engine, store = self.engine, self._family.store_at
            record = engine.workspace.index.spawned.get(name)
            found, _ = agent_results.read_result(store(name), name) if record else (None, "")
            if record is None:
                raise LoomError(f"no agent {one_line(name, 60)!r} was spawned here")
            if found is None:
                state = self._family.state(name)
                raise Overdue(f"{name} has no result yet, it is {state}: wait, or give it up")
        # Before it is joined: a kill in between loses neither, and it is told once in any case.
        if name not in engine.workspace.index.joined:
            self._listener.announce_result_of(home_of(self._family.home, name), found)
        with engine.lock, engine.atomic:
            if name not in engine.workspace.index.joined:
                engine.commit(*handover.join_records(engine, store(name), record, found))
            return found

    def wait(
        self, *names: str, any: bool = False, timeout: float | None = None, idle: float = IDLE
    ) -> tuple[AgentResult, ...]:
        """Join children as their results come, and return the results: of all `names` (by default
        of all children in flight), or with `any` of whichever come first. Raises Overdue after
        `timeout` seconds; the results that came by then are joined.

        A child that nobody has had open for `idle` seconds and that gave no result is returned as
        lost, with the reason. It stays in flight: open it again by `child`, or end it by `give_up`
        and `join`."""
        wanted = tuple(dict.fromkeys(names or (one.name for one in self._in_flight)))
        return self._family.waited(wanted, self.join, first=any, timeout=timeout, idle=idle)

    # The one this agent works for

    def deliver(
        self,
        summary: str,
        *,
        artefacts: Sequence[str] = (),
        status: str = agent_results.DONE,
        error: str = "",
    ) -> AgentResult:
        """Give the result to the parent of this agent, once; this agent's task ends with it.

        `artefacts` are pages of this agent that go with the result. Raises BudgetSpent for too many
        or too large ones, BadInput for a second result, OpenCalls while calls wait for results."""
        name = name_of(self._family.home)
        made = handover.deliver_result(self.engine, name, summary, artefacts, status, error)
        self._listener.announce_result_of(self._family.home, made)
        return made

    def grant(self, pages: Mapping[str, bytes]) -> None:
        """Store pages of another agent, given as bytes by the names they have there; one message
        tells the model their names here."""
        handover.grant_pages(self.engine, pages)

    # The bus

    @property
    def address(self) -> str:
        """Return this agent's name on the bus: the names of the agents down to it
        (`survey/reader-1`), or "main" for the agent that nobody spawned."""
        return address_of(self._family.home)

    @property
    def bus(self) -> EventBus:
        """Return the bus of all agents of the workspace, across threads, processes and machines."""
        return self._listener.bus

    def emit(self, topic: str, body: object = None, *, to: str = "") -> BusEvent:
        """Send an event to all other agents, or to the agent at address `to`; durable on return."""
        return self.bus.emit(topic, body, to=to)

    def subscribe(
        self, topic: str, call: Callable[[BusEvent], object], *, cursor: int | None = None
    ) -> Subscription:
        """Call `call` with events of `topic` after `cursor` or now; others' events at each turn."""
        return self.bus.subscribe(topic, call, cursor=cursor)

    def interrupt(self, name: str = "", why: str = "") -> BusEvent:
        """Ask a child, or without a name the parent of this agent, to stop and look.

        The request stands on the other's event surface from its next turn on, as critical."""
        here = self.address
        below = name if here == "main" else f"{here}/{name}"
        to = below if name else here.rpartition("/")[0] or "main"
        if to == here:
            raise LoomError("interrupt: nobody stands above the first agent: name a child")
        return self.bus.emit(INTERRUPT, {"why": why}, to=to)

    # As a capability

    def attached(self, context: Loop) -> None:
        """Find out in which folder or store this agent lives; make its Family and its Listener."""
        self._family = Family(self.engine, self._opener)
        self._listener = Listener(self.engine, self._family.home, self._signal_event)

    def opened(self) -> None:
        """Announce this agent's result, if it was delivered but not announced; delete half-made
        forks."""
        with suppress(OSError):
            remove_broken_forks(self._family.home)
        self._listener.announce_own_result()

    def before_turn(self) -> None:
        """Deliver what other agents emitted, record which children have a result or were closed,
        and signal this agent's last step."""
        self._listener.listen()
        if news := self._family.status_changes():
            with self.engine.lock, self.engine.atomic:
                self.engine.commit(*news)
        known = ("events", LAST_STEP) in self.engine.workspace.index.items
        if not known and budgets.is_last_step(self.engine):
            self._signal_event(LAST_STEP, budgets.LAST, "normal", "budget")

    @one_call
    def _signal_event(self, id: str, summary: str, urgency: str, kind: str = KIND) -> None:
        """Commit an event to this agent's event surface."""
        self.engine.commit(*self.engine.edits().signal(id, summary, kind, urgency))

    @property
    def _in_flight(self) -> tuple[Child, ...]:
        return self.engine.window.working.children
