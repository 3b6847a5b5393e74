"""Server-sent events: read from bytes as they come, and written again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Struct

DONE = "[DONE]"


class ServerEvent(Struct, frozen=True):
    """A server-sent event: its bytes as they came (`raw`), and the JSON value in it (`data`), None
    if it has no JSON."""

    raw: bytes
    name: str = ""
    data: Any = None

    def changed(self, data: Any) -> ServerEvent:
        """Return the event with the value `data`; the event itself if its value is equal."""
        if data == self.data:
            return self
        head = f"event: {self.name}\n".encode() if self.name else b""
        try:
            said = msgspec.json.encode(data)
        except UnicodeEncodeError:  # half a character, whose other half is in another event
            said = json.dumps(data).encode()
        return ServerEvent(head + b"data: " + said + b"\n\n", self.name, data)


class EventReader:
    """Reads server-sent events from the bytes of a stream."""

    def __init__(self) -> None:
        self._left = b""

    def take(self, data: bytes) -> Iterator[ServerEvent]:
        """Add bytes, and yield the events that they complete."""
        # Lines may end in any of three ways, and one may be cut between two pieces.
        self._left += data
        while True:
            ends = [at + len(end) for end in _ENDS if (at := self._left.find(end)) >= 0]
            if not ends:
                return
            raw, self._left = self._left[: min(ends)], self._left[min(ends) :]
            yield _parse_event(raw)

    def rest(self) -> bytes:
        """Return, and forget, the bytes after the last complete event."""
        left, self._left = self._left, b""
        return left


_ENDS = (b"\n\n", b"\r\n\r\n", b"\r\r")


def _parse_event(raw: bytes) -> ServerEvent:
    """Return the event that is written in these bytes."""
    name, said = "", []
    for line in raw.decode("utf-8", "replace").splitlines():
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "event":
            name = value
        elif field == "data":
            said.append(value)
    return ServerEvent(raw, name, _event_value("\n".join(said)))


def _event_value(text: str) -> Any:
    """Return the JSON value of an event's text, lone surrogates included; None without JSON."""
    for decode in (msgspec.json.decode, json.loads):
        try:
            return decode(text)
        except (ValueError, RecursionError):
            continue
    return None
