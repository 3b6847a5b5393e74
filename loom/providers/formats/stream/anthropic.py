"""Messages: a message without content, its blocks delta by delta, what stopped it.

https://docs.anthropic.com/en/api/messages-streaming. Takes the events of
`messages.create(stream=True)` and of the helper `messages.stream()`: the helper's own events
(`text`, `input_json`, `thinking`, …) repeat deltas, and what it adds to the events that end a block
or the message repeats the blocks; none of these is read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from loom.providers.formats.stream.chunks import Growing, field, filled, stream_failed
from loom.providers.formats.wire import Wire, parse_object, whole

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


class _Block(Growing):
    """A block of content: what it started as, and what its deltas add."""

    def __init__(self, start: Wire) -> None:
        super().__init__((*_TEXTS, _INPUT))
        self.take(start)
        self._citations: list[Any] = list(start.get("citations") or ())

    def add(self, delta: object) -> None:
        """Add a delta; one of an unknown type adds nothing."""
        kind = field(delta, "type")
        if kind == "citations_delta":
            self._citations.append(whole(field(delta, "citation")))
        else:
            names = _DELTAS.get(str(kind), ())
            self.take({name: whole(field(delta, name)) for name in names})

    def value(self) -> Wire:
        """Return the block; input that is no JSON object stays the text it came as."""
        value = super().value()
        text = str(value.pop(_INPUT, ""))
        if text.strip():
            given = parse_object(text)
            value["input"] = text if given is None else given
        if self._citations:
            value["citations"] = list(self._citations)
        return value


class AnthropicCollector:
    """Gathers a message; `done` once the provider stopped it."""

    def __init__(self) -> None:
        self.done = False
        self._message: Wire = {"type": "message", "role": "assistant"}
        self._blocks: dict[int, _Block] = {}

    def take(self, chunk: object) -> None:
        """Add an event. Raises BrokenStream when it tells of an error."""
        step = _STEPS.get(str(field(chunk, "type")))
        if step is not None:
            step(self, chunk)

    def reply(self) -> Wire:
        """Return the message so far."""
        blocks = [block.value() for _, block in sorted(self._blocks.items())]
        return {**self._message, "content": blocks}

    def _start(self, event: object) -> None:
        message = whole(field(event, "message"))
        if isinstance(message, dict):
            self._message |= message
            self._blocks = {
                number: _Block(block)
                for number, block in enumerate(message.get("content") or ())
                if isinstance(block, dict)
            }

    def _begin(self, event: object) -> None:
        block = whole(field(event, "content_block"))
        if isinstance(block, dict):
            self._blocks[self._number(event)] = _Block(block)

    def _add(self, event: object) -> None:
        block = self._blocks.get(self._number(event))
        if block is not None:
            block.add(field(event, "delta"))

    def _number(self, event: object) -> int:
        index = field(event, "index")
        return index if isinstance(index, int) else len(self._blocks)

    def _stop(self, event: object) -> None:
        delta = filled(field(event, "delta"))
        self._message |= {name: delta[name] for name in _STOPS if name in delta}
        # Totals so far: they stand in for those given at the start, null means unchanged.
        usage = filled(field(event, "usage"))
        self._message["usage"] = filled(self._message.get("usage")) | usage

    def _end(self, event: object) -> None:
        self.done = True

    def _fail(self, event: object) -> None:
        raise stream_failed(field(event, "error") or event)


_STEPS: dict[str, Callable[[AnthropicCollector, object], None]] = {
    "message_start": AnthropicCollector._start,
    "content_block_start": AnthropicCollector._begin,
    "content_block_delta": AnthropicCollector._add,
    "message_delta": AnthropicCollector._stop,
    "message_stop": AnthropicCollector._end,
    "error": AnthropicCollector._fail,
}

# What neither carries a part of the reply nor means trouble, but may come first.
_SILENT = frozenset({"ping"})


def begins(chunk: object) -> bool:
    """Tell whether an event is one of these; an error is when it holds an `error`."""
    kind = field(chunk, "type")
    if kind == "error":
        return field(chunk, "error") is not None
    return isinstance(kind, str) and (kind in _STEPS or kind in _SILENT)
