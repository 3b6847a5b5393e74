"""A table of bounded size that keeps the keys used last, so that many who ask cannot fill the
memory."""

from __future__ import annotations

from collections import OrderedDict
from typing import TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class RecentTable(OrderedDict[Key, Value]):
    """A table of at most `most` keys, in the order in which `seen` was last called for them."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most = most

    def seen(self, key: Key, value: Value) -> Value:
        """Return the value of a key, after `value` was stored for a new key. The key becomes the
        newest; where there are more than `most` keys, the oldest is dropped."""
        held = self.setdefault(key, value)
        self.move_to_end(key)
        if len(self) > self.most:
            self.popitem(last=False)
        return held
