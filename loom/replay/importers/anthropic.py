"""Anthropic message lists: content as text or blocks, results inside user messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from loom.inputs import Event, Result, System, User
from loom.providers.formats import anthropic as wire
from loom.providers.formats.wire import parts, text_of
from loom.replay.importers.talks import (
    Importer,
    RecordedMessage,
    Talk,
    left_out,
    readable,
    reply_of,
)


def accepts(talk: Talk) -> bool:
    """Tell whether a message holds a block only this provider has."""
    blocks = [part for item in talk.items for part in parts(item.value.get("content"))]
    return any(str(block.get("type")) in wire.BLOCKS or "source" in block for block in blocks)


def events(talk: Talk, notes: list[str]) -> Iterator[Event]:
    """Yield the events of a session in recorded order."""

    def read(item: RecordedMessage) -> Iterator[Event]:
        match item.value.get("role"):
            case "assistant":
                yield reply_of(item, wire.decode, item.value)
            case "user":
                yield from said(item, item.value.get("content"), notes)
            case "system":
                yield System(text_of(item.value.get("content")), item.index)
            case role:
                raise item.bad(f"the role {role!r:.80} is none of user, assistant, system")

    return readable(talk.items, notes, read)


def said(item: RecordedMessage, content: object, notes: list[str]) -> Iterator[User | Result]:
    """Yield the results of a user's message, then what else it says as one turn."""
    blocks = parts(content)
    results = [block for block in blocks if block.get("type") == "tool_result"]
    for block in results:
        call_id = block.get("tool_use_id")
        if not isinstance(call_id, str):
            notes.append(left_out(item.bad("a tool_result has no `tool_use_id`")))
            continue
        text = text_of(block.get("content"), "\n")
        yield Result(call_id, text, bool(block.get("is_error")), item.index)
    rest: Iterable[dict[str, Any]] = (b for b in blocks if b.get("type") != "tool_result")
    text = text_of(list(rest))
    if text or not results:
        yield User(text, item.index)


IMPORTER = Importer("anthropic", accepts, events)
