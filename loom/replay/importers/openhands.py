"""Events of OpenHands: a list of them, or a folder with a file for each (`event_folder`).

The SDK's say by `kind` what they are. Those of releases before 1.0 have an `action` with `args`,
or an `observation` with its `content`, and where the model called a tool `tool_call_metadata`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from msgspec.structs import replace

from loom.inputs import ClientCompaction, Event, Reasoning, Reply, Result, System, ToolCall, User
from loom.providers.formats.wire import text_of
from loom.replay.importers.facts import RecordedFacts
from loom.replay.importers.losses import mark_dropped
from loom.replay.importers.members import list_at, object_at, text_at, within
from loom.replay.importers.roles import arguments_of, spoken
from loom.replay.importers.talks import Importer, RecordedMessage, Talk, readable

Read = Callable[[RecordedMessage], Event]
CONDENSED = ("Condensation", "condensation")
METADATA = "tool_call_metadata"
OWN = ("thought", "hidden", "confirmation_state")  # what OpenHands adds to the arguments of a call


def accepts(talk: Talk) -> bool:
    """Tell whether an event is one that the model wrote or was shown."""
    return any(_reader(item) is not None for item in talk.items)


def events(talk: Talk, notes: list[str]) -> Iterator[Event]:
    """Yield the events in recorded order; calls of one response become one reply.

    A condensation's summary is a turn of the user, as the model was given it. Events that no model
    saw are left out in silence.
    """

    def read(item: RecordedMessage) -> Iterator[Event]:
        reader = _reader(item)
        if _is_condensation(item):
            notes.append(mark_dropped(item.index))
        if reader and (reader is not _condense or _summary(item)):
            yield reader(item)

    named = ("llm_response_id", f"{METADATA}.model_response.id")
    responses = {item.index: text_at(item.value, *named) for item in talk.items}
    waiting: Reply | None = None
    for event in readable(talk.items, notes, read):
        if isinstance(event, Reply) and waiting:
            response = responses.get(event.index)
            if response and response == responses.get(waiting.index):
                waiting = replace(waiting, parts=(*waiting.parts, *event.parts))
                continue
        if waiting:
            yield waiting
        waiting = event if isinstance(event, Reply) else None
        if waiting is None:
            yield event
    if waiting:
        yield waiting


def facts(talk: Talk) -> RecordedFacts:
    """Return where its condenser forgot events; sizes are not recorded."""
    made = (one for one in talk.items if _is_condensation(one))
    return RecordedFacts(
        compactions=tuple(ClientCompaction(one.index, summary=_summary(one)) for one in made)
    )


def _reader(item: RecordedMessage) -> Read | None:
    """Who reads an event; None for one that no model saw."""
    value, called = item.value, object_at(item.value, METADATA)
    if "kind" in value:
        return KINDS.get(str(value["kind"]))
    if isinstance(value.get("args"), dict) and "action" in value:
        return ACTIONS.get(str(value["action"]), _act if called else None)
    return _observe if "observation" in value and called else None


def _is_condensation(item: RecordedMessage) -> bool:
    return item.value.get("kind") in CONDENSED or item.value.get("action") in CONDENSED


def _summary(item: RecordedMessage) -> str:
    return text_at(item.value, "summary", "args.summary")


def _condense(item: RecordedMessage) -> Event:
    return User(_summary(item), item.index)


def _message(item: RecordedMessage) -> Event:
    message = object_at(item.value, "llm_message")
    if message.get("role") == "assistant":
        return Reply((*_thoughts(message), *spoken(message.get("content"))), index=item.index)
    said = text_of(message.get("content")), text_of(item.value.get("extended_content") or None)
    return User("\n\n".join(filter(None, said)), item.index)


def _thoughts(value: dict[str, Any]) -> Iterator[Reasoning]:
    texts = [within(block, "thinking") for block in list_at(value, "thinking_blocks")]
    for text in texts or [value.get("reasoning_content")]:
        if text:
            yield Reasoning(str(text))


def _action(item: RecordedMessage) -> Event:
    call = object_at(item.value, "tool_call")
    id, name = text_at(call, "id"), text_at(call, "name")
    if not id or not name:
        raise item.bad("an action has no `tool_call` with `id` and `name`")
    said = (*_thoughts(item.value), *spoken(item.value.get("thought")))
    return Reply((*said, ToolCall(id, name, arguments_of(call.get("arguments")))), index=item.index)


def _observation(item: RecordedMessage) -> Event:
    told = text_at(item.value, "error", "rejection_reason")
    text = told or text_of(within(item.value, "observation.content"), "\n")
    failed = bool(told) or within(item.value, "observation.is_error") is True
    return Result(text_at(item.value, "tool_call_id"), text, failed, item.index)


def _say(item: RecordedMessage) -> Event:
    text = text_at(item.value, "args.content", "message")
    if item.value.get("source") == "user":
        return User(text, item.index)
    return Reply((*spoken(text),), index=item.index)


def _act(item: RecordedMessage) -> Event:
    called, args = object_at(item.value, METADATA), object_at(item.value, "args")
    id, name = text_at(called, "tool_call_id"), text_at(called, "function_name")
    if not name or not id:
        raise item.bad(f"`{METADATA}` has no `function_name` or no `tool_call_id`")
    choices = list_at(called, "model_response.choices")
    made = (call for choice in choices for call in list_at(choice, "message.tool_calls"))
    given = (within(call, "function.arguments") for call in made if within(call, "id") == id)
    plain = {key: value for key, value in args.items() if key not in OWN}
    # As the model wrote them, where the response is kept.
    call = ToolCall(id, name, arguments_of(next(given, None) or plain))
    return Reply((*spoken(text_at(args, "thought")), call), index=item.index)


def _observe(item: RecordedMessage) -> Event:
    failed = item.value.get("observation") == "error"
    text = text_of(item.value.get("content"), "\n")
    return Result(text_at(item.value, f"{METADATA}.tool_call_id"), text, failed, item.index)


KINDS: dict[str, Read] = {
    "SystemPromptEvent": lambda item: System(text_of(item.value.get("system_prompt")), item.index),
    "MessageEvent": _message,
    "ActionEvent": _action,
    "ObservationEvent": _observation,
    "UserRejectObservation": _observation,
    "AgentErrorEvent": _observation,
    "Condensation": _condense,
}
# Without `tool_call_metadata`; with it any action is a call.
ACTIONS: dict[str, Read] = {
    "message": _say,
    "system": lambda item: System(text_at(item.value, "args.content"), item.index),
    "condensation": _condense,
}

IMPORTER = Importer("openhands", accepts, events, facts)
