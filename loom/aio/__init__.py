"""The same context off the event loop: every method awaits a thread that does the work.

    async with loom.aio.open("runs/auth", goal="…", tools=TOOLS) as ctx:
        turn = await ctx.turn()
        await ctx.reply(await client.chat.completions.create(**turn.request("openai")))

What a method commits it commits whole, also when the task that awaits it is cancelled. A thread
cannot be cancelled: what it opens for a task that no longer waits is closed again.
"""

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


def _async_open(opened: Callable[P, Context]) -> Callable[P, AsyncContext]:
    """The same arguments for an AsyncContext."""

    def open(*args: P.args, **kwargs: P.kwargs) -> AsyncContext:
        return AsyncContext(lambda: opened(*args, **kwargs))

    open.__signature__ = signature(opened)  # type: ignore[attr-defined]
    open.__doc__ = f"""{opened.__doc__}
    It is an AsyncContext that is returned; `async with`, or the first method that is awaited, opens
    the workspace."""
    return open


open = _async_open(opening.open)
