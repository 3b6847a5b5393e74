"""A strategy of chat messages on a recorded session, beside those that were made for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from msgspec import json

from loom.inputs import Reply, Result, ToolCall
from loom.providers.render.message import Message
from loom.replay.cost import Meter
from loom_bench.moment import CALLS
from loom_bench.recorded.labels import Need
from loom_bench.recorded.public import ChatPolicy
from loom_bench.recorded.verdicts import LOST, RECALL, Finding
from loom_bench.recorded.windows import RecordedStrategy, Unpaged
from loom_bench.sessions.needle import held
from loom_bench.strategy import Strategy


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
