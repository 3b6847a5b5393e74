"""A table of bounded size that keeps the newest keys: many who ask cannot fill the memory."""

from __future__ import annotations

from collections import OrderedDict
from typing import TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class RecentTable(OrderedDict[Key, Value]):
    """A table of at most `most` keys, the one looked up last at its end."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most = most

    def seen(self, key: Key, value: Value) -> Value:
        """Return the value of a key, `value` where the key is new, and make the key the newest; the
        oldest key beyond `most` is dropped."""
        held = self.setdefault(key, value)
        self.move_to_end(key)
        if len(self) > self.most:
            self.popitem(last=False)
        return held
