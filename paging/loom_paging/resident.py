"""The resident set: values in memory up to a number of bytes; the least recently used leave first.

A value larger than the whole budget is not kept, so one giant page does not empty the set."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class ResidentSet(Generic[Value]):
    """A cache of values, each with a cost in bytes. `bytes` is the sum of the costs, at most
    `budget`."""

    def __init__(self, budget: int) -> None:
        self.budget = budget
        self.bytes = 0
        self._held: OrderedDict[Hashable, tuple[Value, int]] = OrderedDict()

    def get(self, key: Hashable) -> Value | None:
        """Return the value of a key, and count it as just used. None means it is not there."""
        if key not in self._held:
            return None
        self._held.move_to_end(key)
        return self._held[key][0]

    def keep(self, key: Hashable, value: Value, cost: int) -> None:
        """Keep a value in memory, unless it costs more than the whole budget. The least recently
        used values are dropped to make room."""
        self.drop(key)
        if cost > self.budget:
            return
        self._held[key] = (value, cost)
        self.bytes += cost
        while self.bytes > self.budget:
            _, (_, freed) = self._held.popitem(last=False)
            self.bytes -= freed

    def drop(self, key: Hashable) -> None:
        """Remove one value from memory. No-op when it is not there."""
        _, cost = self._held.pop(key, (None, 0))
        self.bytes -= cost
