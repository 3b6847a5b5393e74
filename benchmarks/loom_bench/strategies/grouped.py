"""Strategies over groups of messages: a call and its results stand or fall together."""

from __future__ import annotations

from collections.abc import Sequence

from loom.providers.render.message import Message
from loom_bench.session import Wire
from loom_bench.strategies.baselines import Factory, fitted
from loom_bench.strategies.history import MessageGroup, flat, regrouped
from loom_bench.strategy import KeptWindow, WindowBudget
from loom_bench.wires import wire_of


class GroupedWindow:
    """The window of one session: what a policy leaves of its groups, as chat messages again.

    With `mended` a request that a provider would refuse is mended as a harness has to: broken pairs
    leave, then the oldest groups. `rescued` counts those.
    """

    tools: Sequence[Wire] = ()

    def __init__(self, budget: WindowBudget, make: Factory, *, mended: bool) -> None:
        self._budget = budget
        self._mended = mended
        self._policy = make(budget.room, budget.reader.meter)
        self._groups: list[MessageGroup] = []
        self._taken = 0
        self._given: dict[int, Wire] = {}  # id of a message → as it was given
        self.rescued = 0

    def request(self, messages: Sequence[Wire]) -> list[Wire]:
        """The messages of the next request."""
        for wire in messages[self._taken :]:
            self._take(wire)
        self._taken = len(messages)
        left = self._policy(self._groups)
        sent = self._lawful(left) if self._mended else left
        return [self._given.get(id(message)) or wire_of(message) for message in sent]

    def _lawful(self, left: list[Message]) -> list[Message]:
        meter, room = self._budget.reader.meter, self._budget.room
        mended = regrouped(left, meter)
        if flat(mended) == left and meter.messages(left) <= room:
            return left
        self.rescued += 1
        return flat(fitted(mended, room, meter))

    def ask(self, question: str) -> Sequence[str]:
        """Nothing can be asked."""
        return ()

    def close(self) -> None:
        """Close the policy, if it holds anything."""
        close = getattr(self._policy, "close", None)
        if close is not None:
            close()

    def _take(self, wire: Wire) -> None:
        (message,) = self._budget.reader.messages([wire])
        tokens = self._budget.count([wire])
        self._given[id(message)] = wire
        if message.role == "tool" and self._groups:
            last = self._groups[-1]
            self._groups[-1] = MessageGroup((*last.messages, message), last.tokens + tokens)
        else:
            self._groups.append(MessageGroup((message,), tokens))


def grouped(budget: WindowBudget, make: Factory) -> KeptWindow:
    """The window of a policy over groups, whose requests are sent as it leaves them."""
    return GroupedWindow(budget, make, mended=False)


def of_package(budget: WindowBudget, make: Factory) -> KeptWindow:
    """The window of another package, mended where a provider would refuse it."""
    return GroupedWindow(budget, make, mended=True)
