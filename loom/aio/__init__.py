"""The same context for code on an event loop: every method awaits a thread that does the work.

    async with loom.aio.open("runs/auth", goal="…", tools=TOOLS) as ctx:
        turn = await ctx.turn()
        await ctx.reply(await client.chat.completions.create(**turn.request("openai")))

A method commits all of its records or none, also when the task that awaits the method is cancelled.
A thread cannot be cancelled: a context opened for a task that no longer waits is closed."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import ParamSpec

from loom import opening
from loom.aio.context import AsyncContext
from loom.live import Context
from loom.reduce.summarize import asummarize

__all__ = ["AsyncContext", "asummarize", "open"]

P = ParamSpec("P")


def _async_open(open_sync: Callable[P, Context]) -> Callable[P, AsyncContext]:
    """Return a function that takes the arguments of `open_sync` and returns an AsyncContext."""

    def open(*args: P.args, **kwargs: P.kwargs) -> AsyncContext:
        return AsyncContext(lambda: open_sync(*args, **kwargs))

    open.__signature__ = signature(open_sync)  # type: ignore[attr-defined]
    open.__doc__ = f"""{open_sync.__doc__}

    This function returns an AsyncContext; `async with`, or the first awaited method, opens the
    workspace."""
    return open


open = _async_open(opening.open)
