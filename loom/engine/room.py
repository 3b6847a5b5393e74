"""The room of a window: what may not leave it, and what is left beside that."""

from __future__ import annotations

from loom.compress.renew import CEILING
from loom.engine.notices import MINIMAL_TAIL, Notices
from loom.errors import OverCapacity
from loom_partitions.window import Window


class Room:
    """Tells whether a window could hold a history."""

    def __init__(self, notices: Notices) -> None:
        self._notices = notices

    def needs(self, after: Window) -> dict[str, int]:
        """Tokens of what may not leave the window; `tail` is the least history."""
        return {
            "system": after.system.settle().tokens,
            "memory": after.memory.settle().tokens,
            "skill": after.skill.settle().tokens,
            "working": self._notices.widest(after),
            "tail": after.limits.head + MINIMAL_TAIL,
        }

    def free(self, after: Window) -> int:
        """Tokens left beside what may not leave the window."""
        return int(after.limits.capacity * CEILING) - sum(self.needs(after).values())

    def check(self, after: Window) -> None:
        """Raise OverCapacity when what may not leave the window takes too much of it."""
        needs = self.needs(after)
        if sum(needs.values()) > after.limits.capacity * CEILING:
            largest = max((name for name in needs if name != "tail"), key=lambda name: needs[name])
            raise OverCapacity(largest, needs[largest], after.limits.capacity)
