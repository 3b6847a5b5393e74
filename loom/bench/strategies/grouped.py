"""Strategies over groups of messages: a call and its results stand or fall together."""

from __future__ import annotations

from collections.abc import Sequence

from loom.bench.session import Wire
from loom.bench.strategies.baselines import Factory
from loom.bench.strategies.history import MessageGroup
from loom.bench.strategy import KeptWindow, WindowBudget
from loom.bench.wires import wire_of


class GroupedWindow:
    """The window of one session: what a policy leaves of its groups, as chat messages again."""

    tools: Sequence[Wire] = ()

    def __init__(self, budget: WindowBudget, make: Factory) -> None:
        self._budget = budget
        self._policy = make(budget.room, budget.reader.meter)
        self._groups: list[MessageGroup] = []
        self._taken = 0
        self._own: dict[int, Wire] = {}  # id of a message's blocks → as it was given

    def request(self, messages: Sequence[Wire]) -> list[Wire]:
        """The messages of the next request."""
        for wire in messages[self._taken :]:
            self._take(wire)
        self._taken = len(messages)
        left = self._policy(self._groups)
        return [self._own.get(id(message)) or wire_of(message) for message in left]

    def _take(self, wire: Wire) -> None:
        (message,) = self._budget.reader.messages([wire])
        tokens = self._budget.count([wire])
        self._own[id(message)] = wire
        if message.role == "tool" and self._groups:
            last = self._groups[-1]
            self._groups[-1] = MessageGroup((*last.messages, message), last.tokens + tokens)
        else:
            self._groups.append(MessageGroup((message,), tokens))


def grouped(budget: WindowBudget, make: Factory) -> KeptWindow:
    """The window of a policy over groups."""
    return GroupedWindow(budget, make)  # type: ignore[return-value]
