"""Strategies over recorded sessions by name: Loom, the built-in ones, any of `loom bench`.

Each takes a session's events and says what it would send. Loom is asked through its public face;
the others are policies over the recorded messages.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import islice

from msgspec import json

from loom.inputs import Event, Reply, Result, ToolCall
from loom.providers.render.message import Message
from loom_bench.moment import CALLS
from loom_bench.plain_list import Meter
from loom_bench.pool import Tell, quiet
from loom_bench.recorded.labels import Need
from loom_bench.recorded.ledger import DEEP, LOST, RECALL, RESIDENT, Finding
from loom_bench.recorded.paged import Paged, again
from loom_bench.session import Wire
from loom_bench.sessions.needle import held, held_by_any, message_texts
from loom_bench.strategies import BASELINES, STRATEGIES
from loom_bench.strategies.baselines import MessageGroup, Policy, RecordedHistory
from loom_bench.strategies.ladder import mended
from loom_bench.strategies.peers import PEERS
from loom_bench.strategy import OpenedStrategy, Strategy, WindowBudget
from loom_bench.wires import WireReader, wire_of


class Unpaged:
    """A policy over the recorded messages: what its request does not show is lost.

    An agent that misses something calls again for it, and gets the whole result once more.
    """

    def __init__(
        self, policy: Policy, capacity: int, meter: Meter, *, trusted: bool = True
    ) -> None:
        """One that is not `trusted` has its requests checked for pairs."""
        self.tools: tuple[str, ...] = ()
        self.rescued = 0
        self._policy = policy
        self._trusted = trusted
        self._capacity = capacity
        self._history = RecordedHistory(meter)
        self._events: list[Event] = []
        self._again = 0

    def feed(self, event: Event) -> None:
        """Take in the next event."""
        self._events.append(event)
        self._history.add(event)

    def request(self) -> Sequence[Message]:
        """The history the policy leaves, cut to the capacity if it leaves too much."""
        meter = self._history.meter
        left = self._policy(self._history.groups)
        if self._trusted and meter.messages(left) <= self._capacity:
            return left
        sent = mended(left, self._capacity, meter)
        self.rescued += sent is not left
        return sent

    def find(self, need: Need, request: Sequence[Message]) -> Finding:
        """Resident; else lost, unless the policy keeps files."""
        if held_by_any(need.needle, message_texts(request)):
            return Finding(RESIDENT)
        rested: Iterable[str] = getattr(
            self._policy, "rested", tuple
        )()  # files, for an agent that reads them
        return Finding(DEEP if held_by_any(need.needle, rested) else LOST)

    def fetch(self, need: Need, finding: Finding) -> Iterator[str]:
        """One call: the newest result that held the needle comes again; what was said, as one."""
        self._again += 1
        call, text = again(need, self._events, self._again)
        self._history.add(Reply((call,)))
        self._history.add(Result(call.id, text))
        yield f"{call.name} {call.arguments}"

    def close(self) -> None:
        """Close the policy, if it holds anything."""
        getattr(self._policy, "close", int)()


class ChatPolicy:
    """The requests of a strategy, made of the groups so far."""

    def __init__(self, strategy: Strategy, capacity: int) -> None:
        self._reader = WireReader()
        self.opened = OpenedStrategy(strategy, WindowBudget(capacity, 0, self._reader))
        self._wires: list[Wire] = []
        self._taken = 0  # messages that are in `_wires`

    def __call__(self, groups: Sequence[MessageGroup]) -> list[Message]:
        """The messages of the next request."""
        messages = [message for group in groups for message in group.messages]
        self._wires += map(wire_of, messages[self._taken :])
        self._taken = len(messages)
        return self._reader.messages(self.opened.request(list(self._wires)))

    def close(self) -> None:
        """Give back what the strategy holds."""
        self.opened.close()


class AskedWindow(Unpaged):
    """One recorded session through a strategy. What it raises is raised.

    A model that misses something asks with the words of the call that needs it, where the strategy
    answers questions; else it calls again for it, as with any other.
    """

    def __init__(self, strategy: Strategy, capacity: int, meter: Meter) -> None:
        policy = ChatPolicy(strategy, capacity)
        self._opened = policy.opened
        super().__init__(policy, capacity, meter, trusted=False)

    def request(self) -> Sequence[Message]:
        """The request it makes, cut to the capacity if it is larger."""
        made = super().request()
        self.tools = tuple(json.encode(tool).decode() for tool in self._opened.tools)
        return made

    def find(self, need: Need, request: Sequence[Message]) -> Finding:
        """Resident; else a question away, or lost."""
        found = super().find(need, request)
        if found.verdict != LOST:
            return found
        return Finding(RECALL if self._answers(need)[1] else LOST)

    def fetch(self, need: Need, finding: Finding) -> Iterator[str]:
        """The calls for what is missing: its questions while they help, else the call again."""
        answers, met = self._answers(need)
        if not met:
            yield from super().fetch(need, finding)
            return
        for answer in answers:
            self._again += 1
            call = ToolCall(
                f"asked_{self._again}", "ask", json.encode({"query": need.query}).decode()
            )
            self._history.add(Reply((call,)))
            self._history.add(Result(call.id, answer))
            yield f"ask {need.query}"

    def _answers(self, need: Need) -> tuple[list[str], bool]:
        """The answers a model gets until one has what it misses, and whether one has."""
        answers: list[str] = []
        for answer in islice(self._opened.ask(need.query), CALLS) if need.query else ():
            answers.append(answer)
            if held(need.needle, answer):
                return answers, True
        return answers, False


RecordedStrategy = Paged | Unpaged
# What opens a strategy: capacity, meter, whether Loom's tools are there.
Opener = Callable[[int, Meter, bool], RecordedStrategy]


def opener(name: str) -> Opener:
    """What opens a strategy. Raises BadBench for a name of none, and for a file without it."""
    if name == "loom":
        return lambda capacity, _, own_tools: Paged(capacity, own_tools=own_tools)
    if make := BASELINES.get(name):
        return lambda capacity, meter, _: Unpaged(make(capacity, meter), capacity, meter)
    if peer := PEERS.get(name):
        return lambda capacity, meter, _: Unpaged(
            peer.open(capacity, meter), capacity, meter, trusted=False
        )
    strategy = STRATEGIES.get(name)
    return lambda capacity, meter, _: AskedWindow(strategy, capacity, meter)


def known(names: Sequence[str], beside: Collection[str] = (), tell: Tell = quiet) -> list[str]:
    """The named strategies that can run here, each once; `beside` are names of other things.

    Raises BadBench for a name of none.
    """
    for name in names:
        if name not in beside:
            STRATEGIES.get(name)
    return [name for name in dict.fromkeys(names) if name in beside or not missing(name, tell)]


def missing(name: str, tell: Tell) -> bool:
    """True when a strategy cannot run here; `tell` is given what it needs."""
    peer = PEERS.get(name)
    if peer is None or peer.installed:
        return False
    tell(f"{name}: left out, {peer.package} is not installed")
    return True
