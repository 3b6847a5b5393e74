"""The room a window has for guides."""

from __future__ import annotations

from loom.engine import Engine


def room_of(engine: Engine, own: int) -> int:
    """Tokens the guides may take: the partition's share, less what the window lacks.

    `own` are those they take now.
    """
    window = engine.window
    share = int(window.limits.capacity * engine.policy.memory_share)
    return max(min(share, engine.room.free(window) + own), 0)
