"""Sessions recorded as a list of a provider's messages: read as the lists that hosts keep are."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from msgspec.structs import replace

from loom.errors import BadInput
from loom.inputs import Event, Result, System, User
from loom.providers.formats import anthropic, responses
from loom.providers.formats.listing import ListedMessage
from loom.providers.formats.listing.readers import listed
from loom.providers.formats.wire import parts, text_of
from loom.replay.importers.talks import Importer, RecordedMessage, Talk, left_out

OPENAI = ("system", "developer", "user", "assistant", "tool", "function")
ITEMS = frozenset({"reasoning", *responses.CALLS, *(end for _, end in responses.CALLS.values())})
TEXTS = frozenset({"input_text", "output_text"})


def events_of(message: ListedMessage, index: int) -> Iterator[Event]:
    """Yield what one message says as events: results before the words of the user."""
    if message.reply is not None:
        yield replace(message.reply, index=index)
    if message.system is not None:
        yield System(message.system, index)
    for result in message.results:
        yield Result(result.call_id, text_of(result.content, "\n"), result.error, index)
    if message.content is not None:
        yield User(text_of([*message.content]), index)


def read_one(format: str, item: RecordedMessage, value: Any, notes: list[str]) -> Iterator[Event]:
    """Yield the events of one message alone; what of it cannot be read is noted.

    That is one of several blocks, or else the message.
    """
    blocks = value.get("content")
    blocks = blocks if isinstance(blocks, list) else []
    wrong = [_wrong(format, {**value, "content": [block]}) for block in blocks]
    rest = [block for block, why in zip(blocks, wrong, strict=True) if not why]
    if rest and any(wrong):
        notes += (left_out(item.bad(why)) for why in wrong if why)
        value = {**value, "content": rest}
    if why := _wrong(format, value):
        notes.append(left_out(item.bad(why)))
    else:
        for message in listed(format, [value]):
            yield from events_of(message, item.index)


def _wrong(format: str, message: dict[str, Any]) -> str:
    """The fault of a message alone, "" for none."""
    try:
        [*listed(format, [message])]
    except BadInput as error:
        return str(error).removeprefix(f"{error.kind}: ")
    return ""


def _events(format: str, talk: Talk, notes: list[str]) -> Iterator[Event]:
    """Yield the events of a session in recorded order; a message that cannot be read is noted."""
    messages, start = [item.value for item in talk.items], 0
    while start < len(messages):
        try:
            for message in listed(format, messages, start):
                at = start if message.many else start - 1
                yield from events_of(message, talk.items[at].index)
                start += message.many
        except BadInput:
            yield from read_one(format, talk.items[start], messages[start], notes)
            start += 1


def _is_openai(talk: Talk) -> bool:
    return any(item.value.get("role") in OPENAI for item in talk.items)


def _is_anthropic(talk: Talk) -> bool:
    """True for messages of which one holds a block that only this provider has."""
    blocks = [part for item in talk.items for part in parts(item.value.get("content"))]
    return any(str(one.get("type")) in anthropic.BLOCKS or "source" in one for one in blocks)


def _is_responses(talk: Talk) -> bool:
    """True where an item, or a part of a message, has a type that only this provider gives."""

    def is_item(value: dict[str, Any]) -> bool:
        given = parts(value.get("content"))
        kinds = {str(part.get("type")) for part in given}
        return str(value.get("type")) in ITEMS or bool(kinds & TEXTS)

    return any(is_item(item.value) for item in talk.items)


def _is_gemini(talk: Talk) -> bool:
    return any(isinstance(item.value.get("parts"), list) for item in talk.items)


OPENAI_LIST = Importer("openai", _is_openai, partial(_events, "openai"))
ANTHROPIC_LIST = Importer("anthropic", _is_anthropic, partial(_events, "anthropic"))
RESPONSES_LIST = Importer("responses", _is_responses, partial(_events, "responses"))
GEMINI_LIST = Importer("gemini", _is_gemini, partial(_events, "gemini"))
