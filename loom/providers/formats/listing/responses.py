"""Lists of the Responses format: items, in which the parts of one reply stand side by side.

Nothing in the list says where a reply ends and the next begins. A result ends one, and so does a
message of another role; of two messages in a row with no call waiting each is a reply of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from loom.providers.formats.listing.message import (
    BadMessage,
    ListedMessage,
    ListedResult,
    given,
    instructed,
    name_of,
)
from loom.providers.formats.responses import CALLS
from loom.providers.formats.responses import listed as reply_of
from loom.providers.formats.tagged import untagged
from loom.providers.formats.wire import Wire, parts

RESULTS = frozenset(result for _, result in CALLS.values())


def listing(messages: Sequence[Wire], start: int) -> Iterator[ListedMessage]:
    """Read a list from a number on. Raises BadMessage."""
    number = start
    while number < len(messages):
        many = _items(messages, number)
        yield from _read(messages[number : number + many], number)
        number += many


def kind(item: Wire) -> str:
    """The type of an item; that of a message need not be told."""
    return str(item.get("type", "message"))


def replied(item: Wire) -> bool:
    """True for an item that is part of a reply."""
    return item.get("role", "assistant") == "assistant" and kind(item) not in RESULTS


def _items(messages: Sequence[Wire], number: int) -> int:
    """How many items from a number on are one message."""
    if not replied(messages[number]):
        return 1
    said = called = False
    many = 0
    for item in messages[number:]:
        another = said and not called and kind(item) in ("message", "reasoning")
        if not replied(item) or another:
            break
        said, called = said or kind(item) == "message", called or kind(item) in CALLS
        many += 1
    return many


def _read(items: Sequence[Wire], number: int) -> Iterable[ListedMessage]:
    first = items[0]
    role, id, content = first.get("role"), name_of(first), first.get("content")
    if kind(first) in RESULTS:
        call = first.get("call_id")
        if not isinstance(call, str):
            raise BadMessage(number, "a result has no `call_id`")
        failed = first.get("status") == "error"
        told = ListedResult(call, given(first.get("output")), failed)
        return [ListedMessage(id=id, results=(told,))]
    if replied(first):
        reply = reply_of([*map(whole, items)])
        return [ListedMessage(many=len(items), id=id, reply=untagged(reply))]
    if role in ("system", "developer"):
        return instructed(id, content)
    if role != "user":
        known = "user, assistant, system, developer"
        raise BadMessage(number, f"the role {role!r:.80} is none of {known}")
    texts = ("text", "input_text", "output_text")
    said = (
        str(part.get("text") or "") if part.get("type") in texts else part
        for part in parts(content)
    )
    return [ListedMessage(id=id, content=tuple(said))]


def whole(item: Wire) -> Wire:
    """A message in the easy shape, a text under a role, as an item; any other item as it is."""
    if "type" in item and not isinstance(item.get("content"), str):
        return item
    content = item.get("content")
    said = [{"type": "output_text", "text": content}] if isinstance(content, str) else content
    return {"type": "message", **item, "content": said}
