"""Gemini: each chunk a response of its own, with the next parts of the content.

https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent. Takes the chunks of
`models.generate_content_stream()`, and the service's own JSON.

Adjacent texts of one kind (thought or speech) are one part. A part with a signature is never joined
with another: it must go back on the part it came with, which at the end of a stream may hold an
empty text (https://ai.google.dev/gemini-api/docs/thought-signatures).

Arguments of a function call may be streamed value by value. With `stream_function_call_arguments`
Vertex AI sends a part with the name, then parts of `partial_args`: a value for a JSON path
("$.rooms[0].name"), texts in pieces. The call ends with the first part that does not say
`will_continue`, which may be empty or bring the last values
(https://github.com/vercel/ai/issues/14358).
"""

from __future__ import annotations

from typing import Any

from loom.lazy import lazy_re
from loom.providers.formats.stream.chunks import Growing, field, filled, items, stream_failed
from loom.providers.formats.wire import Wire, snake
from loom.providers.media.payload import decoded

_HEAD = ("response_id", "model_version", "model_status", "prompt_feedback")
_SHOWN = ("candidates", "prompt_feedback", "usage_metadata", "promptFeedback", "usageMetadata")
_UNSPECIFIED = "FINISH_REASON_UNSPECIFIED"

# All that a text part may hold to be joined with its neighbour.
_TEXT = frozenset({"text", "thought"})


def begins(chunk: object) -> bool:
    """Tell whether a chunk is a response of Gemini's; the first may lack candidates."""
    return any(field(chunk, name) is not None for name in _SHOWN)


class GeminiCollector:
    """Gathers a response with one candidate, the stream's first.

    `done` once that candidate has a finish reason, or the prompt was blocked.
    """

    def __init__(self) -> None:
        self.done = False
        self._head: Wire = {}
        self._usage: Wire = {}
        self._candidate: Wire = {}
        self._role = "model"
        self._parts: list[Growing | PartialCall] = []
        self._partial: PartialCall | None = None

    def take(self, chunk: object) -> None:
        """Add a chunk. Raises BrokenStream when it tells of an error."""
        chunk = snake(chunk)
        if error := field(chunk, "error"):
            raise stream_failed(error)
        self._head |= filled({name: field(chunk, name) for name in _HEAD})
        self._usage |= filled(field(chunk, "usage_metadata"))
        for candidate in items(field(chunk, "candidates")):
            if not field(candidate, "index"):
                self._choose(candidate)
        if field(self._head.get("prompt_feedback"), "block_reason"):
            self.done = True

    def reply(self) -> Wire:
        """Return the response so far."""
        reply: Wire = {"candidates": [], **self._head}
        if self._candidate or self._parts:
            content = {"role": self._role, "parts": [part.value() for part in self._parts]}
            reply["candidates"] = [{"content": content, **self._candidate}]
        if self._usage:
            reply["usage_metadata"] = self._usage.copy()
        return reply

    def _choose(self, candidate: object) -> None:
        fields = filled(candidate)
        content = fields.pop("content", None)
        self._candidate |= fields
        self._role = str(field(content, "role") or self._role)
        for part in items(field(content, "parts")):
            self._append(_signed(filled(part)))
        if fields.get("finish_reason", _UNSPECIFIED) != _UNSPECIFIED:
            self.done = True

    def _append(self, part: Wire) -> None:
        """Add a part: to the call it goes on with, to the text before it, or as one of its own."""
        last = self._parts[-1] if self._parts else None
        if self._partial and self._partial.goes_on(part):
            self._partial.take(part)
        elif PartialCall.begins(part):
            self._partial = PartialCall(part)
            self._parts.append(self._partial)
        elif isinstance(last, Growing) and _joins(last, part):
            last.take({"text": part["text"]})
        elif _says(part):
            grown = Growing(("text",))
            grown.take(part)
            self._parts.append(grown)


