"""Rules and facts planted in events of any origin, for the end of a life to be asked for them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from random import Random

from msgspec.structs import replace

from loom.inputs import Event, Reasoning, Reply, Result, Speech, ToolCall, User
from loom_bench.sessions.planted import FIRST, LAST, OUTPUT, REMARKED, PlantedItem


def planted(events: Iterable[Event], steps: int, items: Sequence[PlantedItem]) -> Iterator[Event]:
    """The events with each item brought in its way, at equal distances over so many replies."""
    share = (LAST - FIRST) / max(len(items), 1)
    waiting = deque((steps * (FIRST + share * at), item) for at, item in enumerate(items))
    rng, number = Random("planted"), 0
    found: list[PlantedItem] = []  # what the next result holds
    for event in events:
        if isinstance(event, Reply):
            while waiting and waiting[0][0] <= number:
                _, item = waiting.popleft()
                if item.kind == OUTPUT:
                    found.append(item)
                elif item.kind == REMARKED:
                    event = remarked(event, item)
                else:
                    yield User(item.sentence)
            number += 1
        elif isinstance(event, Result) and found:
            lines = event.text.split("\n")
            for item in found:
                lines.insert(rng.randrange(len(lines) + 1), f"    {item.key} = {item.value}")
            event, found = replace(event, text="\n".join(lines)), []
        yield event


def remarked(reply: Reply, item: PlantedItem) -> Reply:
    """A reply that says the fact before all but its reasoning."""
    parts = reply.parts
    speaks = (at for at, part in enumerate(parts) if not isinstance(part, Reasoning))
    at = next(speaks, len(parts))
    return replace(reply, parts=(*parts[:at], Speech(item.sentence), *parts[at:]))


def renamed(events: Iterable[Event]) -> Iterator[Event]:
    """The events with ids of calls that no two replies share, as providers make them."""
    ids: dict[str, str] = {}
    for number, event in enumerate(events):
        if isinstance(event, Reply):
            ids = {call.id: f"call_{number}_{at}" for at, call in enumerate(event.calls)}
            event = replace(
                event,
                parts=tuple(
                    replace(part, id=ids[part.id]) if isinstance(part, ToolCall) else part
                    for part in event.parts
                ),
            )
        elif isinstance(event, Result):
            event = replace(event, call_id=ids.get(event.call_id, event.call_id))
        yield event
