"""Events of OpenHands: a list of them, or a folder with a file for each (`event_folder`).

The SDK's say by `kind` what they are. Those of releases before 1.0 have an `action` with `args`,
or an `observation` with its `content`, and where the model called a tool `tool_call_metadata`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from loom.inputs import (
    ClientCompaction,
    Event,
    Reasoning,
    Reply,
    Result,
    Speech,
    System,
    ToolCall,
    User,
)
from loom.providers.formats.wire import compact, text_of
from loom.replay.importers.blocks import spoken
from loom.replay.importers.facts import RecordedFacts
from loom.replay.importers.talks import Importer, RecordedMessage, Talk, readable

Read = Callable[[RecordedMessage], Iterable[Event]]


def accepts(talk: Talk) -> bool:
    """Tell whether an event is one that the model wrote or was shown."""
    return any(_reader(item) is not None for item in talk.items)


def events(talk: Talk, notes: list[str]) -> Iterator[Event]:
    """Yield the events in recorded order; calls of one response become one reply.

    A condensation's summary is a turn of the user, as the model was given it. Events that no model
    saw are left out in silence.
    """

    def read(item: RecordedMessage) -> Iterable[Event]:
        reader = _reader(item)
        if _is_condensation(item):
            notes.append(f"message {item.index}: the mark of a compaction was dropped")
        return reader(item) if reader else ()

    waiting: tuple[str, Reply] | None = None
    responses = {item.index: _response(item) for item in talk.items}
    for event in readable(talk.items, notes, read):
        response = responses.get(event.index, "") if isinstance(event, Reply) else ""
        if isinstance(event, Reply) and waiting and response == waiting[0] != "":
            first = waiting[1]
            waiting = response, Reply((*first.parts, *event.parts), first.model, 0, first.index)
            continue
        if waiting:
            yield waiting[1]
            waiting = None
        if isinstance(event, Reply):
            waiting = response, event
        else:
            yield event
    if waiting:
        yield waiting[1]


def facts(talk: Talk) -> RecordedFacts:
    """Return where its condenser forgot events; sizes are not recorded."""
    return RecordedFacts(
        compactions=tuple(
            ClientCompaction(item.index, summary=_summary(item))
            for item in talk.items
            if _is_condensation(item)
        )
    )


def _reader(item: RecordedMessage) -> Read | None:
    """Who reads an event; None for one that no model saw."""
    value = item.value
    if "kind" in value:
        return _KINDS.get(str(value["kind"]))
    if isinstance(value.get("args"), dict) and "action" in value:
        return _ACTIONS.get(str(value["action"]), _act if _metadata(item) else None)
    if "observation" in value and _metadata(item):
        return _observe
    return None


def _is_condensation(item: RecordedMessage) -> bool:
    named = item.value.get("kind"), item.value.get("action")
    return "Condensation" in named or "condensation" in named


def _summary(item: RecordedMessage) -> str:
    return str(item.value.get("summary") or _dict(item.value.get("args")).get("summary") or "")


def _response(item: RecordedMessage) -> str:
    """The id of the response an event was part of, "" where it does not say."""
    whole = _dict(_metadata(item).get("model_response"))
    return str(item.value.get("llm_response_id") or whole.get("id") or "")


def _metadata(item: RecordedMessage) -> dict[str, Any]:
    return _dict(item.value.get("tool_call_metadata"))


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _condense(item: RecordedMessage) -> Iterator[Event]:
    if text := _summary(item):
        yield User(text, item.index)


def _prompt(item: RecordedMessage) -> Iterator[Event]:
    yield System(text_of(item.value.get("system_prompt")), item.index)


def _message(item: RecordedMessage) -> Iterator[Event]:
    message = _dict(item.value.get("llm_message"))
    more = text_of(item.value.get("extended_content") or None)
    if message.get("role") == "assistant":
        yield Reply((*_thoughts(message), *spoken(message.get("content"))), index=item.index)
    else:
        said = text_of(message.get("content"))
        yield User("\n\n".join(text for text in (said, more) if text), item.index)


def _thoughts(value: dict[str, Any]) -> Iterator[Reasoning]:
    blocks = value.get("thinking_blocks")
    texts = [_dict(block).get("thinking") for block in blocks] if isinstance(blocks, list) else []
    for text in texts or [value.get("reasoning_content")]:
        if text:
            yield Reasoning(str(text))


def _action(item: RecordedMessage) -> Iterator[Event]:
    call = _dict(item.value.get("tool_call"))
    if not call.get("id") or not call.get("name"):
        raise item.bad("an action has no `tool_call` with `id` and `name`")
    called = ToolCall(str(call["id"]), str(call["name"]), _arguments(call.get("arguments")))
    said = spoken(item.value.get("thought"))
    yield Reply((*_thoughts(item.value), *said, called), index=item.index)


def _arguments(given: Any) -> str:
    return given if isinstance(given, str) else compact(given or {})


def _observation(item: RecordedMessage) -> Iterator[Event]:
    value = item.value
    seen = _dict(value.get("observation"))
    told = value.get("error") or value.get("rejection_reason")
    text = str(told) if told else text_of(seen.get("content"), "\n")
    failed = bool(told) or seen.get("is_error") is True
    yield Result(str(value.get("tool_call_id") or ""), text, failed, item.index)


def _system(item: RecordedMessage) -> Iterator[Event]:
    yield System(str(_dict(item.value.get("args")).get("content") or ""), item.index)


def _say(item: RecordedMessage) -> Iterator[Event]:
    text = str(_dict(item.value.get("args")).get("content") or item.value.get("message") or "")
    if item.value.get("source") == "user":
        yield User(text, item.index)
    else:
        yield Reply((Speech(text),), index=item.index)


def _act(item: RecordedMessage) -> Iterator[Event]:
    metadata, args = _metadata(item), _dict(item.value.get("args"))
    name, id = metadata.get("function_name"), metadata.get("tool_call_id")
    if not name or not id:
        raise item.bad("`tool_call_metadata` has no `function_name` or no `tool_call_id`")
    own = ("thought", "hidden", "confirmation_state")  # what OpenHands adds to the arguments
    plain = {key: value for key, value in args.items() if key not in own}
    call = ToolCall(str(id), str(name), _given(metadata, str(id)) or compact(plain))
    thought = str(args.get("thought") or "")
    yield Reply((*([Speech(thought)] if thought else []), call), index=item.index)


def _given(metadata: dict[str, Any], id: str) -> str:
    """The arguments of a call as the model wrote them, "" where the response is not kept."""
    choices = _dict(metadata.get("model_response")).get("choices")
    for choice in choices if isinstance(choices, list) else []:
        calls = _dict(_dict(choice).get("message")).get("tool_calls")
        for call in calls if isinstance(calls, list) else []:
            if _dict(call).get("id") == id:
                return _arguments(_dict(_dict(call).get("function")).get("arguments"))
    return ""


def _observe(item: RecordedMessage) -> Iterator[Event]:
    failed = item.value.get("observation") == "error"
    call = str(_metadata(item).get("tool_call_id") or "")
    yield Result(call, text_of(item.value.get("content"), "\n"), failed, item.index)


_KINDS: dict[str, Read] = {
    "SystemPromptEvent": _prompt,
    "MessageEvent": _message,
    "ActionEvent": _action,
    "ObservationEvent": _observation,
    "UserRejectObservation": _observation,
    "AgentErrorEvent": _observation,
    "Condensation": _condense,
}
# Without `tool_call_metadata`; with it any action is a call.
_ACTIONS: dict[str, Read] = {"message": _say, "system": _system, "condensation": _condense}

IMPORTER = Importer("openhands", accepts, events, facts)
