"""Lists of Anthropic's: content as text or blocks, results inside messages of the user."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from loom.providers.formats.anthropic import decode
from loom.providers.formats.listing.message import (
    BadMessage,
    ListedMessage,
    ListedResult,
    given,
    instructed,
    name_of,
    said,
    with_results,
)
from loom.providers.formats.tagged import untagged
from loom.providers.formats.wire import Wire, parts

RESULT = "tool_result"


def listing(messages: Sequence[Wire], start: int) -> Iterator[ListedMessage]:
    """Read a list from a number on. Raises BadMessage."""
    for number in range(start, len(messages)):
        yield from _read(messages[number], number)


def _read(message: Wire, number: int) -> Iterator[ListedMessage]:
    id, content = name_of(message), message.get("content")
    match message.get("role"):
        case "system":
            yield from instructed(id, content)
        case "assistant":
            yield ListedMessage(id=id, reply=untagged(decode({"type": "message", **message})))
        case "user":
            blocks = parts(content)
            told = [_result(block, number) for block in blocks if block.get("type") == RESULT]
            rest = [block for block in blocks if block.get("type") != RESULT]
            yield from with_results(id, told, said(rest))
        case role:
            raise BadMessage(number, f"the role {role!r:.80} is none of user, assistant, system")


def _result(block: Wire, number: int) -> ListedResult:
    call = block.get("tool_use_id")
    if not isinstance(call, str):
        raise BadMessage(number, "a tool_result has no `tool_use_id`")
    return ListedResult(call, given(block.get("content")), bool(block.get("is_error")))
