"""Messages of LangChain, as `dumpd` and as `messages_to_dict` write them.

`dumpd` gives {"lc": 1, "id": [… "AIMessage"], "kwargs": {…}}; `messages_to_dict` {"type": "ai",
"data": {…}}. Both hold the fields of the message, whose own `type` says who speaks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from loom.inputs import Event, Reply, Result, System, User
from loom.providers.formats.wire import text_of
from loom.replay.importers.blocks import CallNames, called, spoken
from loom.replay.importers.facts import RecordedFacts, total, usage_of
from loom.replay.importers.talks import Importer, RecordedMessage, Talk, readable

_CALLS = CallNames(arguments="args")


def accepts(talk: Talk) -> bool:
    """Tell whether a message is wrapped as LangChain wraps them."""
    return any(_fields(item) is not None for item in talk.items)


def events(talk: Talk, notes: list[str]) -> Iterator[Event]:
    """Yield the events of a list of messages in recorded order."""

    def read(item: RecordedMessage) -> Iterator[Event]:
        fields = _fields(item)
        if fields is None:
            raise item.bad("neither `data` nor `kwargs` hold the fields of a message")
        kind = str(fields.get("type") or item.value.get("type")).removesuffix("MessageChunk")
        if kind == "remove":
            raise item.bad("the mark of a message that was removed")
        if kind not in _EVENTS:
            raise item.bad(f"the type {kind!r:.80} is none of {', '.join(_EVENTS)}")
        yield _EVENTS[kind](item, fields)

    return readable(talk.items, notes, read)


def facts(talk: Talk) -> RecordedFacts:
    """Return what the replies say they used."""
    given = (_fields(item) or {} for item in talk.items)
    return RecordedFacts(usage=total(usage_of(fields.get("usage_metadata")) for fields in given))


def _fields(item: RecordedMessage) -> dict[str, Any] | None:
    """The fields of a message; None for an object that is none of LangChain's."""
    value = item.value
    wrapped = value.get("kwargs") if "lc" in value else value.get("data")
    known = "lc" in value or str(value.get("type")).removesuffix("MessageChunk") in _EVENTS
    return wrapped if known and isinstance(wrapped, dict) and "content" in wrapped else None


def _system(item: RecordedMessage, fields: dict[str, Any]) -> System:
    return System(text_of(fields.get("content")), item.index)


def _user(item: RecordedMessage, fields: dict[str, Any]) -> User:
    return User(text_of(fields.get("content")), item.index)


def _reply(item: RecordedMessage, fields: dict[str, Any]) -> Reply:
    told = fields.get("response_metadata")
    told = told if isinstance(told, dict) else {}
    return Reply(
        parts=(
            *spoken(fields.get("content")),
            *called(item, fields.get("tool_calls"), _CALLS),
        ),
        model=str(told.get("model_name") or told.get("model") or ""),
        prompt_tokens=usage_of(fields.get("usage_metadata")).input,
        index=item.index,
    )


def _result(item: RecordedMessage, fields: dict[str, Any]) -> Result:
    call_id = fields.get("tool_call_id") or fields.get("name")
    if not isinstance(call_id, str):
        raise item.bad("a result has no `tool_call_id`")
    text = text_of(fields.get("content"), "\n")
    return Result(call_id, text, fields.get("status") == "error", item.index)


_EVENTS: dict[str, Callable[[RecordedMessage, dict[str, Any]], Event]] = {
    "system": _system,
    "human": _user,
    "chat": _user,
    "ai": _reply,
    "AI": _reply,
    "tool": _result,
    "function": _result,
    "Human": _user,
    "System": _system,
    "Tool": _result,
}

IMPORTER = Importer("langchain", accepts, events, facts)