def _signed(part: Wire) -> Wire:
    """Return a part whose signature is bytes; one that is no base64 stays as it came."""
    signature = part.get("thought_signature")
    data = decoded(signature) if isinstance(signature, str) else None
    return part if data is None else {**part, "thought_signature": data}


def _joins(last: Growing, part: Wire) -> bool:
    """Tell whether a part is the same text as the last one, going on."""
    if "text" not in part or "text" not in last.names:
        return False
    same = bool(part.get("thought")) == bool(last.get("thought"))
    return same and part.keys() <= _TEXT and last.names <= _TEXT


def _says(part: Wire) -> bool:
    """Tell whether a part holds anything: not an empty text, nor the end of a streamed call."""
    return any(value not in ("", {}) for name, value in part.items() if name != "thought")


_Path = tuple[str | int, ...]

_STEP = lazy_re(r"""\.([^.\[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]""")
_ESCAPE = lazy_re(r"\\(.)")
_VALUES = ("string_value", "number_value", "bool_value")
_STREAMED = frozenset({"partial_args", "will_continue"})


class PartialCall:
    """A part with a function call that is not complete yet."""

    def __init__(self, part: Wire) -> None:
        self._part = Growing()
        self._call = Growing()
        self._leaves: dict[_Path, Any] = {}
        self.open = True
        self.take(part)

    @staticmethod
    def begins(part: Wire) -> bool:
        """Tell whether a part is the first of a streamed call."""
        call = part.get("function_call")
        return isinstance(call, dict) and bool(call.get("name")) and not _STREAMED.isdisjoint(call)

    def goes_on(self, part: Wire) -> bool:
        """Tell whether a part belongs to this call: a function call without a name."""
        call = part.get("function_call")
        return self.open and isinstance(call, dict) and not call.get("name")

    def take(self, part: Wire) -> None:
        """Add a part."""
        call = part["function_call"]
        self._part.take({name: value for name, value in part.items() if name != "function_call"})
        self._call.take({name: value for name, value in call.items() if name not in _STREAMED})
        for argument in items(call.get("partial_args")):
            self._put(argument)
        self.open = bool(call.get("will_continue"))

    def value(self) -> Wire:
        """Return the part with the call and the arguments so far."""
        call = self._call.value()
        call["args"] = {**(call.get("args") or {}), **_object(self._leaves)}
        return {"function_call": call, **self._part.value()}

    def _put(self, argument: Wire) -> None:
        path = _steps(str(argument.get("json_path") or ""))
        value = next((argument[name] for name in _VALUES if argument.get(name) is not None), None)
        if isinstance(value, str):
            pieces = self._leaves.get(path)
            if not isinstance(pieces, list):
                pieces = self._leaves[path] = []
            pieces.append(value)
        elif path:
            # The library has one type of number; a whole one was written without a fraction.
            if isinstance(value, float) and value.is_integer():
                value = int(value)
            self._leaves[path] = value


def _steps(path: str) -> _Path:
    """Return the keys and list numbers of a JSON path."""
    return tuple(
        int(number) if number else name or _ESCAPE.sub(r"\1", single or double)
        for name, number, single, double in _STEP.findall(path)
    )


def _object(leaves: dict[_Path, Any]) -> Wire:
    """Return the object whose values at the paths are the leaves."""
    tree: Wire = {}
    for path, leaf in leaves.items():
        node: Any = tree
        for step in path[:-1]:
            inner = node.get(step)
            node[step] = node = inner if isinstance(inner, dict) else {}
        if path:
            node[path[-1]] = "".join(leaf) if isinstance(leaf, list) else leaf
    return {str(key): _listed(value) for key, value in tree.items()}


def _listed(node: Any) -> Any:
    """Return a tree with the nodes that are numbered throughout as lists."""
    if not isinstance(node, dict):
        return node
    if node and all(isinstance(key, int) for key in node):
        return [_listed(node[key]) for key in sorted(node)]
    return {str(key): _listed(value) for key, value in node.items()}
