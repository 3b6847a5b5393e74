"""Strategies over recorded sessions by name: Loom, the built-in ones, any of `loom bench`."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import partial
from itertools import islice

from msgspec import json

from loom.inputs import Reply, Result, ToolCall
from loom.providers.render.message import Message
from loom.replay.cost import Meter
from loom_bench.moment import CALLS
from loom_bench.pool import Tell, quiet
from loom_bench.recorded.labels import Need
from loom_bench.recorded.ledger import LOST, RECALL, Finding
from loom_bench.recorded.windows import STRATEGIES as RECORDED
from loom_bench.recorded.windows import Opener, RecordedStrategy, Unpaged, missing
from loom_bench.session import Wire
from loom_bench.sessions.needle import held
from loom_bench.strategies import STRATEGIES
from loom_bench.strategies.baselines import MessageGroup
from loom_bench.strategy import OpenedStrategy, Strategy, WindowBudget
from loom_bench.wires import WireReader, wire_of


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

    def rested(self) -> Iterator[str]:
        """Nothing lies in files for an agent's own tools."""
        return iter(())

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


def asked_window(
    strategy: Strategy, capacity: int, meter: Meter, own_tools: bool
) -> RecordedStrategy:
    """The window of a strategy, which brings tools of its own or none."""
    return AskedWindow(strategy, capacity, meter)


def opener(name: str) -> Opener:
    """What opens a strategy. Raises BadBench for a name of none, and for a file without it."""
    if name in RECORDED:
        return RECORDED[name]
    return partial(asked_window, STRATEGIES.get(name))


def known(names: Sequence[str], beside: Collection[str] = (), tell: Tell = quiet) -> list[str]:
    """The named strategies that can run here, each once; `beside` are names of other things.

    Raises BadBench for a name of none.
    """
    for name in names:
        if name not in RECORDED and name not in beside:
            STRATEGIES.get(name)
    return [name for name in dict.fromkeys(names) if name in beside or not missing(name, tell)]
