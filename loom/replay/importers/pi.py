"""Sessions of pi: a line for each entry of a tree, each naming the one before it.

A `message` wraps what user, model or tool said; a `compaction` has the summary that took the place
of the entries before `firstKeptEntryId`, and the tokens that stood before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from loom.inputs import ClientCompaction, Event, RecordedUsage, Reply, Result, ToolCall, User
from loom.providers.formats.wire import count, parts, text_of
from loom.replay.importers.branches import BranchLine, last_branch
from loom.replay.importers.facts import RecordedFacts, folder_of, texts, total
from loom.replay.importers.losses import mark_dropped
from loom.replay.importers.members import list_at, member_at, object_at, text_at
from loom.replay.importers.roles import arguments_of, spoken
from loom.replay.importers.talks import Importer, RecordedMessage, Talk, readable

ENTRIES = ("message", "custom_message", "compaction", "branch_summary")


def accepts(talk: Talk) -> bool:
    """Tell whether a line wraps a message as pi does: beside the entry it follows."""
    return any(
        one.value.get("type") == "message"
        and "parentId" in one.value
        and "role" in object_at(one.value, "message")
        for one in talk.items
    )


def events(talk: Talk, notes: list[str]) -> Iterator[Event]:
    """Yield the events of the last branch in recorded order; a summary is a turn of the user."""

    def read(item: RecordedMessage) -> Iterator[Event]:
        kind = item.value["type"]
        if kind == "message":
            yield from _said(item, object_at(item.value, "message"))
        elif kind == "custom_message":
            yield User(text_of(item.value.get("content")), item.index, "observation")
        elif text := text_at(item.value, "summary"):
            if kind == "compaction":
                notes.append(mark_dropped(item.index))
            yield User(text, item.index, "summary")

    return readable(_branch(talk, notes), notes, read)


def facts(talk: Talk) -> RecordedFacts:
    """Return what all replies used, each compaction with what it kept, and the folder."""
    items = _branch(talk, [])
    ids = [text_at(one.value, "id") for one in items]
    made: list[ClientCompaction] = []
    for at, one in enumerate(items):
        if one.value["type"] == "compaction":
            first = text_at(one.value, "firstKeptEntryId")
            stays = items[ids.index(first) : at] if first in ids[:at] else []
            read = events(replace(talk, items=tuple(stays)), [])
            kept = tuple(text for event in read for text in texts(event))
            before, summary = count(one.value.get("tokensBefore")), text_at(one.value, "summary")
            made.append(ClientCompaction(one.index, before, summary=summary, kept=kept))
    used = (_used(object_at(one.value, "message")) for one in talk.items)
    folder = folder_of((one.value for one in talk.items), "cwd")
    return RecordedFacts("", total(used), tuple(made), folder)


def _branch(talk: Talk, notes: list[str]) -> list[RecordedMessage]:
    lines = [_line(item) for item in talk.items]
    return [line.item for line in last_branch(lines, notes) if line.said]


def _line(item: RecordedMessage) -> BranchLine:
    value = item.value
    own, role = text_at(value, "id"), text_at(value, "message.role")
    calls = (part.get("id") for part in parts(member_at(value, "message.content")))
    answers = text_at(value, "message.toolCallId")
    return BranchLine(
        item,
        own,
        text_at(value, "parentId"),
        role == "user",
        "",
        frozenset(id for id in calls if isinstance(id, str)),
        frozenset({answers} if answers else ()),
        own or f"{item.index}" if value.get("type") in ENTRIES else "",
    )


def _said(item: RecordedMessage, message: dict[str, Any]) -> Iterator[Event]:
    content, role = message.get("content"), message.get("role")
    if role == "assistant":
        made = (
            part for part in list_at(message, "content") if member_at(part, "type") == "toolCall"
        )
        calls = [
            ToolCall(text_at(one, "id"), text_at(one, "name"), arguments_of(one.get("arguments")))
            for one in made
        ]
        told = [part for part in parts(content) if part.get("type") != "toolCall"]
        model, size = text_at(message, "model"), _used(message).input
        yield Reply((*spoken(told), *calls), model, size, item.index)
    elif role == "toolResult":
        call, failed = text_at(message, "toolCallId"), message.get("isError") is True
        yield Result(call, text_of(content, "\n"), failed, item.index)
    elif role == "bashExecution":  # what the user ran
        ran = f"{text_at(message, 'command')}\n{text_at(message, 'output')}"
        yield User(ran, item.index, "observation")
    else:
        yield User(text_of(content), item.index, "" if role == "user" else "observation")


def _used(message: dict[str, Any]) -> RecordedUsage:
    """The tokens a reply reports; its `input` leaves out what the cache served or took."""
    fresh, said, read, written = (
        count(member_at(message, f"usage.{name}"))
        for name in ("input", "output", "cacheRead", "cacheWrite")
    )
    return RecordedUsage(fresh + read + written, read, said, written)


IMPORTER = Importer("pi", accepts, events, facts)
