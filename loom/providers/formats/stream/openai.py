"""Chat Completions: chunks of deltas to the first choice, then one with the usage.

https://platform.openai.com/docs/api-reference/chat-streaming. Takes the chunks of
`chat.completions.create(stream=True)` and the events of the helper `chat.completions.stream()`, of
which only those of type "chunk" count: the others say again what the chunk before them said.
"""

from __future__ import annotations

from typing import Any

from loom.providers.formats.stream.calls import Body, Calls
from loom.providers.formats.stream.chunks import field, filled, items
from loom.providers.formats.stream.details import Details
from loom.providers.formats.stream.failures import StreamFailed
from loom.providers.formats.stream.growing import Growing
from loom.providers.formats.wire import Wire

_HEAD = ("id", "created", "model", "system_fingerprint", "service_tier", "provider", "usage")
_TEXTS = ("refusal", "reasoning_content", "reasoning")

# Fields of a delta with a way of their own; any other is kept as it last came.
_OWN = frozenset({"role", "content", "tool_calls", "function_call", "reasoning_details"})


def begins(chunk: object) -> bool:
    """Tell whether a chunk begins a stream of this kind; an error with no type does too."""
    inner = _chunk(chunk)
    if field(inner, "object") == "chat.completion":
        return False
    listed = isinstance(field(inner, "choices"), list | tuple)
    return listed or (isinstance(chunk, dict) and "type" not in chunk and bool(chunk.get("error")))


class OpenAICollector:
    """Gathers a Chat Completion with one choice, the stream's choice 0.

    `done` once that choice has a finish reason; the usage may still follow.
    """

    def __init__(self) -> None:
        self.done = False
        self._finish = ""
        self._head: Wire = {}
        self._content: list[Any] = []
        self._message = Growing(_TEXTS)
        self._details = Details()
        self._calls = Calls()
        self._old: Body | None = None

    def take(self, chunk: object) -> None:
        """Add a chunk. Raises StreamFailed when it tells of an error."""
        chunk = _chunk(chunk)
        if error := field(chunk, "error"):
            raise StreamFailed(error)
        choices = field(chunk, "choices")
        if not isinstance(choices, list | tuple):
            return
        head = filled({name: field(chunk, name) for name in _HEAD})
        if head:
            self._head |= {name: value for name, value in head.items() if value != ""}
        for choice in choices:
            if not field(choice, "index"):
                self._choose(choice)

    def reply(self) -> Wire:
        """Return the Chat Completion so far."""
        message: Wire = {"role": "assistant", "content": _content(self._content)}
        message |= self._message.value()
        if self._details:
            message["reasoning_details"] = self._details.value()
        if calls := self._calls.value():
            message["tool_calls"] = calls
        if self._old:
            message["function_call"] = self._old.value()
        choice = {"index": 0, "message": message, "finish_reason": self._finish or None}
        return {"object": "chat.completion", **self._head, "choices": [choice]}

    def _choose(self, choice: object) -> None:
        delta = filled(field(choice, "delta"))
        self._content += _pieces(delta.get("content"))
        self._message.take({name: item for name, item in delta.items() if name not in _OWN})
        for fragment in items(delta.get("reasoning_details")):
            self._details.take(fragment)
        for call in items(delta.get("tool_calls")):
            if isinstance(call, dict):
                self._calls.take(call)
        if isinstance(old := delta.get("function_call"), dict):
            self._old = self._old or Body()
            self._old.take(old)
        if finish := field(choice, "finish_reason"):
            if finish == "error":
                raise StreamFailed(field(choice, "error") or "it gave no reason")
            self._finish = str(finish)
            self.done = True


def _chunk(chunk: object) -> object:
    """Return the chunk in a helper's chunk event, any other as it stands."""
    return field(chunk, "chunk") if field(chunk, "type") == "chunk" else chunk


def _pieces(content: object) -> list[Any]:
    return content if isinstance(content, list) else [] if content is None else [content]


def _content(pieces: list[Any]) -> str | list[Wire] | None:
    """Join the pieces of a content: a text, or parts when the server sends parts."""
    if not pieces:
        return None
    if all(isinstance(piece, str) for piece in pieces):
        return "".join(pieces)
    parts: list[Growing] = []
    for piece in pieces:
        part = piece if isinstance(piece, dict) else {"type": "text", "text": str(piece)}
        if not (parts and part.get("type") == parts[-1].get("type") == "text"):
            parts.append(Growing(("text",)))
        parts[-1].take(part)
    return [part.value() for part in parts]
