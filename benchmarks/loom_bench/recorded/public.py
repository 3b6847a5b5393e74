"""A strategy of chat messages as a policy over recorded groups: any that `loom bench` knows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from loom.providers.render.message import Message
from loom_bench.session import Wire
from loom_bench.strategies.history import MessageGroup
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
