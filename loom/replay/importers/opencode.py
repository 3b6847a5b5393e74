"""Reads sessions of opencode, from its database or from what `opencode export` writes.

A message has `info` (role, model, tokens) and `parts`. Parts are texts, reasoning, and calls with
their results. A part of type `compaction` asks for a summary. The reply with the summary has
`info.summary`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from loom.inputs import (
    ClientCompaction,
    Reasoning,
    RecordedUsage,
    Reply,
    Result,
    Speech,
    ToolCall,
    User,
)
from loom.providers.formats.wire import compact_json
from loom.replay.importers.recorded_facts import (
    RecordedFacts,
    list_at,
    member_at,
    object_at,
    recorded_usage,
    text_at,
    total_usage,
)
from loom.replay.importers.talks import (
    Importer,
    RecordedMessage,
    Talk,
    TalkEvent,
    readable,
    talk_texts,
)

ENDED = {"completed": "output", "error": "error"}  # states of a call, and what holds its result
Part = dict[str, Any]


def accepts(talk: Talk) -> bool:
    """Return True if a message has `parts` and an `info` with a `role`."""
    return any(
        "role" in object_at(item.value, "info") and "parts" in item.value for item in talk.items
    )


def events(talk: Talk, notes: list[str]) -> Iterator[TalkEvent]:
    """Yield the events of a session in recorded order, then its compactions. A compaction's summary
    becomes a user message."""
    yield from readable(talk.items, notes, _message_events)
    before, trigger, tail = 0, "", ""
    ids = [member_at(item.value, "info.id") for item in talk.items]
    for at, item in enumerate(talk.items):
        for mark in _message_parts(item):
            if mark.get("type") == "compaction":
                trigger = "auto" if mark.get("auto") else "manual"
                tail = text_at(mark, "tail_start_id")
        used = _message_usage(item)
        if _is_summary(item):
            stays = talk.items[ids.index(tail) : at] if tail and tail in ids else ()
            sizes, kept = (
                (before, 0, used.input, used.output),
                talk_texts(stays, _message_events),
            )
            yield ClientCompaction(item.index, *sizes, trigger, _message_text(item), kept=kept)
        elif member_at(item.value, "info.role") == "assistant":
            before = used.input + used.output


def facts(talk: Talk) -> RecordedFacts:
    """Return the total token usage of all replies and the project folder."""
    return RecordedFacts(
        "", total_usage(map(_message_usage, talk.items)), text_at(talk.about, "info.directory")
    )


def _message_parts(item: RecordedMessage) -> list[Part]:
    """Return the parts of a message that are JSON objects."""
    return [part for part in list_at(item.value, "parts") if isinstance(part, dict)]


def _is_summary(item: RecordedMessage) -> bool:
    """Return True for a reply that holds the summary of a compaction."""
    info = object_at(item.value, "info")
    return info.get("role") == "assistant" and info.get("summary") is True


def _message_usage(item: RecordedMessage) -> RecordedUsage:
    """Return the token usage that a message reports."""
    return recorded_usage(member_at(item.value, "info.tokens"))


def _message_text(item: RecordedMessage) -> str:
    """Return the texts of a message's parts, joined by blank lines."""
    return "\n\n".join(filter(None, map(_part_text, _message_parts(item))))


def _part_text(part: Part) -> str:
    """Return the text of a part, or a line with the name of a file. Return "" for other parts and
    for a text that the model did not get (`ignored`)."""
    if part.get("type") == "text" and not part.get("ignored"):
        return text_at(part, "text")
    if part.get("type") == "file":
        return f"[file omitted: {text_at(part, 'filename', 'mime') or 'no name'}]"
    return ""


def _message_events(item: RecordedMessage) -> Iterator[TalkEvent]:
    """Yield one user message, or the replies of a message with their results. Raises BadSession."""
    if not isinstance(item.value.get("parts"), list):
        raise item.bad("it has no list of `parts`")
    role = member_at(item.value, "info.role")
    if role == "user" or _is_summary(item):
        if text := _message_text(item):
            yield User(text, item.index)
    elif role == "assistant":
        steps: list[list[Part]] = [[]]
        for part in _message_parts(item):
            steps += [[]] if part.get("type") == "step-start" else []
            steps[-1].append(part)
        for step in steps:
            yield from _step_events(item, step)
    else:
        raise item.bad(f"the role {role!r:.80} is none of user, assistant")


def _step_events(item: RecordedMessage, step: list[Part]) -> Iterator[TalkEvent]:
    """Yield one reply made of the parts in `step`, then the recorded results of its calls."""
    spoken: list[Speech | Reasoning | ToolCall] = []
    results: list[Result] = []
    for part in step:
        if part.get("type") == "tool":
            id, name, state = text_at(part, "callID"), text_at(part, "tool"), part.get("state")
            if not (id and name and isinstance(state, dict)):
                raise item.bad("a part of a tool lacks its `tool`, `callID` or `state`")
            spoken.append(ToolCall(id, name, compact_json(state.get("input") or {})))
            if (status := str(state.get("status"))) in ENDED:
                text = text_at(state, ENDED[status])
                results.append(Result(id, text, status == "error", item.index))
        elif part.get("type") == "reasoning" and part.get("text"):
            spoken.append(Reasoning(str(part["text"])))
        elif text := _part_text(part):
            spoken.append(Speech(text))
    if spoken:
        model = text_at(item.value, "info.modelID")
        yield Reply(tuple(spoken), model, _message_usage(item).input, item.index)
    yield from results


IMPORTER = Importer("opencode", accepts, events, facts)
