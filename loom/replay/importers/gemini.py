"""Gemini: contents of parts; results are parts of a user's content, and may have no id."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from loom.inputs import Event, Result, System, User
from loom.providers.formats import gemini as wire
from loom.providers.formats.camel import FOREIGN, snake
from loom.providers.formats.wire import compact, text_of, without_nulls
from loom.replay.importers.talks import Importer, RecordedMessage, Talk, readable, reply_of

TOLD = ("output", "result", "error")  # members of a response that hold its text


def accepts(talk: Talk) -> bool:
    """Tell whether a message has parts in the place of content."""
    return any(isinstance(item.value.get("parts"), list) for item in talk.items)


def events(talk: Talk, notes: list[str]) -> Iterator[Event]:
    """Yield the events of a session in recorded order."""
    waiting: list[tuple[str, str]] = []  # the calls of the last reply without a result: id, name

    def read(item: RecordedMessage) -> Iterator[Event]:
        match item.value.get("role", "user"):
            case "model":
                reply = reply_of(item, wire.decode, item.value)
                waiting[:] = [(call.id, call.name) for call in reply.calls]
                yield reply
            case "user" | "function" | "tool":
                yield from _said(item, waiting)
            case "system":
                yield System(_text(_parts(item)), item.index)
            case role:
                raise item.bad(f"the role {role!r:.80} is none of user, model, function, system")

    return readable(talk.items, notes, read)


def _parts(item: RecordedMessage) -> list[dict[str, Any]]:
    given = without_nulls(snake(item.value), whole=FOREIGN).get("parts")
    if not isinstance(given, list) or not all(isinstance(part, dict) for part in given):
        raise item.bad("`parts` is no list of parts")
    return given


def _said(item: RecordedMessage, waiting: list[tuple[str, str]]) -> Iterator[User | Result]:
    """Yield the results of a content, then what else it says as one turn."""
    given = _parts(item)
    results = [part["function_response"] for part in given if "function_response" in part]
    for one in results:
        if not isinstance(one, dict):
            raise item.bad("a `function_response` is no object")
        yield _result(item, one, waiting)
    rest = [part for part in given if "function_response" not in part]
    if rest or not results:
        yield User(_text(rest), item.index)


def _result(item: RecordedMessage, given: dict[str, Any], waiting: list[tuple[str, str]]) -> Result:
    """A result; one without an id is that of the first call of its name that waits for one."""
    name, response = str(given.get("name") or ""), given.get("response")
    by_name = (id for id, called in waiting if called == name)
    call_id = str(given.get("id") or next(by_name, name))
    waiting[:] = [one for one in waiting if one[0] != call_id]
    told = next((key for key in TOLD if isinstance(response, dict) and key in response), "")
    text = response[told] if told and isinstance(response, dict) else response
    text = text if isinstance(text, str) else compact(text)
    return Result(call_id, text, told == "error", item.index)


def _text(given: list[dict[str, Any]]) -> str:
    """The text of parts; what is none is shown as JSON."""
    shown = [{"type": "text", "text": part.get("text", compact(part))} for part in given]
    return text_of(shown)


IMPORTER = Importer("gemini", accepts, events)
