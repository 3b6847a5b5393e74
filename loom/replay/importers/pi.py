"""Reads sessions of pi. Each line is an entry of a tree and names the entry before it.

A `message` entry wraps what the user, the model or a tool said. A `compaction` entry has a summary
that replaced the entries before `firstKeptEntryId`, and the number of tokens before the compaction.
"""

from __future__ import annotations

from collections.abc import Iterator

from loom.inputs import ClientCompaction, Reply, Result, ToolCall, User
from loom.providers.formats.wire import content_parts, content_text, reported_tokens
from loom.replay.importers.branches import BranchLine, last_branch
from loom.replay.importers.recorded_facts import (
    RecordedFacts,
    folder_of,
    list_at,
    member_at,
    object_at,
    recorded_usage,
    text_at,
    total_usage,
)
from loom.replay.importers.roles import arguments_text, spoken_parts
from loom.replay.importers.talks import (
    Importer,
    RecordedMessage,
    Talk,
    TalkEvent,
    readable,
    talk_texts,
)

ENTRIES = ("message", "custom_message", "compaction", "branch_summary")


def accepts(talk: Talk) -> bool:
    """Return True if a line wraps a message as pi does and names the entry before it."""
    return any(
        one.value.get("type") == "message"
        and "parentId" in one.value
        and "role" in object_at(one.value, "message")
        for one in talk.items
    )


def events(talk: Talk, notes: list[str]) -> Iterator[TalkEvent]:
    """Yield the events of the last branch in recorded order, then its compactions. A compaction's
    summary becomes a user message."""
    items = [
        line.item for line in last_branch([*map(_branch_line, talk.items)], notes) if line.said
    ]
    ids = [text_at(one.value, "id") for one in items]
    yield from readable(items, notes, _entry_events)
    for at, one in enumerate(items):
        if one.value["type"] == "compaction":
            first = text_at(one.value, "firstKeptEntryId")
            stays = items[ids.index(first) : at] if first in ids[:at] else []
            before, summary = (
                reported_tokens(one.value.get("tokensBefore")),
                text_at(one.value, "summary"),
            )
            kept = talk_texts(stays, _entry_events)
            yield ClientCompaction(one.index, before, summary=summary, kept=kept)


def facts(talk: Talk) -> RecordedFacts:
    """Return the token usage of all replies (of every branch) and the project folder."""
    values = [one.value for one in talk.items]
    used = total_usage(recorded_usage(member_at(value, "message.usage")) for value in values)
    return RecordedFacts("", used, folder_of(values, "cwd"))


def _branch_line(item: RecordedMessage) -> BranchLine:
    """Return a recorded line as a BranchLine."""
    value, own = item.value, text_at(item.value, "id")
    return BranchLine(
        item,
        own,
        text_at(value, "parentId"),
        begins=text_at(value, "message.role") == "user",
        reply="",
        calls=[part.get("id") for part in content_parts(member_at(value, "message.content"))],
        answers=[*filter(None, [text_at(value, "message.toolCallId")])],
        said=(own or f"{item.index}") * (value.get("type") in ENTRIES),
    )


def _entry_events(item: RecordedMessage) -> Iterator[TalkEvent]:
    """Yield the event of an entry: a summary, a reply, a result, a user message, or a command that
    the user ran with its output. Yield nothing for an empty summary."""
    value, kind, at = item.value, item.value["type"], item.index
    message = value if kind == "custom_message" else object_at(value, "message")
    content, role = message.get("content"), kind == "message" and message.get("role")
    if kind in ("compaction", "branch_summary"):
        if text := text_at(value, "summary"):
            yield User(text, at, "summary")
    elif role == "assistant":
        calls = [
            ToolCall(text_at(one, "id"), text_at(one, "name"), arguments_text(one.get("arguments")))
            for one in list_at(message, "content")
            if member_at(one, "type") == "toolCall"
        ]
        size = recorded_usage(message.get("usage")).input
        yield Reply((*spoken_parts(content), *calls), text_at(message, "model"), size, at)
    elif role == "toolResult":
        call, failed = text_at(message, "toolCallId"), message.get("isError") is True
        yield Result(call, content_text(content, "\n"), failed, at)
    elif role == "bashExecution":  # what the user ran
        ran = f"{text_at(message, 'command')}\n{text_at(message, 'output')}"
        yield User(ran, at, "observation")
    else:
        yield User(content_text(content), at, "" if role == "user" else "observation")


IMPORTER = Importer("pi", accepts, events, facts)
