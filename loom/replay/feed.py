"""Replay: feed the events of a recorded session to a context as if they happened now."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from loom.inputs import Event, Reply, Session, System, User
from loom.live import Context
from loom.session.archive.workspace import milliseconds_now
from loom.session.turn import Turn


class Ingested(Struct, frozen=True):
    """An event that was fed to a context, and the id of its entry. `place` is the part of the entry
    that holds the text: "user", "reply", or the call id of a tool result."""

    entry: int
    place: str
    event: Event


class RecordedClock:
    """A clock that returns the recorded times of a session's events, in milliseconds since the
    epoch. Open the context with this clock and call `reach` for each event. If no times are
    recorded, the clock returns this machine's time."""

    def __init__(self, session: Session) -> None:
        self._times = session.times
        self._at = next(filter(None, session.times), 0)

    def __call__(self) -> int:
        """Return the clock's time, in milliseconds since the epoch."""
        return self._at or milliseconds_now()

    def reach(self, number: int) -> None:
        """Set the clock to the time of event number `number`. The clock never goes back."""
        self._at = max(self._at, self._times[number] if self._times else 0)


def replay(ctx: Context, session: Session, now: RecordedClock | None = None) -> Iterator[Turn]:
    """Feed every event of a session to the context. Yield the request before each recorded reply
    and, at the end, the request that would come next. `now` is the RecordedClock that the context
    was opened with, if any."""
    for number, event in enumerate(session.events):
        if isinstance(event, Reply):
            yield ctx.turn()
        if now is not None:
            now.reach(number)
        feed(ctx, event)
    yield ctx.turn()


def feed(ctx: Context, event: Event) -> Ingested | None:
    """Feed one event to the context. Return the event with the id of its entry, or None for
    instructions, which become no entry."""
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
