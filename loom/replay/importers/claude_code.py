"""Reads session files of Claude Code. Each line has one block of a reply, one message, or other
data.

The lines of one reply share `message.id`. Results may stand between them. The lines of a sub-agent
have `isSidechain`. They may be in the session's file or in a separate file, and become a separate
session. Only lines of type `user` and `assistant` are part of the conversation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from typing import Any

from msgspec.structs import replace

from loom.inputs import ClientCompaction, Event, User
from loom.providers.formats.wire import compact_json, content_parts
from loom.reduce.client_notes import is_command_body, voice_of
from loom.replay.importers.branches import BranchLine, last_branch
from loom.replay.importers.loss_notes import copy_note, left_out_note
from loom.replay.importers.provider_lists import message_events_or_note
from loom.replay.importers.recorded_facts import (
    RecordedFacts,
    folder_of,
    member_at,
    object_at,
    recorded_compaction,
    recorded_usage,
    text_at,
    total_usage,
)
from loom.replay.importers.talks import Importer, RecordedMessage, Talk, TalkEvent, readable

SPOKEN = ("user", "assistant")
MARKS = frozenset({"uuid", "parentUuid", "sessionId", "isSidechain"})
Group = list[RecordedMessage]  # the lines of one reply, or one other line


def accepts(talk: Talk) -> bool:
    """Return True if a line holds a message and one of the `MARKS`, fields that only Claude Code
    writes."""
    values = (item.value for item in talk.items)
    return any(_is_spoken(one) and "message" in one and MARKS & one.keys() for one in values)


def events(talk: Talk, notes: list[str]) -> Iterator[TalkEvent]:
    """Yield the events of a session in recorded order, then the compactions."""
    lines = _branch_lines(talk, notes)
    branch = last_branch(lines, notes)
    groups = _reply_groups(branch, notes)
    before = ""

    def read(first: RecordedMessage) -> Iterator[Event]:
        nonlocal before
        said = _joined_message(groups[first.index])
        for event in message_events_or_note(
            "anthropic", first, {**said, "role": first.value["type"]}, notes
        ):
            if isinstance(event, User):
                kind = _kind_of_words(first.value, before, event.text)
                before = event.text
                yield replace(event, kind=kind)
            else:
                yield event

    yield from readable([group[0] for group in groups.values()], notes, read)
    left = {line.item.index for line in lines} - {line.item.index for line in branch}
    for made, summary in _compactions([line.item for line in lines]):
        if summary not in left:  # else it was made on another branch
            yield made


def facts(talk: Talk) -> RecordedFacts:
    """Return the token usage of all replies (of every branch) and the project folder."""
    groups = _reply_groups(_branch_lines(talk, []), []).values()
    used = total_usage(
        recorded_usage(_joined_message(group).get("usage"))
        for group in groups
        if _is_reply(group[0])
    )
    return RecordedFacts("", used, folder_of((item.value for item in talk.items), "cwd"))


def split(talk: Talk) -> Iterator[Talk]:
    """Yield the recorded messages of the session itself as a Talk, if there are any, and a Talk
    named `SESSION/agent-ID` for each sub-agent."""
    chains = _messages_by_agent(talk.items)
    own = chains.pop("", [])
    spoken = any(_is_spoken(item.value) for item in own)
    if spoken or not chains:
        yield replace(talk, items=tuple(own))
    named = (text_at(item.value, "sessionId") for item in talk.items)
    parent = talk.name if spoken else next(filter(None, named), talk.name)
    for name, items in chains.items():
        yield Talk(f"{parent}/agent-{name}", tuple(items), notes=talk.notes)


def _messages_by_agent(items: Iterable[RecordedMessage]) -> dict[str, list[RecordedMessage]]:
    """Return a dict from a sub-agent's name to its lines, with the main session's lines under "".
    In older files, which do not name sub-agents, the names are numbers."""
    chains: dict[str, list[RecordedMessage]] = {}
    roots: dict[str, str] = {}
    for item in items:
        value = item.value
        name = ""
        if value.get("isSidechain"):
            name = text_at(value, "agentId") or roots.get(str(value.get("parentUuid")), "")
            name = name or str(sum(bool(each) for each in chains) + 1)
            roots[str(value.get("uuid"))] = name
        chains.setdefault(name, []).append(item)
    return chains


def _compactions(items: Sequence[RecordedMessage]) -> Iterator[tuple[ClientCompaction, int]]:
    """Yield (compaction, index of the line with its summary or -1). The compaction's `kept` has the
    texts, such as files or a plan, that the client attached between compaction and next reply."""
    summaries = [
        (item.index, member_at(item.value, "message.content"))
        for item in items
        if item.value.get("isCompactSummary")
    ]
    for at, item in enumerate(items):
        if item.value.get("subtype") == "compact_boundary":
            until = takewhile(lambda one: not _is_reply(one), items[at + 1 :])
            kept = (text for one in until for text in _strings_within(one.value.get("attachment")))
            made = recorded_compaction(item.index, item.value.get("compactMetadata"), summaries)
            line = next((index for index, _ in summaries if index >= item.index), -1)
            yield replace(made, kept=tuple(kept)), line


def _strings_within(value: Any) -> Iterator[str]:
    """Yield every text in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _strings_within(one)


