"""Reading neutral messages for encoders, and the words that stand for blank content.

Providers refuse blank content, so each kind of blank has words of its own. Ids of calls are derived
where a provider gave none, lawful and unique where one asks.
"""

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
    """Return the texts of a message that are not blank, verbatim and in order."""
    found = (block.text for block in message.blocks if isinstance(block, TextBlock))
    return [text for text in found if text.strip()]


def media_parts(message: Message) -> list[Wire]:
    """Return the images, documents and unknown blocks of a message, as parts of the request."""
    return [block.part for block in message.blocks if isinstance(block, PartBlock)]


def spoken_message(message: Message, kind: str = "text") -> Wire:
    """Return the message of a role that only speaks, its text in a part of `kind` beside media."""
    text = "\n\n".join(nonblank_texts(message))
    shown = media_parts(message)
    if not shown:
        return {"role": message.role, "content": text or EMPTY_MESSAGE}
    words = [{"type": kind, "text": text}] if text else []
    return {"role": message.role, "content": [*words, *shown]}


def result_parts(block: ResultBlock) -> list[Wire]:
    """Return the parts a result is sent as, in place of its text; none for a text."""
    return [*block.parts] if isinstance(block, OwnResultBlock) else []


def single_result(message: Message) -> ResultBlock:
    """Return the result a tool message holds. Raises ValueError when the message holds anything but
    one result."""
    found = [block for block in message.blocks if isinstance(block, ResultBlock)]
    if len(found) != 1 or len(message.blocks) != 1:
        raise ValueError(
            f"a tool message holds exactly one result, this one has {len(found)} results among "
            f"{len(message.blocks)} blocks: give each result a message of its own"
        )
    return found[0]


def result_content(block: ResultBlock) -> list[Wire] | str:
    """Return what a result is sent as where its content may be parts: those, or its text, which
    alone says that it failed."""
    text = block.text if block.text.strip() else NO_OUTPUT
    marked = f"[error] {text}" if block.error and not says_error(text) else text
    return result_parts(block) or marked


def arguments_object(arguments: str) -> Wire:
    """Return a call's arguments as an object; text that is none stands inside one, verbatim. Each
    format sends the same object: servers of open models read the arguments of earlier calls too,
    and refuse a request for one that is no JSON object."""
    if not arguments.strip():
        return {}
    given = parse_json_object(arguments)
    return {"_raw": arguments} if given is None else given


def arguments_text(arguments: str) -> str:
    """Return a call's arguments as the text of an object: verbatim where they are one."""
    whole = arguments.strip() and parse_json_object(arguments) is not None
    return arguments if whole else compact_json(arguments_object(arguments))


def says_error(text: str) -> bool:
    """Tell whether a text names itself an error in its first word."""
    return _SAYS_ERROR.match(text) is not None


ID_CHARS = 64  # the longest call id OpenAI's and Anthropic's servers take

_BAD_IN_ID = lazy_re(r"[^A-Za-z0-9_-]")
_DERIVED = lazy_re(r"call_[0-9a-f]{16}")


def derived_id(seed: str) -> str:
    """Return the id of a call that came without one, from what it says and where it stands."""
    return "call_" + blake2b(seed.encode("utf-8", "replace"), digest_size=8).hexdigest()


def is_derived_id(call_id: str) -> bool:
    """Tell whether an id looks like one `derived_id` makes: no provider knows it."""
    return _DERIVED.fullmatch(call_id) is not None


def lawful_id(call_id: str, most: int = ID_CHARS) -> str:
    """Return an id providers accept: itself, or its letters and a short hash of it. It has at most
    `most` characters."""
    if call_id and len(call_id) <= most and not _BAD_IN_ID.search(call_id):
        return call_id
    digest = blake2b(call_id.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    letters = _BAD_IN_ID.sub("_", call_id)[: most - len(digest) - 1]
    return f"{letters}_{digest}"


class WireIds:
    """The ids calls have on the wire: lawful, and unique even where a provider repeats its own."""

    def __init__(self) -> None:
        self._used: set[str] = set()
        self._repeats: dict[str, int] = {}
        self._current: dict[str, str] = {}

    def call(self, call_id: str) -> str:
        """Return the wire id of a new call."""
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
        """Return the wire id of the last call made under an id."""
        return self._current.get(call_id) or lawful_id(call_id)
