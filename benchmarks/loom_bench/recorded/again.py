"""A call made again: what an agent does that misses a result and has no other way to it."""

from __future__ import annotations

from collections.abc import Sequence

from loom.inputs import Event, Reply, Result, ToolCall
from loom_bench.recorded.labels import Need
from loom_bench.sessions.needle import event_texts


def again(need: Need, events: Sequence[Event], number: int) -> tuple[ToolCall, str]:
    """The call, and the result it brings: the newest result that held the needle, whole.

    What was said comes as the result of a call that asks for it.
    """
    holders = [events[holder.at] for holder in need.holders]
    results = [event for event in holders if isinstance(event, Result)]
    event = (results or holders)[-1]
    text = event.text if isinstance(event, Result) else "\n".join(event_texts(event))
    call = _call_of(event, events)
    return ToolCall(f"again_{number}", call.name, call.arguments), text


def _call_of(event: Event, events: Sequence[Event]) -> ToolCall:
    """The call that a result answers; for anything else a call that asks for it."""
    if isinstance(event, Result):
        replies = (one for one in reversed(events) if isinstance(one, Reply))
        calls = (call for reply in replies for call in reply.calls)
        return next(call for call in calls if call.id == event.call_id)
    return ToolCall("", "read_again", "{}")
