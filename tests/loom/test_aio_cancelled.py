"""The asynchronous twin, when the task that awaits a call is cancelled: the call is finished."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

import loom
from loom.aio import AsyncContext
from tests.loom.test_aio import opened, run


@asynccontextmanager
async def full(ctx: AsyncContext, workers: int = 2) -> AsyncIterator[None]:
    """The loop's executor with nothing but calls that wait until this is left."""
    loop, free = asyncio.get_running_loop(), threading.Event()
    while ctx._calls._busy:  # a thread that has made the last call, and looks for another
        await asyncio.sleep(0)
    loop.set_default_executor(ThreadPoolExecutor(workers))
    busy = [loop.run_in_executor(None, free.wait) for _ in range(workers)]
    try:
        yield
    finally:
        free.set()
        await asyncio.gather(*busy)


async def given(work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
    """The task of a call that has come to where its thread is asked for."""
    task = asyncio.create_task(work)
    for _ in range(5):
        await asyncio.sleep(0)
    return task


async def cancelled(*tasks: asyncio.Task[Any]) -> None:
    """Cancel tasks, and wait for their end."""
    for task in tasks:
        task.cancel()
    ended = await asyncio.gather(*tasks, return_exceptions=True)
    assert all(isinstance(one, asyncio.CancelledError) for one in ended)


def texts(folder: Path) -> list[str]:
    """What the entries of a workspace say."""
    with loom.open(folder, durable=False) as ctx:
        return [ctx.history.restore(id).text for id in range(1, ctx.window.history.next_id)]


CALLS: dict[str, tuple[Callable[[AsyncContext], Any], Callable[[AsyncContext], object]]] = {
    "method": (lambda ctx: ctx.user("two"), lambda ctx: ctx.window.history.next_id == 3),
    "namespace": (lambda ctx: ctx.memory.remember("note", "we use tabs"),
                  lambda ctx: "we use tabs" in str(ctx.window.memory)),
    "agent": (lambda ctx: ctx.agents.spawn("Count.", name="one"),
              lambda ctx: "one" in ctx.agents.sync.children),
}  # fmt: skip


@pytest.mark.parametrize("kind", CALLS)
def test_a_call_that_waits_for_a_thread(folder: Path, kind: str) -> None:
    """It is made when there is one."""
    call, made = CALLS[kind]

    async def work() -> None:
        async with opened(folder) as ctx:
            await ctx.user("one")
            async with full(ctx):
                task = await given(call(ctx))
                task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await ctx.look()
            assert made(ctx)

    run(work())


@pytest.mark.parametrize("stopped", [True, False])
def test_calls_of_many_threads_keep_their_order(folder: Path, stopped: bool) -> None:
    """Those cancelled while their thread is at work, and those that run together."""

    async def work() -> None:
        async with opened(folder) as ctx:
            for _ in range(20):
                tasks = [asyncio.create_task(ctx.user("x")) for _ in range(2)]
                await asyncio.gather(*tasks)
            tasks = []
            for at in range(60):
                tasks.append(asyncio.create_task(ctx.user(str(at))))
                await asyncio.sleep(0)
                if stopped:
                    tasks[-1].cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await ctx.user("last")

    run(work())
    assert texts(folder)[40:] == [*map(str, range(60)), "last"]


@pytest.mark.parametrize("how", ["timeout", "group"])
def test_calls_given_together(folder: Path, how: str) -> None:
    """A time that is over, or a task beside them that fails, ends the waiting alone."""

    async def fails() -> None:
        raise KeyError("beside")

    async def work() -> None:
        async with opened(folder) as ctx:
            await ctx.user("0")
            async with full(ctx, 1):
                calls = [ctx.user(str(at)) for at in range(1, 5)]
                if how == "timeout":
                    with pytest.raises(TimeoutError):
                        await asyncio.wait_for(asyncio.gather(*calls), 0.01)
                else:
                    tasks = [await given(call) for call in calls]
                    with pytest.raises(KeyError):
                        await asyncio.gather(fails(), *tasks)
                    await cancelled(*tasks)

    run(work())
    assert texts(folder) == [str(at) for at in range(5)]


@pytest.mark.parametrize("closing", ["awaited", "cancelled"])
def test_a_close_behind_calls_that_wait(folder: Path, closing: str) -> None:
    """It comes after them, also when nobody waits for it; no thread stays."""
    before = threading.active_count()

    async def work() -> None:
        ctx = opened(folder)
        await ctx.user("0")
        async with full(ctx, 3):
            await cancelled(*[await given(ctx.user(str(at))) for at in range(1, 9)])
            close = await given(ctx.close())
            if closing == "cancelled":
                await cancelled(close)
        if closing == "awaited":
            await close

    run(work())
    assert sorted(texts(folder)) == [str(at) for at in range(9)]
    assert threading.active_count() <= before


CHUNKS: list[dict[str, Any]] = [
    {
        "object": "chat.completion.chunk",
        "model": "gpt-5",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }
    for delta, finish in (
        ({"role": "assistant", "content": "All "}, None),
        ({"content": "well."}, None),
        ({}, "stop"),
    )
]


async def stream(chunks: list[dict[str, Any]]) -> AsyncIterator[dict[str, Any]]:
    """A stream as an asynchronous client gives it."""
    for chunk in chunks:
        await asyncio.sleep(0)
        yield chunk


def test_a_reply_at_the_end_of_its_stream(folder: Path) -> None:
    """The stream had ended: the reply is taken."""

    async def work() -> None:
        async with opened(folder) as ctx:
            await ctx.user("go on")
            await ctx.turn()
            seen, busy = asyncio.Event(), asyncio.Event()

            async def chunks() -> AsyncIterator[dict[str, Any]]:
                async for chunk in stream(CHUNKS):
                    yield chunk
                seen.set()
                await busy.wait()

            async def take() -> None:
                async for _ in ctx.collect(chunks()):
                    pass

            task = asyncio.create_task(take())
            await seen.wait()
            async with full(ctx):
                busy.set()
                for _ in range(9):
                    await asyncio.sleep(0)
                await cancelled(task)
            await ctx.look()
            assert ctx.done and ctx.text == "All well."

    run(work())
