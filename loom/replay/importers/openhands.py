"""Reads events of OpenHands, from a list or from a folder with a file for each event.

Newer events say in `kind` what they are. Events of releases before 1.0 have either an `action` with
`args` or an `observation` with `content`. A tool call also has `tool_call_metadata`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from msgspec.structs import replace

from loom.inputs import ClientCompaction, Event, Reasoning, Reply, Result, System, ToolCall, User
from loom.providers.formats.wire import content_text
from loom.replay.importers.recorded_facts import list_at, member_at, object_at, text_at
from loom.replay.importers.roles import arguments_text, spoken_parts
from loom.replay.importers.talks import (
    Importer,
    RecordedMessage,
    Talk,
    TalkEvent,
    readable,
    talk_texts,
)

CONDENSED, SUMMARY = ("Condensation", "condensation"), ("summary", "args.summary")
METADATA = "tool_call_metadata"
RESPONSE = ("llm_response_id", f"{METADATA}.model_response.id")
OWN = ("thought", "hidden", "confirmation_state")  # what OpenHands adds to the arguments of a call


def accepts(talk: Talk) -> bool:
    """Return True if there is an OpenHands event that the model wrote or read."""
    return any(_event_reader(item.value) or _is_condensation(item.value) for item in talk.items)


def events(talk: Talk, notes: list[str]) -> Iterator[TalkEvent]:
    """Yield the events in recorded order, then the compactions (in OpenHands: condensations). Calls
    of the same response become one reply, and a compaction's summary becomes a user message. Events
    that no model saw are left out without a note."""
    responses = {item.index: text_at(item.value, *RESPONSE) for item in talk.items}
    told: list[TalkEvent] = []
    for event in readable(talk.items, notes, _loom_events):
        last = told[-1] if told else None
        if isinstance(event, Reply) and isinstance(last, Reply):
            response = responses.get(event.index)
            if response and response == responses.get(last.index):
                event = replace(last, parts=(*last.parts, *event.parts))
                told.pop()
        told.append(event)
    yield from told
    gone: set[str] = set()
    for at, one in enumerate(talk.items):
        if _is_condensation(one.value):
            left = list_at(one.value, "forgotten_event_ids")
            left = left or list_at(one.value, "args.forgotten_event_ids")
            gone |= {str(id) for id in left}
            stay = (it for it in talk.items[:at] if str(it.value.get("id")) not in gone)
            kept = talk_texts(stay if left else (), _loom_events)
            yield ClientCompaction(one.index, summary=text_at(one.value, *SUMMARY), kept=kept)


def _loom_events(item: RecordedMessage) -> Iterator[Event]:
    """Yield the recorded event as an event of `loom.inputs`. Yield nothing if no model saw it."""
    if _is_condensation(item.value):
        if summary := text_at(item.value, *SUMMARY):
            yield User(summary, item.index)
    elif reader := _event_reader(item.value):
        yield reader(item)


def _event_reader(value: dict[str, Any]) -> Callable[[RecordedMessage], Event] | None:
    """Return the function that turns a recorded event into an event of `loom.inputs`, None if no
    model saw the event."""
    called = object_at(value, METADATA)
    if "kind" in value:
        return KINDS.get(str(value["kind"]))
    if isinstance(value.get("args"), dict) and "action" in value:
        return ACTIONS.get(str(value["action"]), _call_event if called else None)
    return _result_event if "observation" in value and called else None


def _is_condensation(value: dict[str, Any]) -> bool:
    """Return True if the event says that a summary replaced older events."""
    return value.get("kind") in CONDENSED or value.get("action") in CONDENSED


def _system_event(item: RecordedMessage) -> Event:
    """Return the recorded system prompt as a System event."""
    return System(content_text(member_at(item.value, "system_prompt", "args.content")), item.index)


def _message_event(item: RecordedMessage) -> Event:
    """Return a recorded message as a Reply without calls or as a User event."""
    value, message = item.value, object_at(item.value, "llm_message")
    content = member_at(value, "llm_message.content", "args.content", "message")
    user = message.get("role") != "assistant" if message else value.get("source") == "user"
    if not user:
        return Reply((*_thoughts(message), *spoken_parts(content)), index=item.index)
    said = content_text(content), content_text(value.get("extended_content") or None)
    return User("\n\n".join(filter(None, said)), item.index)


def _thoughts(value: dict[str, Any]) -> Iterator[Reasoning]:
    """Yield the reasoning in a recorded event."""
    texts = [member_at(block, "thinking") for block in list_at(value, "thinking_blocks")]
    return (Reasoning(str(one)) for one in texts or [value.get("reasoning_content")] if one)


def _call_event(item: RecordedMessage) -> Event:
    """Return a Reply with one call and the thought before it. Raises BadSession if the call has no
    id or name."""
    value = item.value
    id = text_at(value, "tool_call.id", f"{METADATA}.tool_call_id")
    name = text_at(value, "tool_call.name", f"{METADATA}.function_name")
    if not id or not name:
        raise item.bad(f"an action has no `tool_call` or `{METADATA}` with its id and name")
    said = (*_thoughts(value), *spoken_parts(member_at(value, "thought", "args.thought")))
    return Reply((*said, ToolCall(id, name, _call_arguments(value, id))), index=item.index)


def _call_arguments(value: dict[str, Any], id: str) -> str:
    """Return the arguments of a call as the model wrote them, or the argument values as JSON if the
    model's text is not recorded."""
    choices = list_at(value, f"{METADATA}.model_response.choices")
    made = (call for choice in choices for call in list_at(choice, "message.tool_calls"))
    written = (
        member_at(call, "function.arguments") for call in made if member_at(call, "id") == id
    )
    plain = {name: one for name, one in object_at(value, "args").items() if name not in OWN}
    given = (member_at(value, "tool_call.arguments"), *written, plain)
    return arguments_text(next(one for one in given if one is not None))


def _result_event(item: RecordedMessage) -> Event:
    """Return a recorded observation as the Result of its call."""
    value = item.value
    told = text_at(value, "error", "rejection_reason")
    text = told or content_text(member_at(value, "observation.content", "content"), "\n")
    failed = member_at(value, "observation.is_error") is True or value.get("observation") == "error"
    call = text_at(value, "tool_call_id", f"{METADATA}.tool_call_id")
    return Result(call, text, bool(told) or failed, item.index)


KINDS = {
    "SystemPromptEvent": _system_event,
    "MessageEvent": _message_event,
    "ActionEvent": _call_event,
    **dict.fromkeys(
        ("ObservationEvent", "UserRejectObservation", "AgentErrorEvent"), _result_event
    ),
}
# Without `tool_call_metadata`; with it any action is a call.
ACTIONS = {"message": _message_event, "system": _system_event}

IMPORTER = Importer("openhands", accepts, events)
