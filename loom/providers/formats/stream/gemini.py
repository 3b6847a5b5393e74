"""Gemini: each chunk a response of its own, with the next parts of the content.

https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent. Takes the chunks of
`models.generate_content_stream()`, and the service's own JSON.

Adjacent texts of one kind (thought or speech) are one part. A part with a signature is never joined
with another: it must go back on the part it came with, which at the end of a stream may hold an
empty text (https://ai.google.dev/gemini-api/docs/thought-signatures).

A call whose arguments are streamed value by value, which Vertex AI does only when asked to by
`stream_function_call_arguments` (https://github.com/vercel/ai/issues/14358), is refused.
"""

from __future__ import annotations

from loom.errors import BadInput
from loom.providers.formats.stream.chunks import Growing, field, filled, items, stream_failed
from loom.providers.formats.wire import Wire, snake
from loom.providers.media.payload import decoded

_HEAD = ("response_id", "model_version", "model_status", "prompt_feedback")
_SHOWN = ("candidates", "prompt_feedback", "usage_metadata", "promptFeedback", "usageMetadata")
_UNSPECIFIED = "FINISH_REASON_UNSPECIFIED"

# All that a text part may hold to be joined with its neighbour.
_TEXT = frozenset({"text", "thought"})
_STREAMED = ("partial_args", "will_continue")  # of a call


def begins(chunk: object) -> bool:
    """Tell whether a chunk is a response of Gemini's; the first may lack candidates."""
    return any(field(chunk, name) is not None for name in _SHOWN)


class GeminiCollector:
    """Gathers a response with one candidate, the stream's first. `done` once that candidate has a
    finish reason, or the prompt was blocked."""

    def __init__(self) -> None:
        self.done = False
        self._head: Wire = {}
        self._usage: Wire = {}
        self._candidate: Wire = {}
        self._role = "model"
        self._parts: list[Growing] = []

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
        """Add a part: to the text before it, or as one of its own."""
        if any(field(part.get("function_call"), name) for name in _STREAMED):
            raise BadInput(
                "arguments streamed value by value are not read: ask without"
                " `stream_function_call_arguments`"
            )
        if self._parts and _joins(self._parts[-1], part):
            self._parts[-1].take({"text": part["text"]})
        elif any(value not in ("", {}) for name, value in part.items() if name != "thought"):
            self._parts.append(Growing(("text",)))
            self._parts[-1].take(part)


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
