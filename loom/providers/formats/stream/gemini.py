"""Gemini: each chunk is a response of its own, with the next parts of the content.

https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent. Takes the chunks of
`models.generate_content_stream()`, and the service's own JSON.

Adjacent texts of one kind (thought or speech) are one part. A part with a signature is never joined
with another: it must go back on the part it came with, which at the end of a stream may hold an
empty text (https://ai.google.dev/gemini-api/docs/thought-signatures).

Arguments of a call may come value by value: with `stream_function_call_arguments` Vertex AI sends a
part with the name, then parts of `partial_args`, values for JSON paths ("$.rooms[0].name"), with
texts in pieces. The call ends with the first part that does not say `will_continue`, which may be
empty (https://github.com/vercel/ai/issues/14358)."""

from __future__ import annotations

from typing import Any

from loom.lazy import lazy_re
from loom.providers.formats.stream.chunks import (
    GrowingObject,
    field_of,
    filled_fields,
    list_or_empty,
    stream_failed_error,
)
from loom.providers.formats.wire import Wire, snake_names
from loom.providers.media.payload import decode_base64

_HEAD = ("response_id", "model_version", "model_status", "prompt_feedback")
_SHOWN = ("candidates", "prompt_feedback", "usage_metadata", "promptFeedback", "usageMetadata")
_UNSPECIFIED = "FINISH_REASON_UNSPECIFIED"

# All that a text part may hold to be joined with its neighbour.
_TEXT = frozenset({"text", "thought"})
_STREAMED = frozenset({"partial_args", "will_continue"})  # of a call


def begins(chunk: object) -> bool:
    """Tell whether a chunk is a Gemini response."""
    return any(field_of(chunk, name) is not None for name in _SHOWN)


class GeminiCollector:
    """A collector for a response; only candidate 0 is kept. `done` is True once candidate 0 has a
    finish reason, or the prompt was blocked."""

    def __init__(self) -> None:
        self.done = False
        self._head: Wire = {}
        self._usage: Wire = {}
        self._candidate: Wire = {}
        self._role = "model"
        self._parts: list[GrowingObject] = []
        self._partial: PartialCall | None = None

    def take(self, chunk: object) -> None:
        """Add a chunk. Raises BrokenStream for a chunk that reports an error."""
        chunk = snake_names(chunk)
        if error := field_of(chunk, "error"):
            raise stream_failed_error(error)
        self._head |= filled_fields({name: field_of(chunk, name) for name in _HEAD})
        self._usage |= filled_fields(field_of(chunk, "usage_metadata"))
        for candidate in list_or_empty(field_of(chunk, "candidates")):
            if not field_of(candidate, "index"):
                self._take_candidate(candidate)
        if field_of(self._head.get("prompt_feedback"), "block_reason"):
            self.done = True

    def reply(self) -> Wire:
        """Return the response so far, as a dict."""
        reply: Wire = {"candidates": [], **self._head}
        if self._candidate or self._parts:
            content = {"role": self._role, "parts": [part.value() for part in self._parts]}
            reply["candidates"] = [{"content": content, **self._candidate}]
        if self._usage:
            reply["usage_metadata"] = self._usage.copy()
        return reply

    def _take_candidate(self, candidate: object) -> None:
        """Add a chunk's candidate."""
        fields = filled_fields(candidate)
        content = fields.pop("content", None)
        self._candidate |= fields
        self._role = str(field_of(content, "role") or self._role)
        for part in list_or_empty(field_of(content, "parts")):
            self._append_part(_with_signature_bytes(filled_fields(part)))
        if fields.get("finish_reason", _UNSPECIFIED) != _UNSPECIFIED:
            self.done = True

    def _append_part(self, part: Wire) -> None:
        """Join a part with the call or text that it continues, or append it as a new part."""
        call = part.get("function_call")
        if isinstance(call, dict) and self._partial and self._partial.open and not call.get("name"):
            self._partial.take(part)
        elif isinstance(call, dict) and call.get("name") and not _STREAMED.isdisjoint(call):
            self._partial = PartialCall()
            self._parts.append(self._partial)
            self._partial.take(part)
        elif self._parts and _continues_text(self._parts[-1], part):
            self._parts[-1].take({"text": part["text"]})
        elif any(value not in ("", {}) for name, value in part.items() if name != "thought"):
            self._parts.append(GrowingObject(("text",)))
            self._parts[-1].take(part)


def _with_signature_bytes(part: Wire) -> Wire:
    """Return a part with its signature, if base64, decoded to bytes."""
    signature = part.get("thought_signature")
    data = decode_base64(signature) if isinstance(signature, str) else None
    return part if data is None else {**part, "thought_signature": data}


def _continues_text(last: GrowingObject, part: Wire) -> bool:
    """Tell whether a part continues the text in `last`, the part before it."""
    if "text" not in part or "text" not in last.names:
        return False
    same = bool(part.get("thought")) == bool(last.get("thought"))
    return same and part.keys() <= _TEXT and last.names <= _TEXT


_Path = tuple[str | int, ...]
_STEP = lazy_re(r"""\.([^.\[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]""")
_ESCAPE = lazy_re(r"\\(.)")
_VALUES = ("string_value", "number_value", "bool_value")


class PartialCall(GrowingObject):
    """A part with a function call whose arguments come one value at a time. `open` is True while
    more values are to come."""

    def __init__(self) -> None:
        super().__init__(inner={"function_call": ()})
        self._leaves: dict[_Path, Any] = {}
        self.open = True

    def take(self, fragment: Wire) -> None:
        """Add a part with more argument values. A float such as 3.0 becomes an int."""
        call = fragment["function_call"]
        known = {name: one for name, one in call.items() if name not in _STREAMED}
        super().take({**fragment, "function_call": known})
        for one in list_or_empty(call.get("partial_args")):
            path: _Path = tuple(
                int(number) if number else name or _ESCAPE.sub(r"\1", single or double)
                for name, number, single, double in _STEP.findall(str(one.get("json_path") or ""))
            )
            value = next((one[name] for name in _VALUES if one.get(name) is not None), None)
            pieces = self._leaves.get(path)
            if isinstance(value, str) and isinstance(pieces, list):
                pieces.append(value)
            else:
                # Gemini's library has one type for both.
                value = int(value) if isinstance(value, float) and value.is_integer() else value
                self._leaves[path] = [value] if isinstance(value, str) else value
        self.open = bool(call.get("will_continue"))

    def value(self) -> Wire:
        """Return the part, as a dict, with the arguments that have come so far."""
        part, tree = super().value(), dict[Any, Any]()
        for path, leaf in self._leaves.items():
            node: Any = tree
            for step in path[:-1]:
                inner = node.get(step)
                node[step] = node = inner if isinstance(inner, dict) else {}
            if path:
                node[path[-1]] = "".join(leaf) if isinstance(leaf, list) else leaf
        call = part["function_call"]
        given = {str(key): _numbered_dicts_to_lists(one) for key, one in tree.items()}
        return {**part, "function_call": {**call, "args": {**(call.get("args") or {}), **given}}}


def _numbered_dicts_to_lists(node: Any) -> Any:
    """Return a tree in which each dict with only int keys became a list: `{0: "a"}` → `["a"]`."""
    if not isinstance(node, dict):
        return node
    if node and all(isinstance(key, int) for key in node):
        return [_numbered_dicts_to_lists(node[key]) for key in sorted(node)]
    return {str(key): _numbered_dicts_to_lists(value) for key, value in node.items()}
