"""The asynchronous twin, left while a thread opens it: nothing stays open that nobody has."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

import loom
from tests.loom.test_aio import opened, run


class Gate(loom.Capability):
    """A capability that is asked when the workspace is locked; it lets nobody on."""

    name = "gate"

    def __init__(self) -> None:
        self.reached, self.open = threading.Event(), threading.Event()

    def opened(self) -> None:
        """Wait until the gate is opened."""
        self.reached.set()
        self.open.wait(60)


def test_a_child_whose_opening_is_cancelled(folder: Path) -> None:
    """It is closed, and is opened again as it was left."""

    async def work() -> None:
        gate = Gate()
        async with opened(folder) as ctx:
            await ctx.user("share it out")
            await ctx.turn()
            task = asyncio.create_task(ctx.agents.spawn("Count.", name="one", capabilities=[gate]))
            await asyncio.to_thread(gate.reached.wait)
            task.cancel()
            await asyncio.sleep(0)
            gate.open.set()
            with pytest.raises(asyncio.CancelledError):
                await task
            child = await ctx.agents.child("one")
            await child.close()
            await (await ctx.agents.child("one")).close()

    run(work())
