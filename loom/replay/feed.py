"""Replay: a recorded session goes through a window, as if it happened now."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from loom.context import Context
from loom.engine.turn import Turn
from loom.inputs import Event, Reply, Session, System, User


class Ingested(Struct, frozen=True):
    """A text that went in, and where it must come out again: entry id and place.

    `place` is `user`, `reply`, or the id of the call whose result it is.
    """

    entry: int
    place: str
    event: Event


def replay(ctx: Context, session: Session) -> Iterator[Turn]:
    """Feed every event; yields each turn as it would be sent, before the recorded reply to it.

    Ends with one more turn: the request that would follow the session.
    """
    for event in session.events:
        if isinstance(event, Reply):
            yield ctx.turn()
        feed(ctx, event)
    yield ctx.turn()


def feed(ctx: Context, event: Event) -> Ingested | None:
    """Give one event to the context; says where it went (None for instructions)."""
    if isinstance(event, System):
        key = "instructions" if ctx.window.sent.turn == 0 else f"instructions {event.index}"
        ctx.system(event.text, key)
        return None
    entry = ctx.window.history.next_id
    if isinstance(event, User):
        ctx.user(event.text)
        return Ingested(entry, "user", event)
    if isinstance(event, Reply):
        # What was reported then was the size of another request.
        ctx.reply(replace(event, prompt_tokens=0))
        return Ingested(entry, "reply", event)
    ctx.result(event.call_id, event.text, error=event.error)
    return Ingested(entry - 1, event.call_id, event)
