"""Lists of messages that a host keeps, read into one shape for every format."""

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
    """Return the error for a host's message that cannot be read. `number` is the message's index in
    the list; -1 if the message is not in a list. `why` is the reason."""
    where = f"message {number} of the list"
    return BadInput(f"{where}: {why}" if number >= 0 else why, where if number >= 0 else "message")


class ListedResult(Struct, frozen=True):
    """The result of a call. `content` is a text, or a list of parts if not all parts are texts."""

    call_id: str
    content: str | list[Any]
    error: bool = False


class ListedMessage(Struct, frozen=True):
    """One message of a host's list: instructions (`system`), results of calls, content of the user,
    or a reply.

    `many` is how many messages of the host's list were read for it: several for a reply in the
    Responses format, 0 for the second of two ListedMessages made from one message. `content` holds
    texts and content parts. `id` is the host's id of the message, "" if it has none."""

    many: int = 1
    id: str = ""
    system: str | None = None
    results: tuple[ListedResult, ...] = ()
    content: tuple[Any, ...] | None = None
    reply: Reply | None = None


def provider_items(reply: Reply) -> list[Wire]:
    """Return the items in a reply, without reasoning, that only its provider understands, such as
    searches it ran itself."""
    held = (part.opaque for part in reply.parts if isinstance(part, Reasoning) and not part.text)
    found = (parse_json_object(opaque) or {} for opaque in held if opaque)
    return [item for item in found if item.get("type", "reasoning") not in REASONING]


# Reads a list from a number on. Raises BadInput.
Listing = Callable[[Sequence[Wire], int], Iterator[ListedMessage]]


def message_id(message: Wire) -> str:
    """Return the `id` of a host's message; "" if it has none."""
    given = message.get("id")
    return given if isinstance(given, str) else ""


def results_then_content(
    id: str, results: Sequence[ListedResult], content: tuple[Any, ...]
) -> Iterator[ListedMessage]:
    """Yield a ListedMessage with a user message's results, if any, then a ListedMessage with its
    other content, if any."""
    if results:
        yield ListedMessage(id=id, results=tuple(results))
    if content or not results:
        yield ListedMessage(many=0 if results else 1, id=id, content=content)


def instruction_messages(id: str, content: object) -> Iterator[ListedMessage]:
    """Yield a ListedMessage with the text of instructions, then a ListedMessage with their other
    parts, if any."""
    found = content_parts(content)
    yield ListedMessage(id=id, system=content_text([part for part in found if is_text_part(part)]))
    if own := [part for part in found if not is_text_part(part)]:
        yield ListedMessage(many=0, id=id, content=tuple(own))


def user_content(content: object, types: Sequence[str] = TEXTS[:1]) -> tuple[Any, ...]:
    """Return the content of a user's message: texts for parts of a type in `types`, dicts for all
    others."""
    return tuple(
        str(part.get("text") or "") if part.get("type") in types else part
        for part in content_parts(content)
    )


def result_text_or_parts(content: object, joint: str = "\n") -> str | list[Any]:
    """Return a result's content as one text, joined by `joint`, or as the list of its parts if a
    part is no text."""
    found = content_parts(content)
    if all(str(part.get("type")) in TEXTS for part in found):
        return content_text(found, joint)
    return found
