"""A table of bounded size that keeps the keys used last, so that many who ask cannot fill the
memory."""

from __future__ import annotations

from collections import OrderedDict
from typing import TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class RecentTable(OrderedDict[Key, Value]):
    """A table of at most `most` keys, ordered by their last call of `seen`: the newest is last."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most = most

    def seen(self, key: Key, value: Value) -> Value:
        """Return the value of a key; a new key gets `value`. The key becomes the newest; the oldest
        key beyond `most` is dropped."""
        held = self.setdefault(key, value)
        self.move_to_end(key)
        if len(self) > self.most:
            self.popitem(last=False)
        return held
