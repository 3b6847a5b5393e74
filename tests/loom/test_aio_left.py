"""The asynchronous twin, left while a thread opens it: nothing stays open that nobody has."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

import loom
from tests.kit.cases import all_cases
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


@pytest.mark.parametrize("times", [1, 2])
def test_an_opening_that_is_cancelled_closes_what_it_opens(folder: Path, times: int) -> None:
    """Cancelled while a thread opens it, and again while that is waited for: it is free."""

    async def work() -> None:
        gate = Gate()

        async def enter() -> None:
            async with opened(folder, capabilities=[gate]):
                pass

        task = asyncio.create_task(enter())
        await asyncio.to_thread(gate.reached.wait)
        for _ in range(times):
            task.cancel()
            await asyncio.sleep(0)
        gate.open.set()
        with pytest.raises(asyncio.CancelledError):
            await task

    run(work())  # it ends when all threads have
    loom.open(folder, durable=False).close()


@all_cases("passes", range(4))
def test_an_opening_that_is_cancelled_at_once(folder: Path, passes: int) -> None:
    """Before or after its thread began: when the wait is over, the folder is free."""

    async def work() -> None:
        async def enter() -> None:
            async with opened(folder):
                await asyncio.Event().wait()

        task = asyncio.create_task(enter())
        for _ in range(passes):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        loom.open(folder, window=8_000, durable=False).close()

    run(work())


def test_one_that_was_left_is_entered_again(folder: Path) -> None:
    """The same object opens the workspace anew."""

    async def work() -> None:
        gate = Gate()
        ctx = opened(folder, capabilities=[gate])
        task = asyncio.create_task(ctx.__aenter__())
        await asyncio.to_thread(gate.reached.wait)
        task.cancel()
        await asyncio.sleep(0)
        gate.open.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        await ctx.close()
        loom.open(folder, durable=False).close()
        async with ctx:
            await ctx.user("go on")

    run(work())


def test_a_loop_that_ends_while_it_opens(folder: Path) -> None:
    """What the end of the loop cancels is closed too."""
    gate = Gate()

    async def until_cancelled() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            gate.open.set()  # by then the end of the loop has cancelled all tasks

    async def work() -> None:
        tasks = [opened(folder, capabilities=[gate]).user("go on"), until_cancelled()]
        kept.extend(asyncio.create_task(task) for task in tasks)
        await asyncio.to_thread(gate.reached.wait)

    kept: list[asyncio.Task[None]] = []
    run(work())
    assert all(task.cancelled() for task in kept)
    loom.open(folder, durable=False).close()


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


def test_a_child_is_closed_that_was_never_used(folder: Path) -> None:
    """It came open, so its workspace is free after `close`."""

    async def work() -> None:
        async with opened(folder) as ctx:
            child = await ctx.agents.spawn("Count.", name="one")
            await child.close()
            await (await ctx.agents.child("one")).close()

    run(work())
