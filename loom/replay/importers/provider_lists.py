"""Reads sessions recorded as a list of messages in a provider's format.

The trajectories of SWE-agent (`.traj`) and mini-swe-agent (`.traj.json`) are such lists with extra
fields. They hold their messages under `history` or `messages`. A reply of a Responses model is kept
as the whole response object."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from msgspec.structs import replace

from loom.errors import BadInput
from loom.inputs import Event, RecordedUsage, Result, System, User
from loom.providers.formats import anthropic, responses
from loom.providers.formats.listing import ListedMessage
from loom.providers.formats.listing.readers import read_list
from loom.providers.formats.wire import content_parts, content_text, reported_tokens
from loom.replay.importers.loss_notes import left_out_note
from loom.replay.importers.recorded_facts import (
    RecordedFacts,
    list_at,
    member_at,
    recorded_usage,
    text_at,
    total_usage,
)
from loom.replay.importers.talks import Importer, RecordedMessage, Talk

OPENAI = ("system", "developer", "user", "assistant", "tool", "function")
# Types that only Responses gives to an item, or to a part of a message.
ITEMS = frozenset({"reasoning", *responses.CALLS, *(end for _, end in responses.CALLS.values())})
TEXTS = frozenset({"input_text", "output_text"})
ABOUT = frozenset({"trajectory_format", "trajectory"})  # what only the two agents write
MESSAGE = frozenset({"message_type", "agent"})  # what SWE-agent adds to a message
# What both write beside the message itself.
OWN = frozenset(
    {"agent", "message_type", "tool_call_ids", "extra", "thought", "action", "is_demo", "tags",
     "cache_control", "state", "demo"}
)  # fmt: skip
END = "exit"  # mini-swe-agent's role for how a run ended, which no model is told


def message_events(message: ListedMessage, index: int) -> Iterator[Event]:
    """Yield the events of one message, results before the user's text. `index` is the number of the
    message in the recording."""
    if message.reply is not None:
        yield replace(message.reply, index=index)
    if message.system is not None:
        yield System(message.system, index)
    for result in message.results:
        yield Result(result.call_id, content_text(result.content, "\n"), result.error, index)
    if message.content is not None:
        yield User(content_text([*message.content]), index)


def message_events_or_note(
    format: str, item: RecordedMessage, value: Any, notes: list[str]
) -> Iterator[Event]:
    """Yield the events of one message in a provider's `format`. A block that cannot be read, or a
    message without readable blocks, is left out, and `notes` gets a note."""
    blocks = value.get("content")
    blocks = blocks if isinstance(blocks, list) else []
    wrong = [_message_fault(format, {**value, "content": [block]}) for block in blocks]
    rest = [block for block, why in zip(blocks, wrong, strict=True) if not why]
    if rest and any(wrong):
        notes += (left_out_note(item.bad(why)) for why in wrong if why)
        value = {**value, "content": rest}
    if why := _message_fault(format, value):
        notes.append(left_out_note(item.bad(why)))
    else:
        for message in read_list(format, [value]):
            yield from message_events(message, item.index)


def _message_fault(format: str, message: dict[str, Any]) -> str:
    """Return in words what is wrong with a message in a provider's `format`, "" for a correct
    message."""
    try:
        [*read_list(format, [message])]
    except BadInput as error:
        return str(error).removeprefix(f"{error.kind}: ")
    return ""


def _list_events(format: str, talk: Talk, notes: list[str]) -> Iterator[Event]:
    """Yield the events of a session's messages in recorded order. An unreadable message is left
    out, and `notes` gets a note."""
    messages, start = [item.value for item in talk.items], 0
    while start < len(messages):
        try:
            for message in read_list(format, messages, start):
                at = start if message.many else start - 1
                yield from message_events(message, talk.items[at].index)
                start += message.many
        except BadInput:
            yield from message_events_or_note(format, talk.items[start], messages[start], notes)
            start += 1


def _list_importer(format: str, is_own: Callable[[dict[str, Any]], bool]) -> Importer:
    """Return an importer for lists of messages in a provider's `format`. It accepts a list if
    `is_own` returns True for any of its messages."""
    return Importer(
        format,
        lambda talk: any(is_own(item.value) for item in talk.items),
        partial(_list_events, format),
    )


def _is_anthropic(value: dict[str, Any]) -> bool:
    """Return True if a message has a block that only Anthropic's Messages API has."""
    blocks = content_parts(value.get("content"))
    return any(str(one.get("type")) in anthropic.BLOCKS or "source" in one for one in blocks)


def _is_responses(value: dict[str, Any]) -> bool:
    """Return True if a message, or a part of it, has a type that only the Responses API has."""
    kinds = {str(part.get("type")) for part in content_parts(value.get("content"))}
    return str(value.get("type")) in ITEMS or bool(kinds & TEXTS)


OPENAI_LIST = _list_importer("openai", lambda value: value.get("role") in OPENAI)
ANTHROPIC_LIST = _list_importer("anthropic", _is_anthropic)
RESPONSES_LIST = _list_importer("responses", _is_responses)
GEMINI_LIST = _list_importer("gemini", lambda value: isinstance(value.get("parts"), list))


def _is_trajectory(talk: Talk) -> bool:
    """Return True if the messages have fields that only SWE-agent or mini-swe-agent writes."""
    told = "info" in talk.about and ABOUT & talk.about.keys()
    return bool(told) or any(item.value.keys() >= MESSAGE for item in talk.items)


def _trajectory_events(talk: Talk, notes: list[str]) -> Iterator[Event]:
    """Yield the events of a trajectory in recorded order. The message on how the run ended is left
    out, and `notes` gets a note."""
    items: list[RecordedMessage] = []
    for item in talk.items:
        if item.value.get("role") == END:
            notes.append(f"message {item.index}: how the run ended was left out")
        else:
            items += (replace(item, value=value) for value in _provider_messages(item.value))
    whole = any(item.value.get("object") == "response" for item in talk.items)
    return _list_events(
        "responses" if whole else "openai", replace(talk, items=tuple(items)), notes
    )


def _provider_messages(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the provider's messages for one message of a trajectory: the items of a Responses
    reply, or a result for each call."""
    output = message.get("output")
    if message.get("object") == "response" and isinstance(output, list):
        yield from (item for item in output if isinstance(item, dict))
        return
    fields = {key: value for key, value in message.items() if key not in OWN}
    first, *others = list_at(message, "tool_call_ids") or [None]
    answers = message.get("role") == "tool" and "tool_call_ids" in message
    yield {"tool_call_id": first, **fields} if answers else fields
    for id in others if answers else ():  # several calls have one observation: it is named
        yield {"role": "tool", "tool_call_id": id, "content": f"[see the result of {first}]"}


def _trajectory_facts(talk: Talk) -> RecordedFacts:
    """Return the model and the token usage of a trajectory: the sum over the replies, or what the
    run reports if the replies report nothing."""
    each = (
        recorded_usage(member_at(item.value, "extra.response.usage", "usage"))
        for item in talk.items
    )
    stats = "info.model_stats.tokens_"
    sent, received = (
        reported_tokens(member_at(talk.about, stats + way)) for way in ("sent", "received")
    )
    used = total_usage(each) or total_usage([RecordedUsage(sent, output=received)])
    return RecordedFacts(text_at(talk.about, "info.config.model.model_name"), used)


TRAJECTORY = Importer("swe-agent", _is_trajectory, _trajectory_events, _trajectory_facts)
