"""Lists of Gemini's contents: results are parts of a user's content, and may have no id."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from loom.inputs import ToolCall
from loom.providers.formats.camel import FOREIGN, snake
from loom.providers.formats.gemini import decode
from loom.providers.formats.listing.message import (
    BadMessage,
    ListedMessage,
    ListedResult,
    name_of,
    with_results,
)
from loom.providers.formats.tagged import untagged
from loom.providers.formats.wire import Wire, compact, without_nulls

TOLD = ("output", "result", "error")  # members of a response that hold its text


def listing(messages: Sequence[Wire], start: int) -> Iterator[ListedMessage]:
    """Read a list from a number on. Raises BadMessage."""
    waiting = _waiting(messages, start)
    for number in range(start, len(messages)):
        for read in _read(messages[number], number, waiting):
            if read.reply is not None:
                waiting = [*read.reply.calls]
            yield read


def _waiting(messages: Sequence[Wire], start: int) -> list[ToolCall]:
    """The calls of the last reply before a number that have no result there."""
    at = next((n for n in range(start - 1, -1, -1) if messages[n].get("role") == "model"), None)
    if at is None:
        return []
    waiting = [*decode(messages[at]).calls]
    for number in range(at + 1, start):
        with suppress(BadMessage):  # whoever reads on behind a bad one knows of it
            [*_read(messages[number], number, waiting)]
    return waiting


def _read(message: Wire, number: int, waiting: list[ToolCall]) -> Iterator[ListedMessage]:
    id, parts = name_of(message), _parts(message, number)
    match message.get("role", "user"):
        case "model":
            yield ListedMessage(id=id, reply=untagged(decode(message)))
        case "system":
            yield ListedMessage(id=id, system="\n\n".join(str(p.get("text", "")) for p in parts))
        case "user" | "function" | "tool":
            results = [part["function_response"] for part in parts if "function_response" in part]
            rest = [_said(part) for part in parts if "function_response" not in part]
            told = [_result(one, number, waiting) for one in results]
            yield from with_results(id, told, tuple(rest))
        case role:
            known = "user, model, function, system"
            raise BadMessage(number, f"the role {role!r:.80} is none of {known}")


def _parts(message: Wire, number: int) -> list[dict[str, Any]]:
    given = without_nulls(snake(message), whole=FOREIGN).get("parts")
    if not isinstance(given, list) or not all(isinstance(part, dict) for part in given):
        raise BadMessage(number, "`parts` is no list of parts")
    return given


def _said(part: dict[str, Any]) -> object:
    return part["text"] if isinstance(part.get("text"), str) else part


def _result(given: object, number: int, waiting: list[ToolCall]) -> ListedResult:
    """A result; one without an id is that of the first call of its name that waits for one."""
    if not isinstance(given, dict):
        raise BadMessage(number, "a `function_response` is no object")
    name, response = str(given.get("name") or ""), given.get("response")
    by_name = (call.id for call in waiting if call.name == name)
    call_id = str(given.get("id") or next(by_name, name))
    waiting[:] = [call for call in waiting if call.id != call_id]
    told = next((key for key in TOLD if isinstance(response, dict) and key in response), "")
    text = response[told] if told and isinstance(response, dict) else response
    said = text if isinstance(text, str) else compact(text)
    beside = given.get("parts")
    content = [said, *beside] if isinstance(beside, list) and beside else said
    return ListedResult(call_id, content, told == "error")
