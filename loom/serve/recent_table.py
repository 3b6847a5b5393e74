"""A table that keeps what was seen last: many who ask cannot fill the memory."""

from __future__ import annotations

from collections import OrderedDict
from typing import TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class RecentTable(OrderedDict[Key, Value]):
    """A table of at most so many keys, the one seen last at its end."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most = most

    def seen(self, key: Key, value: Value) -> Value:
        """See a key, and return its value, this one where it had none; the oldest may go."""
        held = self.setdefault(key, value)
        self.move_to_end(key)
        if len(self) > self.most:
            self.popitem(last=False)
        return held
