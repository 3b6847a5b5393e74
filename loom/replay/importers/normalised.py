"""One message a line, whatever harness recorded it: role, content, thinking, calls by name.

Beside these a message may hold `i` (its number), `ctx_tokens` (the size of the request), and the
marks of a compaction: `compact_boundary`, and `compact_summary` on the summary written then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from loom.inputs import ClientCompaction, Event, Reasoning, Reply, Result, Speech, System, User
from loom.providers.formats.wire import count, text_of
from loom.replay.importers.blocks import called
from loom.replay.importers.facts import RecordedFacts
from loom.replay.importers.talks import Importer, RecordedMessage, Talk, readable

_MARKS = frozenset({"ctx_tokens", "compact_boundary", "compact_summary", "thinking", "is_error"})


def accepts(talk: Talk) -> bool:
    """Tell whether a message has a field, or a call a shape, only this form has."""
    return any("role" in item.value and _is_marked(item.value) for item in talk.items)


def _is_marked(message: dict[str, Any]) -> bool:
    calls = message.get("tool_calls")
    named = isinstance(calls, list) and any(
        isinstance(call, dict) and "name" in call and "function" not in call for call in calls
    )
    return named or not _MARKS.isdisjoint(message)


def events(talk: Talk, notes: list[str]) -> Iterator[Event]:
    """Yield the events of a session in recorded order."""

    def read(item: RecordedMessage) -> Iterator[Event]:
        if item.value.get("compact_boundary"):
            notes.append(f"message {item.index}: the mark of a compaction was dropped")
            return
        role = item.value.get("role")
        if not isinstance(role, str) or role not in _EVENTS:
            raise item.bad(f"the role {role!r:.80} is none of {', '.join(_EVENTS)}")
        yield _EVENTS[role](item)

    return readable(talk.items, notes, read)


def facts(talk: Talk) -> RecordedFacts:
    """Return the client's compactions, each with the first summary behind it."""
    summaries = [item for item in talk.items if item.value.get("compact_summary")]
    found: list[ClientCompaction] = []
    for item in talk.items:
        told = item.value.get("compact_boundary")
        if not told:
            continue
        told = told if isinstance(told, dict) else {}
        after = next((one for one in summaries if one.index >= item.index), None)
        summary = text_of(after.value.get("content")) if after else ""
        before, trigger = count(told.get("preTokens")), str(told.get("trigger") or "")
        found.append(ClientCompaction(item.index, before, trigger=trigger, summary=summary))
    return RecordedFacts(compactions=tuple(found))


def _system(item: RecordedMessage) -> System:
    return System(text_of(item.value.get("content")), item.index)


def _user(item: RecordedMessage) -> User:
    return User(text_of(item.value.get("content")), item.index)


def _reply(item: RecordedMessage) -> Reply:
    message = item.value
    thought = text_of(message.get("thinking"))
    said = text_of(message.get("content"))
    return Reply(
        parts=(
            *([Reasoning(thought)] if thought else []),
            *([Speech(said)] if said else []),
            *called(item, message.get("tool_calls")),
        ),
        model=str(message.get("model") or ""),
        prompt_tokens=count(message.get("ctx_tokens")),
        index=item.index,
    )


def _result(item: RecordedMessage) -> Result:
    message = item.value
    call_id = message.get("tool_call_id")
    if not isinstance(call_id, str):
        raise item.bad("a result has no `tool_call_id`")
    text = text_of(message.get("content"), "\n")
    return Result(call_id, text, bool(message.get("is_error")), item.index)


_EVENTS: dict[str, Callable[[RecordedMessage], Event]] = {
    "system": _system,
    "user": _user,
    "assistant": _reply,
    "tool": _result,
}


IMPORTER = Importer("normalised", accepts, events, facts)
