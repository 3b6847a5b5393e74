"""Lists of messages that a host keeps, read message by message: what each says, in any format."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from msgspec import Struct

from loom.errors import BadInput
from loom.inputs import Reasoning, Reply
from loom.providers.formats.envelope import REASONING
from loom.providers.formats.wire import (
    Wire,
    content_parts,
    content_text,
    is_text_part,
    parse_json_object,
)

TEXTS = ("text", "input_text", "output_text")  # types of parts that are one in any format


def bad_message_error(number: int, why: str) -> BadInput:
    """The error for a message of a host's list that is none of its format, or none it can take.
    `number` counts from 0; it is -1 where there is no list."""
    where = f"message {number} of the list"
    return BadInput(f"{where}: {why}" if number >= 0 else why, where if number >= 0 else "message")


class ListedResult(Struct, frozen=True):
    """The result of a call: a text, or parts where there is an image or a document in it."""

    call_id: str
    content: str | list[Any]
    error: bool = False


class ListedMessage(Struct, frozen=True):
    """What one message says: instructions, results of calls, words of the user, or a reply. `many`
    messages of the wire make it: a reply in the Responses format is several items, and words behind
    results in one message are a message of their own, of none. `content` holds texts and parts of a
    request. `id` is what the host calls the message, "" for none."""

    many: int = 1
    id: str = ""
    system: str | None = None
    results: tuple[ListedResult, ...] = ()
    content: tuple[Any, ...] | None = None
    reply: Reply | None = None


def provider_items(reply: Reply) -> list[Wire]:
    """The provider's own items in a reply that are no reasoning: searches it ran itself, a summary
    of its own that nobody else can read, whatever it may add."""
    held = (part.opaque for part in reply.parts if isinstance(part, Reasoning) and not part.text)
    found = (parse_json_object(opaque) or {} for opaque in held if opaque)
    return [item for item in found if item.get("type", "reasoning") not in REASONING]


# Reads a list from a number on. Raises BadInput.
Listing = Callable[[Sequence[Wire], int], Iterator[ListedMessage]]


def message_id(message: Wire) -> str:
    """The name a host gives a message, "" for none."""
    given = message.get("id")
    return given if isinstance(given, str) else ""


def results_then_content(
    id: str, results: Sequence[ListedResult], content: tuple[Any, ...]
) -> Iterator[ListedMessage]:
    """A message of the user: the results in it, then what else it says."""
    if results:
        yield ListedMessage(id=id, results=tuple(results))
    if content or not results:
        yield ListedMessage(many=0 if results else 1, id=id, content=content)


def instruction_messages(id: str, content: object) -> Iterator[ListedMessage]:
    """Instructions: their text, then the parts that are none."""
    found = content_parts(content)
    yield ListedMessage(id=id, system=content_text([part for part in found if is_text_part(part)]))
    if own := [part for part in found if not is_text_part(part)]:
        yield ListedMessage(many=0, id=id, content=tuple(own))


def user_content(content: object, types: Sequence[str] = TEXTS[:1]) -> tuple[Any, ...]:
    """Content of a user as texts, which are parts of these types, and parts."""
    return tuple(
        str(part.get("text") or "") if part.get("type") in types else part
        for part in content_parts(content)
    )


def result_text_or_parts(content: object, joint: str = "\n") -> str | list[Any]:
    """Content of a result: its text, or the parts where one of them is no text."""
    found = content_parts(content)
    if all(str(part.get("type")) in TEXTS for part in found):
        return content_text(found, joint)
    return found
