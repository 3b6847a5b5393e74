"""What a host recalls: passages, memories behind them, or a line that says there are none."""

from __future__ import annotations

from pathlib import Path

import loom
from loom.capabilities.memory import Memory


def opened(folder: Path) -> loom.Context:
    """A context with long-term memory."""
    return loom.open(folder / "w", capabilities=[Memory(folder / "m")], durable=False)


def test_memories_are_told(tmp_path: Path) -> None:
    """A saved memory is found, alone and behind a passage, within the room that is given."""
    with opened(tmp_path) as ctx:
        ctx.memory.save("the zebra gateway listens on port 7711")
        found = ctx.recall("zebra gateway")
        assert "port 7711" in found
        assert "nothing holds" not in found
        ctx.user("where is the zebra gateway?")
        found = ctx.recall("zebra gateway")
        assert found.index("where is") < found.index("port 7711")
        for room in (0, 10, 60, 200):
            assert len(ctx.recall("zebra gateway", room)) <= room
            assert ctx._engine.sizes.count(ctx.recall("zebra gateway", tokens=room)) <= room
