"""Samples of inspect's logs: each a conversation, with what the log tells of the task beside it.

A log is a JSON document, or an `.eval` archive that holds the same samples (`inspect_archive`).
Long texts may stand in `attachments`, under names that messages refer to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from msgspec.structs import replace

from loom.inputs import Event, Reply, Result, System, User
from loom.providers.formats.wire import text_of
from loom.replay.importers.blocks import CallNames, called, spoken
from loom.replay.importers.facts import RecordedFacts, total, usage_of
from loom.replay.importers.talks import Importer, RecordedMessage, Talk, readable

_CALLS = CallNames(name="function")
_ATTACHED = "attachment://"
# Members of a sample; what else a recording may nest messages in has not all of these.
_SAMPLE = frozenset({"epoch", "target", "input"})


def accepts(talk: Talk) -> bool:
    """Tell whether messages stand in a sample, or a call has its name as only inspect has it."""
    return talk.about.keys() >= _SAMPLE or any(
        isinstance(call, dict) and isinstance(call.get("function"), str) and "arguments" in call
        for item in talk.items
        for call in _listed(item.value.get("tool_calls"))
    )


def events(talk: Talk, notes: list[str]) -> Iterator[Event]:
    """Yield the events of a sample in recorded order, attached texts in their places."""
    attached = talk.about.get("attachments")
    texts = attached if isinstance(attached, dict) else {}

    def read(item: RecordedMessage) -> Iterator[Event]:
        whole = replace(item, value=_resolved(item.value, texts))
        role = str(whole.value.get("role"))
        if role not in _EVENTS:
            raise item.bad(f"the role {role!r:.80} is none of {', '.join(_EVENTS)}")
        yield _EVENTS[role](whole)

    return readable(talk.items, notes, read)


def facts(talk: Talk) -> RecordedFacts:
    """Return the model of the task, and what the sample used of all models."""
    used = talk.about.get("model_usage")
    log = talk.about.get("log")
    task = log.get("eval") if isinstance(log, dict) else None
    model = task.get("model") if isinstance(task, dict) else None
    each = used.values() if isinstance(used, dict) else ()
    return RecordedFacts(str(model or ""), total(map(usage_of, each)))


def _resolved(value: Any, texts: dict[str, Any]) -> Any:
    """Put attached texts where they are referred to."""
    if isinstance(value, str) and value.startswith(_ATTACHED):
        return texts.get(value.removeprefix(_ATTACHED), value)
    if isinstance(value, list):
        return [_resolved(item, texts) for item in value]
    if isinstance(value, dict):
        return {key: _resolved(item, texts) for key, item in value.items()}
    return value


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _system(item: RecordedMessage) -> System:
    return System(text_of(item.value.get("content")), item.index)


def _user(item: RecordedMessage) -> User:
    return User(text_of(item.value.get("content")), item.index)


def _reply(item: RecordedMessage) -> Reply:
    message = item.value
    calls = called(item, message.get("tool_calls"), _CALLS)
    model = str(message.get("model") or "")
    return Reply((*spoken(message.get("content")), *calls), model, index=item.index)


def _result(item: RecordedMessage) -> Result:
    call_id, error = item.value.get("tool_call_id"), item.value.get("error")
    if not isinstance(call_id, str):
        raise item.bad("a result has no `tool_call_id`")
    text = text_of(item.value.get("content"), "\n")
    if not text and isinstance(error, dict):
        text = str(error.get("message") or "")
    return Result(call_id, text, bool(error), item.index)


_EVENTS: dict[str, Callable[[RecordedMessage], Event]] = {
    "system": _system,
    "user": _user,
    "assistant": _reply,
    "tool": _result,
}

IMPORTER = Importer("inspect", accepts, events, facts)
