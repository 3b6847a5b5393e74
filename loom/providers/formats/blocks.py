"""Reads Loom's messages for encoders, and names the placeholders for blank content.

Providers refuse blank content, so each kind of it has a placeholder. A call without an id gets one.
Ids are made acceptable and unique for providers that demand it."""

from __future__ import annotations

import re
from hashlib import blake2b

from loom.lazy import lazy_re
from loom.providers.formats.wire import Wire, compact_json, parse_json_object
from loom.providers.render.message import Message, OwnResultBlock, PartBlock, ResultBlock, TextBlock

EMPTY_MESSAGE = "(empty message)"
NO_TEXT = "(no text)"
NO_OUTPUT = "(no output)"
RESUMES = "(the conversation resumes)"

_SAYS_ERROR = lazy_re(r"[\s\[<(*]*error\b", re.IGNORECASE)


def nonblank_texts(message: Message) -> list[str]:
    """Return the texts of a message, verbatim and in order, without blank ones."""
    found = (block.text for block in message.blocks if isinstance(block, TextBlock))
    return [text for text in found if text.strip()]


def media_parts(message: Message) -> list[Wire]:
    """Return a message's images, documents and unknown blocks, as content parts of a request."""
    return [block.part for block in message.blocks if isinstance(block, PartBlock)]


def spoken_message(message: Message, kind: str = "text") -> Wire:
    """Return a system or user message in the provider's shape. `kind` is a text part's type."""
    text = "\n\n".join(nonblank_texts(message))
    shown = media_parts(message)
    if not shown:
        return {"role": message.role, "content": text or EMPTY_MESSAGE}
    words = [{"type": kind, "text": text}] if text else []
    return {"role": message.role, "content": [*words, *shown]}


def result_parts(block: ResultBlock) -> list[Wire]:
    """Return the content parts to send instead of a result's text; [] if the text is sent."""
    return [*block.parts] if isinstance(block, OwnResultBlock) else []


def single_result(message: Message) -> ResultBlock:
    """Return the only block of a tool message, a result. Raises ValueError for other messages."""
    found = [block for block in message.blocks if isinstance(block, ResultBlock)]
    if len(found) != 1 or len(message.blocks) != 1:
        raise ValueError(
            f"a tool message holds exactly one result, this one has {len(found)} results among "
            f"{len(message.blocks)} blocks: give each result a message of its own"
        )
    return found[0]


def result_content(block: ResultBlock) -> list[Wire] | str:
    """Return a result's content parts if it has any, else its text. A failed result's text is
    marked: `"no file"` → `"[error] no file"`."""
    text = block.text if block.text.strip() else NO_OUTPUT
    marked = f"[error] {text}" if block.error and not says_error(text) else text
    return result_parts(block) or marked


def arguments_object(arguments: str) -> Wire:
    """Return a call's arguments as a dict, made from JSON text. Text that is no JSON object is put
    into a dict: `"x"` → `{"_raw": "x"}`."""
    if not arguments.strip():
        return {}
    given = parse_json_object(arguments)
    # Servers of open models refuse a request with arguments that are no JSON object.
    return {"_raw": arguments} if given is None else given


def arguments_text(arguments: str) -> str:
    """Return a call's arguments as the JSON text of an object."""
    whole = arguments.strip() and parse_json_object(arguments) is not None
    return arguments if whole else compact_json(arguments_object(arguments))


def says_error(text: str) -> bool:
    """Tell whether the first word of a text is "error"."""
    return _SAYS_ERROR.match(text) is not None


ID_CHARS = 64  # the longest call id OpenAI's and Anthropic's servers take

_BAD_IN_ID = lazy_re(r"[^A-Za-z0-9_-]")
_DERIVED = lazy_re(r"call_[0-9a-f]{16}")


def derived_id(seed: str) -> str:
    """Return an id for a call without one: a hash of `seed`, the call's content and position."""
    return "call_" + blake2b(seed.encode("utf-8", "replace"), digest_size=8).hexdigest()


def is_derived_id(call_id: str) -> bool:
    """Tell whether an id looks like one made by `derived_id`."""
    return _DERIVED.fullmatch(call_id) is not None


def lawful_id(call_id: str, most: int = ID_CHARS) -> str:
    """Return an id that providers accept, of at most `most` characters. A valid id is returned
    unchanged."""
    if call_id and len(call_id) <= most and not _BAD_IN_ID.search(call_id):
        return call_id
    digest = blake2b(call_id.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    letters = _BAD_IN_ID.sub("_", call_id)[: most - len(digest) - 1]
    return f"{letters}_{digest}"


class WireIds:
    """The call ids in one request: valid, and unique even if the provider repeated ids."""

    def __init__(self) -> None:
        self._used: set[str] = set()
        self._repeats: dict[str, int] = {}
        self._current: dict[str, str] = {}

    def call(self, call_id: str) -> str:
        """Return the id to send with a new call, which came with the id `call_id`."""
        lawful = lawful_id(call_id)
        wire_id = lawful
        while wire_id in self._used:
            self._repeats[lawful] = self._repeats.get(lawful, 1) + 1
            suffix = f"_{self._repeats[lawful]}"
            wire_id = lawful[: ID_CHARS - len(suffix)] + suffix
        self._used.add(wire_id)
        self._current[call_id] = wire_id
        return wire_id

    def result(self, call_id: str) -> str:
        """Return the id to send with a result: the id of the newest call made as `call_id`."""
        return self._current.get(call_id) or lawful_id(call_id)
