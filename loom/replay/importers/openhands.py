"""Events of OpenHands: a list of them, or a folder with a file for each (`containers`).

The SDK's say by `kind` what they are. Those of releases before 1.0 have an `action` with `args`,
or an `observation` with its `content`, and where the model called a tool `tool_call_metadata`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from msgspec.structs import replace

from loom.inputs import ClientCompaction, Event, Reasoning, Reply, Result, System, ToolCall, User
from loom.providers.formats.wire import text_of
from loom.replay.importers.facts import list_at, member_at, object_at, text_at
from loom.replay.importers.roles import arguments_of, spoken
from loom.replay.importers.talks import Importer, RecordedMessage, Talk, Told, readable, texts_in

CONDENSED, SUMMARY = ("Condensation", "condensation"), ("summary", "args.summary")
METADATA = "tool_call_metadata"
RESPONSE = ("llm_response_id", f"{METADATA}.model_response.id")
OWN = ("thought", "hidden", "confirmation_state")  # what OpenHands adds to the arguments of a call


def accepts(talk: Talk) -> bool:
    """Tell whether an event is one that the model wrote or was shown."""
    return any(_reader(item.value) or _is_condensation(item.value) for item in talk.items)


def events(talk: Talk, notes: list[str]) -> Iterator[Told]:
    """Yield the events in recorded order; calls of one response become one reply.

    A condensation's summary is a turn of the user, as the model was given it, and the place where
    its condenser forgot events a compaction. Events that no model saw are left out in silence.
    """
    responses = {item.index: text_at(item.value, *RESPONSE) for item in talk.items}
    told: list[Told] = []
    for event in readable(talk.items, notes, _read):
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
            kept = texts_in(stay if left else (), _read)
            yield ClientCompaction(one.index, summary=text_at(one.value, *SUMMARY), kept=kept)


def _read(item: RecordedMessage) -> Iterator[Event]:
    if _is_condensation(item.value):
        if summary := text_at(item.value, *SUMMARY):
            yield User(summary, item.index)
    elif reader := _reader(item.value):
        yield reader(item)


def _reader(value: dict[str, Any]) -> Callable[[RecordedMessage], Event] | None:
    """Who reads an event; None for one that no model saw."""
    called = object_at(value, METADATA)
    if "kind" in value:
        return KINDS.get(str(value["kind"]))
    if isinstance(value.get("args"), dict) and "action" in value:
        return ACTIONS.get(str(value["action"]), _call if called else None)
    return _answer if "observation" in value and called else None


def _is_condensation(value: dict[str, Any]) -> bool:
    return value.get("kind") in CONDENSED or value.get("action") in CONDENSED


def _instruct(item: RecordedMessage) -> Event:
    return System(text_of(member_at(item.value, "system_prompt", "args.content")), item.index)


def _say(item: RecordedMessage) -> Event:
    value, message = item.value, object_at(item.value, "llm_message")
    content = member_at(value, "llm_message.content", "args.content", "message")
    user = message.get("role") != "assistant" if message else value.get("source") == "user"
    if not user:
        return Reply((*_thoughts(message), *spoken(content)), index=item.index)
    said = text_of(content), text_of(value.get("extended_content") or None)
    return User("\n\n".join(filter(None, said)), item.index)


def _thoughts(value: dict[str, Any]) -> Iterator[Reasoning]:
    texts = [member_at(block, "thinking") for block in list_at(value, "thinking_blocks")]
    return (Reasoning(str(one)) for one in texts or [value.get("reasoning_content")] if one)


def _call(item: RecordedMessage) -> Event:
    value = item.value
    id = text_at(value, "tool_call.id", f"{METADATA}.tool_call_id")
    name = text_at(value, "tool_call.name", f"{METADATA}.function_name")
    if not id or not name:
        raise item.bad(f"an action has no `tool_call` or `{METADATA}` with its id and name")
    said = (*_thoughts(value), *spoken(member_at(value, "thought", "args.thought")))
    return Reply((*said, ToolCall(id, name, _arguments(value, id))), index=item.index)


def _arguments(value: dict[str, Any], id: str) -> str:
    """The arguments of a call as the model wrote them, where that is kept."""
    choices = list_at(value, f"{METADATA}.model_response.choices")
    made = (call for choice in choices for call in list_at(choice, "message.tool_calls"))
    written = (
        member_at(call, "function.arguments") for call in made if member_at(call, "id") == id
    )
    plain = {name: one for name, one in object_at(value, "args").items() if name not in OWN}
    given = (member_at(value, "tool_call.arguments"), *written, plain)
    return arguments_of(next(one for one in given if one is not None))


def _answer(item: RecordedMessage) -> Event:
    value = item.value
    told = text_at(value, "error", "rejection_reason")
    text = told or text_of(member_at(value, "observation.content", "content"), "\n")
    failed = member_at(value, "observation.is_error") is True or value.get("observation") == "error"
    call = text_at(value, "tool_call_id", f"{METADATA}.tool_call_id")
    return Result(call, text, bool(told) or failed, item.index)


KINDS = {
    "SystemPromptEvent": _instruct,
    "MessageEvent": _say,
    "ActionEvent": _call,
    **dict.fromkeys(("ObservationEvent", "UserRejectObservation", "AgentErrorEvent"), _answer),
}
# Without `tool_call_metadata`; with it any action is a call.
ACTIONS = {"message": _say, "system": _instruct}

IMPORTER = Importer("openhands", accepts, events)
