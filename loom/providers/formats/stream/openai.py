"""Chat Completions: chunks of deltas to the first choice, then one with the usage.

https://platform.openai.com/docs/api-reference/chat-streaming. Takes the chunks of
`chat.completions.create(stream=True)` and the events of the helper `chat.completions.stream()`, of
which only those of type "chunk" count: the others say again what the chunk before them said.

Of tool calls a delta belongs to the call of its `index`. Not every server counts: some send all
parallel calls with index 0 (https://github.com/ollama/ollama/issues/15457), so a delta that brings
a name and another id than the call of that index begins a new one.

OpenRouter's `reasoning_details` (https://openrouter.ai/docs/use-cases/reasoning-tokens) come in
fragments, too. A block's text comes in fragments of one type and `index`, its signature last, in a
fragment of its own; the signature holds for the whole text, so blocks must go back as they would
have come unstreamed. The index alone does not tell blocks apart: streams number every block 0
(OpenRouterTeam/ai-sdk-provider, pull 520).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from operator import itemgetter
from typing import Any

from loom.providers.formats.stream.chunks import Growing, field, filled, items, stream_failed
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
        self._details = Blocks(partial(Growing, _DETAIL_TEXTS), _differs)
        self._calls = Calls()
        self._old: Body | None = None

    def take(self, chunk: object) -> None:
        """Add a chunk. Raises BrokenStream when it tells of an error."""
        chunk = _chunk(chunk)
        if error := field(chunk, "error"):
            raise stream_failed(error)
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
        if rows := self._details.rows:
            message["reasoning_details"] = [block.value() for _, block in rows]
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
            if isinstance(fragment, dict):
                index = fragment.get("index")
                self._details.take(index if isinstance(index, int) else None, fragment)
        for call in items(delta.get("tool_calls")):
            if isinstance(call, dict):
                self._calls.take(call)
        if isinstance(old := delta.get("function_call"), dict):
            self._old = self._old or Body()
            self._old.take(old)
        if finish := field(choice, "finish_reason"):
            if finish == "error":
                raise stream_failed(field(choice, "error") or "it gave no reason")
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


_BODIES = ("function", "custom")
_CALL_TEXTS = ("arguments", "input")


class Body(Growing):
    """A function's name and the text of its arguments, verbatim."""

    def __init__(self) -> None:
        super().__init__(("name", *_CALL_TEXTS))

    def take(self, fragment: Wire) -> None:
        """Add a fragment. A name repeated whole is the same name; any other continues it."""
        known = self.get("name")
        super().take({key: one for key, one in fragment.items() if key != "name" or one != known})

    def value(self) -> Wire:
        """Return the name and the arguments."""
        return {"name": "", **super().value()}


class StreamedCall(Growing):
    """One call: what stands around its body, and the body (`function` or `custom`)."""

    def __init__(self) -> None:
        super().__init__()
        self._bodies: dict[str, Body] = {}

    def take(self, fragment: Wire) -> None:
        """Add a delta; fields of servers' own (`extra_content`) are kept beside the body."""
        for name, value in fragment.items():
            if name in _BODIES and isinstance(value, dict):
                self._bodies.setdefault(name, Body()).take(value)
            elif name != "index" and value != "":
                super().take({name: value})

    def value(self) -> Wire:
        """Return the call in the shape a whole reply has."""
        return super().value() | {name: body.value() for name, body in self._bodies.items()}


class Blocks:
    """Objects that come in fragments, in the order in which they began.

    A fragment goes on with the newest object of its index, or `begins` one that is made `new`.
    """

    def __init__(self, new: Callable[[], Growing], begins: Callable[[Wire, Growing], bool]) -> None:
        self.rows: list[tuple[object, Growing]] = []
        self._open: dict[object, Growing] = {}
        self._new, self._begins = new, begins

    def take(self, index: object, fragment: Wire) -> Growing:
        """Add a fragment; return the object it is of."""
        block = self._open.get(index)
        if block is None or self._begins(fragment, block):
            block = self._open[index] = self._new()
            self.rows.append((index, block))
        block.take(fragment)
        return block


class Calls:
    """All calls of a reply, by index."""

    def __init__(self) -> None:
        self._calls = Blocks(StreamedCall, _begins)
        self._by_id: dict[str, int] = {}

    def take(self, delta: Wire) -> None:
        """Add a delta to the call it belongs to, or begin a call with it."""
        index = self._index(delta)
        if id := self._calls.take(index, delta).get("id"):
            self._by_id[str(id)] = index

    def value(self) -> list[Wire]:
        """Return the calls by index; those of one index in the order they came."""
        rows: list[tuple[Any, Growing]] = sorted(self._calls.rows, key=itemgetter(0))
        return [call.value() for _, call in rows]

    def _index(self, delta: Wire) -> int:
        """Return a delta's index; without one: that of its id, a new one, or the last."""
        index, rows = delta.get("index"), self._calls.rows
        if isinstance(index, int):
            return index
        known = self._by_id.get(str(delta.get("id") or ""))
        if known is not None:
            return known
        last: Any = rows[-1][0] if rows else 0
        return len(rows) if _name(delta) else last


def _begins(delta: Wire, call: Growing) -> bool:
    """Tell whether a delta starts a call although its index has one."""
    id, known = str(delta.get("id") or ""), str(call.get("id") or "")
    return bool(_name(delta)) and (id != known if id else not known)


def _name(delta: Wire) -> str:
    bodies = [delta.get(name) for name in _BODIES]
    return next((str(body.get("name") or "") for body in bodies if isinstance(body, dict)), "")


_DETAIL_TEXTS = ("text", "summary")


def _differs(fragment: Wire, block: Growing) -> bool:
    """Tell whether a fragment is of another type or id, or the block complete.

    Encrypted data always comes whole; a signed text is complete.
    """
    if fragment.get("type") != block.get("type") or "data" in block.names:
        return True
    id, known = fragment.get("id"), block.get("id")
    if id and known and id != known:
        return True
    signed = block.get("signature")
    more = fragment.get("text") or fragment.get("signature") not in (None, signed)
    return bool(signed and more)
