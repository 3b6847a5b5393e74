"""Where items of a window's history stand among the messages of its request."""

from __future__ import annotations

from array import array
from collections.abc import Iterable

from loom_partitions.message import Item, Step
from loom_partitions.sent import Sent
from loom_partitions.stream import is_lowered


class MessagePositions:
    """How many whole messages stand before each item, counted as the items are rendered."""

    def __init__(self, head: int = 0) -> None:
        """`head` is how many messages the head makes."""
        self._before = array("q")
        self._count = head
        self._lowered = False  # the last item is one of a run, which is one message

    def add(self, items: Iterable[Item]) -> None:
        """Count more items."""
        for item in items:
            now = is_lowered(item)
            goes_on = self._lowered and now
            # A run that goes on behind an item is no whole message there: it will differ.
            self._before.append(self._count - goes_on)
            if not goes_on:
                self._count += 1 + (len(item.outcomes) if not now and isinstance(item, Step) else 0)
            self._lowered = now

    def marks(self, sent: Sent) -> tuple[int, ...]:
        """Numbers of messages at whose ends a provider's cache may hold a prefix of this request:
        what the last cut left as it had been sent, and the request before this one."""
        places = {self._place(items) for items in (sent.stable, sent.known) if items > 0}
        return tuple(sorted(places))

    def _place(self, items: int) -> int:
        return self._before[items] if items < len(self._before) else self._count
