"""A collector for streams of the Messages API.

https://docs.anthropic.com/en/api/messages-streaming. A stream brings a message without content,
then its blocks in deltas, then why it stopped. Takes the events of `messages.create(stream=True)`
and of the helper `messages.stream()`. The helper's own events (`text`, `input_json`, `thinking`, …)
repeat deltas, and what it adds to the events that end a block or the message repeats the blocks;
neither is read."""

from __future__ import annotations

from typing import Any

from loom.providers.formats.stream.chunks import (
    GrowingObject,
    field_of,
    filled_fields,
    stream_failed_error,
)
from loom.providers.formats.wire import Wire, parse_json_object, plain_value

_TEXTS, _INPUT = ("text", "thinking"), "partial_json"

# The field of a block that a delta adds to or sets, and the delta's field that says what. A
# signature comes whole.
_DELTAS = {
    "text_delta": ("text",),
    "thinking_delta": ("thinking",),
    "input_json_delta": (_INPUT,),
    "signature_delta": ("signature",),
    "compaction_delta": ("content", "encrypted_content"),
}
_STOPS = ("stop_reason", "stop_sequence", "stop_details", "container")


class _Block(GrowingObject):
    """A content block that comes in deltas."""

    def __init__(self, start: Wire) -> None:
        super().__init__((*_TEXTS, _INPUT))
        self.take(start)
        self._citations: list[Any] = list(start.get("citations") or ())

    def add(self, delta: object) -> None:
        """Add a delta. A delta of an unknown type is ignored."""
        kind = field_of(delta, "type")
        if kind == "citations_delta":
            self._citations.append(plain_value(field_of(delta, "citation")))
        else:
            names = _DELTAS.get(str(kind), ())
            self.take({name: plain_value(field_of(delta, name)) for name in names})

    def value(self) -> Wire:
        """Return the block so far, as a dict."""
        value = super().value()
        text = str(value.pop(_INPUT, ""))
        if text.strip():
            given = parse_json_object(text)
            value["input"] = text if given is None else given
        if self._citations:
            value["citations"] = list(self._citations)
        return value


class AnthropicCollector:
    """A collector for one message. `done` is True once the event `message_stop` has come."""

    def __init__(self) -> None:
        self.done = False
        self._message: Wire = {"type": "message", "role": "assistant"}
        self._blocks: dict[int, _Block] = {}

    def take(self, chunk: object) -> None:
        """Add an event. Raises BrokenStream for an event that reports an error."""
        index = field_of(chunk, "index")
        number = index if isinstance(index, int) else len(self._blocks)
        match field_of(chunk, "type"):
            case "message_start" if isinstance(
                told := plain_value(field_of(chunk, "message")), dict
            ):
                self._message |= told
                begun = enumerate(told.get("content") or ())
                self._blocks = {at: _Block(one) for at, one in begun if isinstance(one, dict)}
            case "content_block_start":
                if isinstance(block := plain_value(field_of(chunk, "content_block")), dict):
                    self._blocks[number] = _Block(block)
            case "content_block_delta" if number in self._blocks:
                self._blocks[number].add(field_of(chunk, "delta"))
            case "message_delta":
                delta = filled_fields(field_of(chunk, "delta"))
                self._message |= {name: delta[name] for name in _STOPS if name in delta}
                # Totals so far: they stand in for those given at the start, null means unchanged.
                usage = filled_fields(field_of(chunk, "usage"))
                self._message["usage"] = filled_fields(self._message.get("usage")) | usage
            case "message_stop":
                self.done = True
            case "error":
                raise stream_failed_error(field_of(chunk, "error") or chunk)

    def reply(self) -> Wire:
        """Return the message so far, as a dict."""
        blocks = [block.value() for _, block in sorted(self._blocks.items())]
        return {**self._message, "content": blocks}


# Of `ping` nothing is read, but it may come first.
_EVENTS = frozenset({"message_start", "content_block_start", "content_block_delta"}) | {
    "message_delta", "message_stop", "ping"
}  # fmt: skip


def begins(chunk: object) -> bool:
    """Tell whether an event belongs to a Messages stream."""
    kind = field_of(chunk, "type")
    return field_of(chunk, "error") is not None if kind == "error" else kind in _EVENTS
