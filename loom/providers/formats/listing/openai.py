"""Lists of Chat Completions: a message each for instructions, words, replies and results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from loom.providers.formats.listing.message import (
    BadMessage,
    ListedMessage,
    ListedResult,
    given,
    instructed,
    name_of,
    said,
)
from loom.providers.formats.openai import decode, listed
from loom.providers.formats.tagged import untagged
from loom.providers.formats.wire import Wire


def listing(messages: Sequence[Wire], start: int) -> Iterator[ListedMessage]:
    """Read a list from a number on. Raises BadMessage."""
    for number in range(start, len(messages)):
        yield from _read(messages[number], number, messages)


def _read(message: Wire, number: int, messages: Sequence[Wire]) -> Iterable[ListedMessage]:
    id, content = name_of(message), message.get("content")
    match message.get("role"):
        case "system" | "developer":
            return instructed(id, content)
        case "user":
            if "content" not in message:
                raise BadMessage(number, "a message of the user has no `content`")
            return [ListedMessage(id=id, content=said(content))]
        case "assistant":
            return [ListedMessage(id=id, reply=untagged(listed(message)))]
        case "tool" | "function":
            call = message.get("tool_call_id")
            if message.get("role") == "function":
                call = _called(str(message.get("name")), messages[:number])
            if not isinstance(call, str):
                raise BadMessage(number, "a result has no `tool_call_id`")
            failed = message.get("status") == "error"  # of hosts that tell, as LangChain does
            return [ListedMessage(id=id, results=(ListedResult(call, given(content), failed),))]
        case role:
            known = "system, developer, user, assistant, tool"
            raise BadMessage(number, f"the role {role!r:.80} is none of {known}")


def _called(name: str, messages: Sequence[Wire]) -> str:
    """The id of the call that a result of the old `function` role, which has none, answers: that
    of its function in the reply before it."""
    replies = (one for one in reversed(messages) if one.get("role") == "assistant")
    calls = decode(next(replies, {"role": "assistant", "content": ""})).calls
    return next((call.id for call in calls if call.name == name), name)
