"""Puts recorded events in lawful order: each reply is followed by one result for each of its calls.

Theory of operation. The events are read once. A reply opens its calls, and a result closes one
call. While calls are open, instructions and results that belong to no call are held back until
after the last result. A user message or the next reply closes all open calls: each gets a made-up
result that says none was recorded. If the real result is recorded later, it replaces the made-up
one. A result whose call is not found becomes a user message that says so. Nothing that was said is
lost, and every change is noted."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count

from msgspec.structs import replace

from loom.inputs import ClientCompaction, Event, Reply, Result, Speech, System, ToolCall, User

NO_RESULT = "no result was recorded for this call"


def mend_order(
    events: Iterable[Event | ClientCompaction],
) -> tuple[tuple[Event, ...], tuple[str, ...]]:
    """Return (the events in lawful order, a note on each change). In lawful order, a reply is
    followed directly by one result for each of its calls. Compactions are left out."""
    mender = _OrderMender()
    for event in events:
        mender.take(event)
    mender.close()
    return tuple(mender.events), tuple(mender.notes)


class _OrderMender:
    """Puts events in order one by one. `events` holds the ordered events. `_open` has a pair
    (recorded call id, call in `events`) for each call without a result. `_made` maps a recorded
    call id to pairs (index of a made-up result in `events`, index of its note in `notes`)."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.notes: list[str] = []
        self._open: list[tuple[str, ToolCall]] = []
        self._held: list[Event] = []
        self._made: dict[str, list[tuple[int, int]]] = {}

    def take(self, event: Event | ClientCompaction) -> None:
        """Process the next recorded event."""
        match event:
            case Reply() if all(isinstance(p, Speech) and not p.text.strip() for p in event.parts):
                self.notes.append(f"message {event.index}: a blank reply was dropped")
            case Reply():
                self.close()
                made = self._with_distinct_call_ids(event)
                self.events.append(made)
                recorded = (call.id for call in event.calls)
                self._open = list(zip(recorded, made.calls, strict=True))
            case Result() if not self._place_result(event):
                said = f"a result without a call ({event.call_id}) became a user turn"
                self.notes.append(f"message {event.index}: {said}")
                text = f"[result without a call: {event.call_id}]\n{event.text}"
                self._append_or_hold(User(text, event.index))
            case System():
                self._append_or_hold(event)
            case User():
                self.close()
                self.events.append(event)

    def close(self) -> None:
        """Append a made-up result for each open call, then the events that were held back."""
        made: dict[str, list[tuple[int, int]]] = {}
        for recorded, call in self._open:
            made.setdefault(recorded, []).append((len(self.events), len(self.notes)))
            self.events.append(Result(call.id, NO_RESULT, error=True))
            self.notes.append(f"call {call.id} ({call.name}): no result was recorded, one was made")
        self._made |= made
        self._open = []
        self._release_held()

    def _with_distinct_call_ids(self, reply: Reply) -> Reply:
        """Return the reply with numbers added to repeated call ids: `c1`, `c1` → `c1`, `c1_2`."""
        used, seen = {call.id for call in reply.calls}, set[str]()
        parts = list(reply.parts)
        for place, part in enumerate(parts):
            if isinstance(part, ToolCall) and part.id in seen:
                suffixed = (f"{part.id}_{number}" for number in count(2))
                fresh = next(id for id in suffixed if id not in used)
                used.add(fresh)
                parts[place] = replace(part, id=fresh)
                told = f"a second call {part.id} was renamed {fresh}"
                self.notes.append(f"message {reply.index}: {told}")
            elif isinstance(part, ToolCall):
                seen.add(part.id)
        return replace(reply, parts=tuple(parts))

    def _place_result(self, result: Result) -> bool:
        """Append the result if its call is open, or replace the made-up result of its call. Return
        False if neither is possible."""
        for place, (recorded, call) in enumerate(self._open):
            if recorded == result.call_id:
                del self._open[place]
                self.events.append(replace(result, call_id=call.id))
                if not self._open:
                    self._release_held()
                return True
        if not (waiting := self._made.get(result.call_id)):
            return False
        at, note = waiting.pop(0)
        made = self.events[at]
        assert isinstance(made, Result)
        self.events[at] = replace(result, call_id=made.call_id)
        told = f"the late result of call {made.call_id} was moved to its call"
        self.notes[note] = f"message {result.index}: {told}"
        return True

    def _append_or_hold(self, event: System | User) -> None:
        """Append an event, or hold it back until all open calls have results."""
        if self._open:
            self._held.append(event)
            self.notes.append(f"message {event.index}: moved behind the results it stood between")
        else:
            self.events.append(event)

    def _release_held(self) -> None:
        """Append the events that were held back."""
        self.events += self._held
        self._held = []
