"""A recorded session as messages, and the model it was recorded with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from loom.inputs import Event, Reply, Result, Session, Speech, System, ToolCall
from loom.providers.render.message import Block, CallBlock, Message, ResultBlock, TextBlock


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


def model_of(session: Session) -> str:
    """The model a session was recorded with, "" where nothing says: the one most replies name.

    What a client wrote in a model's place (`<synthetic>`) is none.
    """
    named = (event.model for event in session.events if isinstance(event, Reply))
    counts = Counter(name for name in named if name and not name.startswith("<"))
    recorded = "" if session.model.startswith("<") else session.model
    return recorded or (counts.most_common(1)[0][0] if counts else "")
