"""A recorded session without Loom: a client that sends its whole list of messages every time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from loom.inputs import Event, Reply, Result, Session, Speech, System, ToolCall
from loom.providers.render.message import Block, CallBlock, Message, ResultBlock, TextBlock
from loom.replay.cost import Bill, Meter


class PlainRun(Struct, frozen=True):
    """The requests a plain client would have sent, and where they no longer fit.

    `bill` is of all of them, as if the window had no end. `overflow` is the number of the first
    request, from 1, that is larger than the room it has, 0 when all fit; `lawful` is the bill of
    those before it.
    """

    bill: Bill
    lawful: Bill
    overflow: int = 0


def plain_run(
    session: Session, meter: Meter, capacity: int, clean: Callable[[str], str] = str
) -> PlainRun:
    """Bill a request before each recorded reply; `capacity` is the room for one, in tokens.

    Texts are counted as `clean` returns them: where Loom replaces secrets, the same texts are held
    against each other.

    The list only grows, so each request begins with the whole of the one before: that is read from
    the cache, what is new is written to it.
    """
    bill, lawful, overflow = Bill(), Bill(), 0
    names: dict[str, str] = {}
    size = before = 0
    for event in session.events:
        if isinstance(event, Reply):
            names = {call.id: call.name for call in event.calls}
            if size > capacity and not overflow:
                lawful, overflow = replace(bill), bill.calls + 1
            bill.add(Bill(calls=1, sent=size, reused=before, peak=size))
            before = size
        size += meter.message(message_of(event, names, clean))
    return PlainRun(bill, lawful if overflow else replace(bill), overflow)


def message_of(event: Event, names: dict[str, str], clean: Callable[[str], str] = str) -> Message:
    """An event as a message; `names` are the tools of the open calls by their ids."""
    if isinstance(event, Reply):
        blocks: list[Block] = []
        for part in event.parts:
            if isinstance(part, Speech):
                blocks.append(TextBlock(clean(part.text)))
            elif isinstance(part, ToolCall):
                blocks.append(CallBlock(part.id, part.name, clean(part.arguments)))
        return Message("assistant", tuple(blocks))
    if isinstance(event, Result):
        name = names.get(event.call_id, "")
        return Message("tool", (ResultBlock(event.call_id, name, clean(event.text), event.error),))
    return Message(
        "system" if isinstance(event, System) else "user", (TextBlock(clean(event.text)),)
    )


def replied_tokens(session: Session, meter: Meter) -> int:
    """Tokens of what the model wrote, as far as a text of it was recorded; reasoning is not."""
    replies = (event for event in session.events if isinstance(event, Reply))
    return sum(meter.message(message_of(reply, {})) for reply in replies)


def model_of(session: Session) -> str:
    """The model a session was recorded with, "" where nothing says: the one most replies name.

    What a client wrote in a model's place (`<synthetic>`) is none.
    """
    named = (event.model for event in session.events if isinstance(event, Reply))
    counts = Counter(name for name in named if name and not name.startswith("<"))
    recorded = "" if session.model.startswith("<") else session.model
    return recorded or (counts.most_common(1)[0][0] if counts else "")
