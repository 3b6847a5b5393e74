"""Chat messages as the kit reads them: their texts, their tokens, and the engine's own shape.

A message is looked at once, however many requests it stands in: what is made of it is kept by its
JSON text.
"""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error as NoBase64
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from msgspec import Struct, json

from loom.inputs import Event, Reply
from loom.providers.counts import counter_for
from loom.providers.media.inspect import Media, inspect_payload
from loom.providers.media.media_tokens import payload_tokens as media_tokens
from loom.providers.render.message import (
    Block,
    CallBlock,
    MediaBlock,
    Message,
    ResultBlock,
    Role,
    TextBlock,
)
from loom_bench.plain_list import Meter, message_of
from loom_bench.session import Wire
from loom_bench.sessions.needle import strings

UNLAWFUL = re.compile(r"[^a-zA-Z0-9_-]")  # in the name of a tool
PROVIDER = "openai"  # whose sizes of images are counted
ROLES: dict[str, Role] = {"developer": "system", "system": "system", "user": "user", "tool": "tool"}


class ShownLine(Struct, frozen=True):
    """A text of a request. `kind` is `said`, `call` (name and arguments) or `result`.

    `flat` is the text with every run of blanks as one.
    """

    role: str
    kind: str
    text: str
    flat: str


class ReadWire:
    """One message, read. A reader gives the same object for the same message, whichever requests
    it stands in, so what is found in it can be kept by it."""

    def __init__(self, wire: Wire, meter: Meter) -> None:
        self.message = Message(ROLES.get(str(wire.get("role")), "assistant"), tuple(_blocks(wire)))
        pictures = sum(media_tokens(media, PROVIDER) for media in _pictures(wire))
        self.tokens = meter.message(self.message) + pictures
        self._wire = wire

    @cached_property
    def shown(self) -> tuple[ShownLine, ...]:
        """Its texts, in order."""
        return tuple(_shown(self._wire))


class WireReader:
    """Reads chat messages into the engine's shape and counts them, each message once."""

    def __init__(self) -> None:
        self.meter = Meter(counter_for())
        self._read: dict[bytes, ReadWire] = {}
        self._declared: dict[bytes, int] = {}

    def messages(self, wires: Iterable[Wire]) -> list[Message]:
        """The same messages as roles and blocks."""
        return [one.message for one in self.read(wires)]

    def count(self, wires: Iterable[Wire], tools: Sequence[Wire] = ()) -> int:
        """Tokens of messages, and of tools that are declared beside them."""
        return self.declared(tools) + sum(one.tokens for one in self.read(wires))

    def declared(self, tools: Sequence[Wire]) -> int:
        """Tokens of tools as they are declared."""
        if not tools:
            return 0
        key = json.encode(tools)
        known = self._declared.get(key)
        if known is None:
            parts = (self.meter.text(json.encode(tool).decode()) for tool in tools)
            known = self._declared[key] = sum(parts)
        return known

    def read(self, wires: Iterable[Wire]) -> list[ReadWire]:
        """The messages, each read once."""
        return [self._once(wire) for wire in wires]

    def _once(self, wire: Wire) -> ReadWire:
        key = json.encode(wire)
        known = self._read.get(key)
        if known is None:
            known = self._read[key] = ReadWire(wire, self.meter)
        return known


def _shown(wire: Wire) -> Iterator[ShownLine]:
    role = str(wire.get("role", ""))
    kind = "result" if role == "tool" else "said"
    for text in texts(wire):
        if flat := " ".join(text.split()):
            yield ShownLine(role, kind, text, flat)
    for call in wire.get("tool_calls") or ():
        function = call.get("function", {})
        text = f"{function.get('name', '')} {_readable(str(function.get('arguments', '')))}"
        yield ShownLine(role, "call", text, " ".join(text.split()))


def _readable(arguments: str) -> str:
    """The arguments of a call, and below them the texts in them that JSON writes otherwise."""
    escaped = [one for one in strings(arguments) if one not in arguments]
    return "\n".join([arguments, *escaped])


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
            "function": {"name": lawful_name(one.name), "arguments": one.arguments},
        }
        for one in message.blocks
        if isinstance(one, CallBlock)
    ]
    made: Wire = {"role": message.role, "content": said if said or not calls else None}
    return {**made, "tool_calls": calls} if calls else made


def lawful_name(tool: str) -> str:
    """The name of a tool as this format takes it: `fs:read` is `fs__read` there."""
    return UNLAWFUL.sub("_", tool.replace(":", "__"))


def _blocks(wire: Wire) -> Iterator[Block]:
    if wire.get("role") == "tool":
        yield ResultBlock(str(wire.get("tool_call_id", "")), "", "\n".join(texts(wire)))
        return
    yield from map(TextBlock, texts(wire))
    yield from (MediaBlock("", media.type) for media in _pictures(wire))
    for call in wire.get("tool_calls") or ():
        function = call.get("function", {})
        yield CallBlock(
            str(call.get("id", "")), str(function.get("name", "")), str(function.get("arguments"))
        )


def _pictures(wire: Wire) -> Iterator[Media]:
    content = wire.get("content")
    for part in content if isinstance(content, list) and wire.get("role") != "tool" else ():
        if part.get("type") != "image_url":
            continue
        url = str(part.get("image_url", {}).get("url", ""))
        try:
            data = b64decode(url.partition(",")[2])
        except NoBase64:
            data = b""
        yield inspect_payload(data)
