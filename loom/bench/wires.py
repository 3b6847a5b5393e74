"""Chat messages as the kit reads them: their texts, their tokens, and the engine's own shape.

A message is looked at once, however many requests it stands in: what is made of it is kept by its
JSON text.
"""

from __future__ import annotations

from base64 import b64decode
from binascii import Error as NoBase64
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec import json

from loom.bench.session import Wire
from loom.inputs import Event, Reply
from loom.providers.counts import counter_for
from loom.providers.media.cost import tokens as media_tokens
from loom.providers.media.inspect import inspect
from loom.providers.render.message import (
    Block,
    CallBlock,
    MediaBlock,
    Message,
    ResultBlock,
    Role,
    TextBlock,
)
from loom.replay.cost import Meter
from loom.replay.plain import message_of

PROVIDER = "openai"  # whose sizes of images are counted
ROLES: dict[str, Role] = {"developer": "system", "system": "system", "user": "user", "tool": "tool"}


class WireReader:
    """Reads chat messages into the engine's shape and counts them, each message once."""

    def __init__(self) -> None:
        self.meter = Meter(counter_for())
        self._read: dict[bytes, tuple[Message, int]] = {}

    def messages(self, wires: Iterable[Wire]) -> list[Message]:
        """The same messages as roles and blocks."""
        return [self._once(wire)[0] for wire in wires]

    def count(self, wires: Iterable[Wire], tools: Sequence[Wire] = ()) -> int:
        """Tokens of messages, and of tools that are declared beside them."""
        declared = sum(self.meter.text(json.encode(tool).decode()) for tool in tools)
        return declared + sum(self._once(wire)[1] for wire in wires)

    def _once(self, wire: Wire) -> tuple[Message, int]:
        key = json.encode(wire)
        known = self._read.get(key)
        if known is None:
            message = Message(ROLES.get(str(wire.get("role")), "assistant"), tuple(_blocks(wire)))
            pictures = sum(one.tokens for one in message.blocks if isinstance(one, MediaBlock))
            known = self._read[key] = (message, self.meter.message(message) + pictures)
        return known


def texts(wire: Wire) -> Iterator[str]:
    """What a message says, a text at a time; calls are left out."""
    content = wire.get("content")
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        yield from (str(part["text"]) for part in content if "text" in part)


def wires_of(events: Iterable[Event]) -> Iterator[Wire]:
    """The events of a recorded or generated session as chat messages."""
    names: dict[str, str] = {}
    for event in events:
        if isinstance(event, Reply):
            names = {call.id: call.name for call in event.calls}
        yield wire_of(message_of(event, names))


def wire_of(message: Message) -> Wire:
    """One message of the engine's shape as a chat message; images are left out."""
    said = "\n\n".join(one.text for one in message.blocks if isinstance(one, TextBlock))
    if message.role == "tool":
        result = next(one for one in message.blocks if isinstance(one, ResultBlock))
        return {"role": "tool", "tool_call_id": result.call_id, "content": result.text}
    calls = [
        {
            "id": one.id,
            "type": "function",
            "function": {"name": one.name, "arguments": one.arguments},
        }
        for one in message.blocks
        if isinstance(one, CallBlock)
    ]
    made: Wire = {"role": message.role, "content": said if said or not calls else None}
    return {**made, "tool_calls": calls} if calls else made


def _blocks(wire: Wire) -> Iterator[Block]:
    if wire.get("role") == "tool":
        yield ResultBlock(str(wire.get("tool_call_id", "")), "", "\n".join(texts(wire)))
        return
    yield from map(TextBlock, texts(wire))
    content = wire.get("content")
    if isinstance(content, list):
        yield from (_picture(part) for part in content if part.get("type") == "image_url")
    for call in wire.get("tool_calls") or ():
        function = call.get("function", {})
        yield CallBlock(
            str(call.get("id", "")), str(function.get("name", "")), str(function.get("arguments"))
        )


def _picture(part: Any) -> MediaBlock:
    url = str(part.get("image_url", {}).get("url", ""))
    try:
        data = b64decode(url.partition(",")[2])
    except NoBase64:
        data = b""
    media = inspect(data)
    return MediaBlock("", media.type, media_tokens(media, PROVIDER))