def _branch_lines(talk: Talk, notes: list[str]) -> list[BranchLine]:
    """Return the recorded lines as BranchLines. A line with the id of an earlier line is left out,
    and `notes` gets a note."""
    lines: dict[object, BranchLine] = {}
    for line in map(_branch_line, talk.items):
        if (line.own or line.item.index) in lines:
            notes.append(copy_note(line.item.index, line.own))
        else:
            lines[line.own or line.item.index] = line
    return [*lines.values()]


def _branch_line(item: RecordedMessage) -> BranchLine:
    """Return a recorded line as a BranchLine."""
    value = item.value
    own, message = value.get("uuid"), object_at(value, "message")
    id, blocks = message.get("id"), content_parts(message.get("content"))
    return BranchLine(
        item,
        own if isinstance(own, str) else "",
        text_at(value, "parentUuid", "logicalParentUuid"),
        # What a compaction left says nothing before anything else.
        begins=value.get("type") == "user" and not value.get("isCompactSummary"),
        reply=id if _is_reply(item) and isinstance(id, str) else "",
        calls=[block.get("id") for block in blocks],
        answers=[block.get("tool_use_id") for block in blocks],
        said=compact_json([message.get("role"), id, message.get("content")]) * _is_spoken(value),
    )


def _reply_groups(lines: Iterable[BranchLine], notes: list[str]) -> dict[int, Group]:
    """Return a dict from a message index to the group of lines that begins there: all lines of one
    reply, or one other line. Copies and empty lines are left out, with a note on each in `notes`.
    """
    replies: dict[object, Group] = {}
    seen: set[str] = set()
    for line in lines:
        item = line.item
        if line.reply and line.said in seen:
            notes.append(copy_note(item.index, line.own))
        elif line.said and "content" in object_at(item.value, "message"):
            replies.setdefault(line.reply or item.index, []).append(item)
        elif line.said:
            why = f"a line of type {item.value['type']!r} has no `message` with `content`"
            notes.append(left_out_note(item.bad(why)))
        seen.add(line.said)
    return {group[0].index: group for group in replies.values()}


def _joined_message(group: Group) -> dict[str, Any]:
    """Return one message with the content of all lines of a group. Each other field has its last
    recorded value."""
    messages = [object_at(item.value, "message") for item in group]
    content = [block for one in messages for block in content_parts(one.get("content"))]
    known = {key: value for one in messages for key, value in one.items() if value is not None}
    return {**known, "content": content}


def _kind_of_words(line: dict[str, Any], before: str, text: str) -> str:
    """Return the `User.kind` of a message with the role user: "summary", "observation" for a text
    by the client, or "" for the user's own words. `before` is the previous user text."""
    if line.get("isCompactSummary"):
        return "summary"
    own = line.get("isMeta") and not voice_of(text) and not is_command_body(before, text)
    return "observation" if own else ""


def _is_spoken(value: dict[str, Any]) -> bool:
    """Return True for a line of type "user" or "assistant"."""
    return value.get("type") in SPOKEN


def _is_reply(item: RecordedMessage) -> bool:
    """Return True for a line of type "assistant"."""
    return item.value.get("type") == "assistant"


IMPORTER = Importer("claude-code", accepts, events, facts, split)
