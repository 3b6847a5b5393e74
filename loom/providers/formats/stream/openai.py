"""Chat Completions: chunks of deltas to the first choice, then one with the usage.

https://platform.openai.com/docs/api-reference/chat-streaming. Takes the chunks of
`chat.completions.create(stream=True)` and the events of the helper `chat.completions.stream()`, of
which only those of type "chunk" count: the others repeat the chunk before them.

A delta of a tool call belongs to the call of its `index`. Not every server counts: some send all
parallel calls with index 0 (https://github.com/ollama/ollama/issues/15457), so a delta that brings
a name and another id than the call of that index begins a new call.

OpenRouter's `reasoning_details` (https://openrouter.ai/docs/use-cases/reasoning-tokens) come in
fragments, too. A block's text comes in fragments of one type and `index`, its signature last, in a
fragment of its own; the signature holds for the whole text, so blocks must go back as they would
have come unstreamed. The index alone does not tell blocks apart: streams number every block 0
(OpenRouterTeam/ai-sdk-provider, pull 520)."""

from __future__ import annotations

from functools import partial
from operator import itemgetter
from typing import Any

from loom.providers.formats.stream.chunks import (
    GrowingBlocks,
    GrowingObject,
    field_of,
    filled_fields,
    list_or_empty,
    stream_failed_error,
)
from loom.providers.formats.wire import Wire

_HEAD = ("id", "created", "model", "system_fingerprint", "service_tier", "provider", "usage")
_TEXTS = ("refusal", "reasoning_content", "reasoning")

# Fields of a delta with a way of their own; any other is kept as it last came.
_OWN = frozenset({"role", "content", "tool_calls", "reasoning_details"})
_BODY = ("name", "arguments", "input")  # texts of a function's, verbatim
_BODIES = {"function": _BODY, "custom": _BODY}  # of a call; servers keep fields of their own beside


def begins(chunk: object) -> bool:
    """Tell whether a chunk is the first of a Chat Completions stream, or an error instead of it."""
    inner = _inner_chunk(chunk)
    if field_of(inner, "object") == "chat.completion":
        return False
    listed = isinstance(field_of(inner, "choices"), list | tuple)
    return listed or (isinstance(chunk, dict) and "type" not in chunk and bool(chunk.get("error")))


class OpenAICollector:
    """A collector for a Chat Completion; only choice 0 is kept. `done` is True once choice 0 has a
    finish reason."""

    def __init__(self) -> None:
        self.done = False
        self._finish = ""
        self._head: Wire = {}
        self._content: list[Any] = []
        self._message = GrowingObject(_TEXTS, {"function_call": _BODY})
        self._details = GrowingBlocks(partial(GrowingObject, _DETAIL_TEXTS), _begins_detail)
        self._calls = GrowingBlocks(partial(GrowingObject, (), _BODIES), _begins_call)
        self._by_id: dict[str, int] = {}

    def take(self, chunk: object) -> None:
        """Add a chunk. Raises BrokenStream for a chunk that reports an error."""
        chunk = _inner_chunk(chunk)
        if error := field_of(chunk, "error"):
            raise stream_failed_error(error)
        choices = field_of(chunk, "choices")
        if not isinstance(choices, list | tuple):
            return
        head = filled_fields({name: field_of(chunk, name) for name in _HEAD})
        if head:
            self._head |= {name: value for name, value in head.items() if value != ""}
        for choice in choices:
            if not field_of(choice, "index"):
                self._take_choice(choice)

    def reply(self) -> Wire:
        """Return the Chat Completion so far, as a dict."""
        message: Wire = {"role": "assistant", "content": _join_content(self._content)}
        message |= self._message.value()
        if rows := self._details.rows:
            message["reasoning_details"] = [block.value() for _, block in rows]
        if calls := sorted(self._calls.rows, key=itemgetter(0)):
            message["tool_calls"] = [call.value() for _, call in calls]
        choice = {"index": 0, "message": message, "finish_reason": self._finish or None}
        return {"object": "chat.completion", **self._head, "choices": [choice]}

    def _take_choice(self, choice: object) -> None:
        """Add the choice 0 of a chunk. Raises BrokenStream if the choice ended with an error."""
        delta = filled_fields(field_of(choice, "delta"))
        self._content += _content_pieces(delta.get("content"))
        self._message.take({name: item for name, item in delta.items() if name not in _OWN})
        for fragment in list_or_empty(delta.get("reasoning_details")):
            if isinstance(fragment, dict):
                index = fragment.get("index")
                self._details.take(index if isinstance(index, int) else None, fragment)
        for call in list_or_empty(delta.get("tool_calls")):
            if isinstance(call, dict):
                self._take_call(call)
        if finish := field_of(choice, "finish_reason"):
            if finish == "error":
                raise stream_failed_error(field_of(choice, "error") or "it gave no reason")
            self._finish = str(finish)
            self.done = True

    def _take_call(self, delta: Wire) -> None:
        """Add a delta to the call that has its index or its id, to a new call if the delta begins
        one, or else to the last call."""
        index, rows = delta.get("index"), self._calls.rows
        if not isinstance(index, int):
            last = len(rows) if _function_name(delta) else rows[-1][0] if rows else 0
            index = self._by_id.get(str(delta.get("id") or ""), last)
        fields = {name: one for name, one in delta.items() if name != "index" and one != ""}
        if id := self._calls.take(index, fields).get("id"):
            self._by_id[str(id)] = index


def _inner_chunk(chunk: object) -> object:
    """Return the provider's chunk inside a helper's event; any other chunk unchanged."""
    return field_of(chunk, "chunk") if field_of(chunk, "type") == "chunk" else chunk


def _content_pieces(content: object) -> list[Any]:
    return content if isinstance(content, list) else [] if content is None else [content]


def _join_content(pieces: list[Any]) -> str | list[Wire] | None:
    """Return the content of a message from its pieces: a text, or a list of parts; None if there
    are no pieces."""
    if not pieces:
        return None
    if all(isinstance(piece, str) for piece in pieces):
        return "".join(pieces)
    parts: list[GrowingObject] = []
    for piece in pieces:
        part = piece if isinstance(piece, dict) else {"type": "text", "text": str(piece)}
        if not (parts and part.get("type") == parts[-1].get("type") == "text"):
            parts.append(GrowingObject(("text",)))
        parts[-1].take(part)
    return [part.value() for part in parts]


def _begins_call(delta: Wire, call: GrowingObject) -> bool:
    """Tell whether a delta begins a new call although `call` already has its index."""
    id, known = str(delta.get("id") or ""), str(call.get("id") or "")
    return bool(_function_name(delta)) and (id != known if id else not known)


def _function_name(delta: Wire) -> str:
    bodies = [delta.get(name) for name in _BODIES]
    return next((str(body.get("name") or "") for body in bodies if isinstance(body, dict)), "")


_DETAIL_TEXTS = ("text", "summary")


def _begins_detail(fragment: Wire, block: GrowingObject) -> bool:
    """Tell whether a fragment of `reasoning_details` begins a new block, because its type or id
    differs from that of `block`, or because `block` is complete."""
    if fragment.get("type") != block.get("type") or "data" in block.names:
        return True
    id, known = fragment.get("id"), block.get("id")
    if id and known and id != known:
        return True
    signed = block.get("signature")
    more = fragment.get("text") or fragment.get("signature") not in (None, signed)
    return bool(signed and more)
