"""Replay: a recorded session goes through a window, as if it happened now."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from loom.inputs import Event, Reply, Session, System, User
from loom.live import Context
from loom.session.archive.workspace import milliseconds_now
from loom.session.turn import Turn


class Ingested(Struct, frozen=True):
    """An event that went into a window, and where its text can be read back: the id of the entry
    and a place in it.

    `place` is `user`, `reply`, or the id of a call, when the event is the result of that call."""

    entry: int
    place: str
    event: Event


class RecordedClock:
    """A clock that shows the time of a recording while its events are fed, in milliseconds since
    the epoch. For a recording without times it shows this machine's time. A workspace opened with
    it gets records with the recording's times."""

    def __init__(self, session: Session) -> None:
        self._times = session.times
        self._at = next(filter(None, session.times), 0)

    def __call__(self) -> int:
        """Return the current time of the recording."""
        return self._at or milliseconds_now()

    def reach(self, number: int) -> None:
        """Set the time to that of event number `number`; time never goes back."""
        self._at = max(self._at, self._times[number] if self._times else 0)


def replay(ctx: Context, session: Session, now: RecordedClock | None = None) -> Iterator[Turn]:
    """Feed every event of a session to the context. Yield the request before each recorded reply,
    and at the end the request that would follow the session.

    `now` is the clock the context was opened with, if that is a RecordedClock."""
    for number, event in enumerate(session.events):
        if isinstance(event, Reply):
            yield ctx.turn()
        if now is not None:
            now.reach(number)
        feed(ctx, event)
    yield ctx.turn()


def feed(ctx: Context, event: Event) -> Ingested | None:
    """Give one event to the context. Return which entry it became; None for instructions."""
    if isinstance(event, System):
        key = "instructions" if ctx.window.sent.turn == 0 else f"instructions {event.index}"
        ctx.system(event.text, key)
        return None
    entry = ctx.window.history.next_id
    if isinstance(event, User):
        ctx.user(event.text, kind=event.kind)
        return Ingested(entry, "user", event)
    if isinstance(event, Reply):
        # What was reported then was the size of another request.
        ctx.reply(replace(event, prompt_tokens=0))
        return Ingested(entry, "reply", event)
    ctx.result(event.call_id, event.text, error=event.error)
    return Ingested(entry - 1, event.call_id, event)
