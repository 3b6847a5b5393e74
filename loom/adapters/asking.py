"""Asks a model for one reply that the host program has to handle.

The model may call Loom's own tools. Loom answers such calls itself and asks the model again, until
the model gives an answer or calls a tool of the host. If a request is too long, a smaller one is
sent."""

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
    """Ask the model, and return its first reply that the host has to handle. If a reply only calls
    Loom's tools, Loom answers the calls and asks again.

    `ask` sends a turn's request and returns the framework's reply. `taken` converts this reply to a
    value for `Context.reply`. Raises what `ask` raises, OverCapacity if the smaller request is
    refused too, BadInput, and LoomError after `MOST` replies in a row that only call Loom's tools.
    """
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
    """Do what `ask_for_host_reply_async` does, with an `ask` that is not asynchronous."""

    async def at_once(turn: Turn) -> Given:
        return ask(turn)

    asking = ask_for_host_reply_async(ctx, turn, at_once, taken)
    try:
        asking.send(None)
    except StopIteration as ended:
        return ended.value
    raise AssertionError("nothing is waited for")
