"""Sessions of pi: a line for each entry of a tree, each naming the one before it.

A `message` wraps what user, model or tool said; a `compaction` has the summary that took the place
of the entries before `firstKeptEntryId`, and the tokens that stood before it.
"""

from __future__ import annotations

from collections.abc import Iterator

from loom.inputs import ClientCompaction, Reply, Result, ToolCall, User
from loom.providers.formats.wire import count, parts, text_of
from loom.replay.importers.branches import BranchLine, last_branch
from loom.replay.importers.facts import (
    RecordedFacts,
    folder_of,
    list_at,
    member_at,
    object_at,
    text_at,
    total,
    usage_of,
)
from loom.replay.importers.roles import arguments_of, spoken
from loom.replay.importers.talks import Importer, RecordedMessage, Talk, Told, readable, texts_in

ENTRIES = ("message", "custom_message", "compaction", "branch_summary")


def accepts(talk: Talk) -> bool:
    """Tell whether a line wraps a message as pi does: beside the entry it follows."""
    return any(
        one.value.get("type") == "message"
        and "parentId" in one.value
        and "role" in object_at(one.value, "message")
        for one in talk.items
    )


def events(talk: Talk, notes: list[str]) -> Iterator[Told]:
    """Yield the events of the last branch in recorded order; a summary is a turn of the user."""
    items = [line.item for line in last_branch([*map(_line, talk.items)], notes) if line.said]
    ids = [text_at(one.value, "id") for one in items]
    yield from readable(items, notes, _read)
    for at, one in enumerate(items):
        if one.value["type"] == "compaction":
            first = text_at(one.value, "firstKeptEntryId")
            stays = items[ids.index(first) : at] if first in ids[:at] else []
            before, summary = count(one.value.get("tokensBefore")), text_at(one.value, "summary")
            kept = texts_in(stays, _read)
            yield ClientCompaction(one.index, before, summary=summary, kept=kept)


def facts(talk: Talk) -> RecordedFacts:
    """Return what all replies used, of all branches, and the folder."""
    values = [one.value for one in talk.items]
    used = total(usage_of(member_at(value, "message.usage")) for value in values)
    return RecordedFacts("", used, folder_of(values, "cwd"))


def _line(item: RecordedMessage) -> BranchLine:
    value, own = item.value, text_at(item.value, "id")
    return BranchLine(
        item,
        own,
        text_at(value, "parentId"),
        begins=text_at(value, "message.role") == "user",
        reply="",
        calls=[part.get("id") for part in parts(member_at(value, "message.content"))],
        answers=[*filter(None, [text_at(value, "message.toolCallId")])],
        said=(own or f"{item.index}") * (value.get("type") in ENTRIES),
    )


def _read(item: RecordedMessage) -> Iterator[Told]:
    value, kind, at = item.value, item.value["type"], item.index
    message = value if kind == "custom_message" else object_at(value, "message")
    content, role = message.get("content"), kind == "message" and message.get("role")
    if kind in ("compaction", "branch_summary"):
        if text := text_at(value, "summary"):
            yield User(text, at, "summary")
    elif role == "assistant":
        calls = [
            ToolCall(text_at(one, "id"), text_at(one, "name"), arguments_of(one.get("arguments")))
            for one in list_at(message, "content")
            if member_at(one, "type") == "toolCall"
        ]
        size = usage_of(message.get("usage")).input
        yield Reply((*spoken(content), *calls), text_at(message, "model"), size, at)
    elif role == "toolResult":
        call, failed = text_at(message, "toolCallId"), message.get("isError") is True
        yield Result(call, text_of(content, "\n"), failed, at)
    elif role == "bashExecution":  # what the user ran
        ran = f"{text_at(message, 'command')}\n{text_at(message, 'output')}"
        yield User(ran, at, "observation")
    else:
        yield User(text_of(content), at, "" if role == "user" else "observation")


IMPORTER = Importer("pi", accepts, events, facts)
