"""The hash by which a message of a host's list is known again.

It leaves out what a client may change without changing what is said: cache marks, usage, reasoning,
whether a text is one part or several, the spelling of arguments, and the spaces of a reply."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from itertools import groupby
from typing import Any

from loom.inputs import Reply, Speech, ToolCall
from loom.providers.formats.listing import ListedMessage, provider_items
from loom.providers.formats.wire import content_parts, parse_json_object, without_cache_marks
from loom_partitions.journaled import SyncedMessage

BYTES = 12  # of a hash: two of a million messages are alike once in 10^17 lists
# An item in which a provider itself sums up what stood before it, for itself alone.
COMPACTION = "compaction"


def synced_message(message: ListedMessage, salt: str) -> SyncedMessage:
    """Return what the journal keeps of a message of the host's list: its hash, role, length and id.
    The workspace's secret `salt` goes into the hash, so that nobody can look a message up by its
    hash."""
    role, said = _role_and_content(message)
    text = json.dumps([role, said], ensure_ascii=False, sort_keys=True, default=str)
    data = text.encode("utf-8", "surrogatepass")
    key = blake2b(data, digest_size=BYTES, key=salt.encode()[:64]).hexdigest()
    return SyncedMessage(key, role, len(text), id=message.id)


def with_single_spaces(text: str) -> str:
    """Return a text with each run of spaces and line breaks made one space."""
    return " ".join(text.split())


def speech_key(reply: Reply) -> str:
    """Return all speech of a reply as one text with single spaces."""
    return with_single_spaces(
        " ".join(part.text for part in reply.parts if isinstance(part, Speech))
    )


def needs_no_entry(message: ListedMessage) -> bool:
    """Return True for a message that gets no entry: an empty reply, or nothing but results."""
    if (reply := message.reply) is not None:
        return not (reply.calls or speech_key(reply) or provider_items(reply))
    return message.content is None and message.system is None


def call_key(call: ToolCall) -> tuple[str, Any]:
    """Return (name, arguments) of a call, for comparison. Arguments are a dict if they are a JSON
    object, otherwise their text."""
    found = parse_json_object(call.arguments or "{}")
    return call.name, call.arguments if found is None else found


def _role_and_content(message: ListedMessage) -> tuple[str, Any]:
    """Return (role, content) of a message, made of lists and texts, to be hashed."""
    if message.reply is not None:
        calls = [(call.id, *call_key(call)) for call in message.reply.calls]
        items = provider_items(message.reply)
        role = COMPACTION if any(one["type"] == COMPACTION for one in items) else "assistant"
        return role, (speech_key(message.reply), calls, *([items] if items else ()))
    if message.results:
        results = [
            (one.call_id, [*_comparable_parts(content_parts(one.content))])
            for one in message.results
        ]
        return "tool", (results, [*_comparable_parts(message.content or ())])
    if message.content is not None:
        return "user", [*_comparable_parts(message.content)]
    return "system", message.system


def _comparable_parts(content: Iterable[Any]) -> Iterator[Any]:
    """Yield the parts of a message's content, to be hashed: neighbouring texts joined, other parts
    without cache marks."""
    for texts, each in groupby(map(_text_or_part, content), lambda one: isinstance(one, str)):
        if texts:
            yield "\n".join(each).strip()
        else:
            yield from map(without_cache_marks, each)


def _text_or_part(part: Any) -> Any:
    """Return the text of a text part, any other part unchanged."""
    is_text = isinstance(part, dict) and part.get("type") == "text"
    return str(part.get("text") or "") if is_text else part
