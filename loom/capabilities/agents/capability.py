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
    """`ctx.agents`: spawns child agents, joins their results and exchanges events with other
    agents. `opener` is the function `loom.open`."""

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
        """Open a child agent and return its Context. The child knows only the goal and `pages`.

        `goal` may be the model's call of the tool `spawn`: its arguments give goal, name, pages and
        budget. `call` is the open call that the child's result will answer. The budget is limited
        to what this agent has left. `opening` are arguments of `loom.open`; the window has the size
        of this agent's by default. Raises LoomError, BudgetSpent, BadInput, MissingPage: no child
        is recorded, and a call given as `goal` is answered with the reason. After a later failure,
        `spawn` with the same arguments opens the same child.

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
        """Announce the child `name` on the event bus, open the child and return its Context.
        `birth` holds goal, budget and tools; `opening` holds more arguments of `loom.open`."""
        self._listener.spawned(home_of(self._family.home, name), birth.goal)
        return self._family.opened(name, birth, opening)

    def child(self, name: str, **opening: Unpack[Opening]) -> Made:
        """Open a child again, in the state it was left in, and return its Context.

        Pass `capabilities` and `on_cut` again, because they are not recorded. Raises LoomError
        unless `name` is a spawned child that is not joined, StoreLocked while another process has
        the child open."""
        opening = checked_child_arguments("child", opening)
        with self.engine.lock, self.engine.atomic:
            record = self._family.in_flight(name)
            birth = decode_order(self.engine.workspace.payload(record.page))
        return self._open_child(name, birth, opening)

    def fork(self, name: str, *, at: int | None = None, **opening: Unpack[Opening]) -> Made:
        """Copy this agent, as it is now, into a new agent and return the copy's Context. Requests
        of both begin with the same bytes, so the provider's prompt cache serves both. The fork has
        no parent; children not yet joined stay with this agent. What is left of the budget is
        halved between the two, and the fork counts as one agent. With `at`, the fork goes back to
        the request `at` (see `ctx.history.undo`).

        Raises BadInput for a bad or taken name, BudgetSpent when too little budget is left to
        share."""
        opening = checked_child_arguments("fork", opening)
        same = {"redact": self.engine.redactor.patterns, "policy": self.engine.policy}
        arguments: Any = {**same, **opening}
        name = self.engine.ingest.clean(name)
        return handover.open_fork(self.engine, self._opener, self._family.home, name, at, arguments)

    @property
    @one_call
    def children(self) -> dict[str, str]:
        """Return the state of each child that is not joined yet, by name: "unborn" (never opened),
        "at work" (no result yet), or the status of its result."""
        return {one.name: self._family.state(one.name) for one in self._in_flight}

    def give_up(self, name: str, why: str) -> AgentResult:
        """Store a result for the child `name`, with status "lost" and the error `why`, and return
        the result. If the child already has a result, return the child's own. Call `join` to take
        the result into this agent's window."""
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
        """Put the result of a child into this agent's window and return the result. A second call
        only returns the result again.

        The text begins with a line that shows the goal. The text answers the tool call that spawned
        the child, if that call is open, else a new call in a step made for the result. A large
        result is stored on a page and shown as a preview. The child's artefacts become pages of
        this agent. Raises Overdue when there is no result yet, OpenCalls while other calls wait for
        results."""
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
        """Wait until the children `names` have results, join each, and return the results. Without
        names, wait for all children not joined. With `any`, return as soon as at least one child
        has a result. Raises Overdue after `timeout` seconds; earlier results are joined.

        A child without a result that no process has had open for `idle` seconds gives a result of
        status "lost" with the reason. Such a child is not joined: open it again by `child`, or end
        it by `give_up` and `join`."""
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
        """Store this agent's result for its parent and return it. This ends the agent's task.

        `artefacts` are names of this agent's pages to hand over. `status` is "done", "failed" or
        "lost". Raises BudgetSpent for too many or too large artefacts, BadInput for a second
        result, OpenCalls while calls wait for results."""
        name = name_of(self._family.home)
        made = handover.deliver_result(self.engine, name, summary, artefacts, status, error)
        self._listener.announce_result_of(self._family.home, made)
        return made

    def grant(self, pages: Mapping[str, bytes]) -> None:
        """Store pages of another agent here. `pages` maps each page's name in that agent to its
        bytes. One message in the window tells the model the new names."""
        handover.grant_pages(self.engine, pages)

    # The bus

    @property
    def address(self) -> str:
        """Return this agent's name on the event bus: the names of its ancestors and its own, joined
        by "/" ("survey/reader-1"). The agent that nobody spawned has the address "main"."""
        return address_of(self._family.home)

    @property
    def bus(self) -> EventBus:
        """Return the event bus that all agents of the workspace share, in whichever threads,
        processes or machines the agents run."""
        return self._listener.bus

    def emit(self, topic: str, body: object = None, *, to: str = "") -> BusEvent:
        """Store an event for all agents, or with `to` only for the agent at that address, and
        return the event."""
        return self.bus.emit(topic, body, to=to)

    def subscribe(
        self, topic: str, call: Callable[[BusEvent], object], *, cursor: int | None = None
    ) -> Subscription:
        """Call `call` with each event of `topic` whose number is above `cursor`; None means from
        now on. Events of other agents are delivered before each request."""
        return self.bus.subscribe(topic, call, cursor=cursor)

    def interrupt(self, name: str = "", why: str = "") -> BusEvent:
        """Ask the child `name`, or with "" this agent's parent, to stop and look. `why` is the
        reason. Return the event sent.

        From its next request on, the other agent's model sees an event of urgency critical."""
        here = self.address
        below = name if here == "main" else f"{here}/{name}"
        to = below if name else here.rpartition("/")[0] or "main"
        if to == here:
            raise LoomError("interrupt: nobody stands above the first agent: name a child")
        return self.bus.emit(INTERRUPT, {"why": why}, to=to)

    # As a capability

    def attached(self, context: Loop) -> None:
        """Make the objects that manage children and listen to the event bus."""
        self._family = Family(self.engine, self._opener)
        self._listener = Listener(self.engine, self._family.home, self._signal_event)

    def opened(self) -> None:
        """Announce this agent's stored result if it was not announced. Delete incomplete forks."""
        with suppress(OSError):
            remove_broken_forks(self._family.home)
        self._listener.announce_own_result()

    def before_turn(self) -> None:
        """Before a request: deliver events of other agents, and record each child that got a result
        or was closed. If this agent has only one step left, show its model an event about this."""
        self._listener.listen()
        if news := self._family.status_changes():
            with self.engine.lock, self.engine.atomic:
                self.engine.commit(*news)
        known = ("events", LAST_STEP) in self.engine.workspace.index.items
        if not known and budgets.is_last_step(self.engine):
            self._signal_event(LAST_STEP, budgets.LAST, "normal", "budget")

    @one_call
    def _signal_event(self, id: str, summary: str, urgency: str, kind: str = KIND) -> None:
        """Commit an event for this agent's model: it is listed in the working partition."""
        self.engine.commit(*self.engine.edits().signal(id, summary, kind, urgency))

    @property
    def _in_flight(self) -> tuple[Child, ...]:
        return self.engine.window.working.children
