"""Asking a model for one reply of a host's conversation, by the function the framework asks with.

The model may call Loom's own tools: Loom answers these calls at once, and the model is asked again,
until it answers or calls a tool of the host's. A request too long is made smaller once."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from loom.errors import LoomError
from loom.live import Context
from loom.session.turn import Turn

Given = TypeVar("Given")  # what the framework has for a reply
# A judgement: a model that calls Loom's tools alone as often, one reply after another, goes round.
MOST = 64
ENDLESS = f"{MOST} replies in a row called tools of Loom's alone: stop the model, or tell it more"


async def ask_for_host_reply_async(
    ctx: Context,
    turn: Turn,
    ask: Callable[[Turn], Awaitable[Given]],
    taken: Callable[[Given], object],
) -> Given:
    """Ask the model until its reply is for the host, and return this reply: while it calls only
    Loom's tools, Loom answers and asks again.

    `ask` sends a turn's request and returns the framework's reply; `taken` converts that reply to
    one that `Context.reply` takes. Calls of the context are short, so they run where they stand,
    not in a thread. Raises what `ask` raises, OverCapacity after a second refusal, BadInput, and
    LoomError where the model calls nothing but Loom's tools `MOST` times in a row."""
    for _ in range(MOST):
        try:
            given = await ask(turn)
        except Exception as error:
            ctx.overflowed(error)  # raises any other error again
        else:
            ctx.reply(taken(given))
            if ctx.calls or ctx.done:
                return given
        turn = ctx.turn()
    raise LoomError(ENDLESS)


def ask_for_host_reply(
    ctx: Context, turn: Turn, ask: Callable[[Turn], Given], taken: Callable[[Given], object]
) -> Given:
    """Return the reply for the host, like `ask_for_host_reply_async`; `ask` is a plain function."""

    async def at_once(turn: Turn) -> Given:
        return ask(turn)

    asking = ask_for_host_reply_async(ctx, turn, at_once, taken)
    try:
        asking.send(None)
    except StopIteration as ended:
        return ended.value
    raise AssertionError("nothing is waited for")
