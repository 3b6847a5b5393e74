"""Claude Code's own session files: a line for each block of a reply, and much beside the talk.

The lines of one reply share `message.id`, and results may stand between them. Lines of sub-agents
(`isSidechain`), in the session's file or in a file of their own below it, are sessions of their
own. All types but `user` and `assistant` are no part of the conversation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from msgspec.structs import replace

from loom.inputs import ClientCompaction, Event, User
from loom.providers.formats.anthropic import decode
from loom.providers.formats.wire import compact, count, parts, text_of
from loom.reduce.notes import expands, voice_of
from loom.replay.importers.branches import LineLinks, last_branch
from loom.replay.importers.facts import RecordedFacts, total, usage_of
from loom.replay.importers.listed import read_one
from loom.replay.importers.losses import a_copy
from loom.replay.importers.talks import (
    Importer,
    RecordedMessage,
    Talk,
    left_out,
    readable,
    reply_of,
)
from loom.replay.importers.unreadable import BadSession

_SPOKEN = ("user", "assistant")
_MARKS = ("uuid", "parentUuid", "sessionId", "isSidechain")


def accepts(talk: Talk) -> bool:
    """Tell whether lines wrap a message in Claude Code's bookkeeping."""
    return any(
        item.value.get("type") in _SPOKEN
        and "message" in item.value
        and any(mark in item.value for mark in _MARKS)
        for item in talk.items
    )


def events(talk: Talk, notes: list[str]) -> Iterator[Event]:
    """Yield the events of a session in recorded order, a reply where its first line stands."""
    left: list[str] = []
    branch = last_branch(_once(talk.items, _uuid, left), LINKS, left)
    spoken = [*_spoken(_once(branch, _piece, left), notes)]
    notes += left
    groups = {group[0].index: group for group in _groups(spoken)}
    before = ""

    def read(first: RecordedMessage) -> Iterator[Event]:
        if _is_reply(first):
            yield reply_of(first, decode, _joined(groups[first.index]))
        else:
            nonlocal before
            said = {"role": "user", "content": _message(first).get("content")}
            for event in read_one("anthropic", first, said, notes):
                if isinstance(event, User):
                    yield replace(event, kind=_whose(first.value, before, event.text))
                    before = event.text
                else:
                    yield event

    return readable([group[0] for group in groups.values()], notes, read)


def facts(talk: Talk) -> RecordedFacts:
    """Return what all replies used, and each compaction with the summary behind it."""
    spoken = _spoken(_once(_once(talk.items, _uuid, []), _piece, []), [])  # of all branches
    replies = [group for group in _groups(spoken) if _is_reply(group[0])]
    used = (usage_of(_joined(group).get("usage")) for group in replies)
    return RecordedFacts("", total(used), tuple(_compactions(talk)))


def _whose(line: dict[str, Any], before: str, text: str) -> str:
    """The kind of words of a line of the user's role, by the client's own marks; the body of a
    skill or of a command, which is one of its lines too, is told from the text."""
    if line.get("isCompactSummary"):
        return "summary"
    own = line.get("isMeta") and not voice_of(text) and not expands(before, text)
    return "observation" if own else ""


def _compactions(talk: Talk) -> Iterator[ClientCompaction]:
    summaries = [item for item in talk.items if item.value.get("isCompactSummary")]
    for item in talk.items:
        if item.value.get("subtype") != "compact_boundary":
            continue
        given = item.value.get("compactMetadata")
        told = given if isinstance(given, dict) else {}
        summary = next((one for one in summaries if one.index > item.index), None)
        message = summary.value.get("message") if summary else None
        yield ClientCompaction(
            item.index,
            count(told.get("preTokens")),
            count(told.get("postTokens")),
            trigger=str(told.get("trigger") or ""),
            summary=text_of(message.get("content")) if isinstance(message, dict) else "",
        )


def split(talk: Talk) -> Iterator[Talk]:
    """Yield the session itself, if any, and then each of its sub-agents, named after it."""
    chains = _chains(talk.items)
    own = chains.pop("", [])
    spoken = any(item.value.get("type") in _SPOKEN for item in own)
    if spoken or not chains:
        yield replace(talk, items=tuple(own))
    named = (str(item.value.get("sessionId") or "") for item in talk.items)
    parent = talk.name if spoken else next((name for name in named if name), talk.name)
    for name, items in chains.items():
        yield Talk(f"{parent}/agent-{name}", tuple(items), notes=talk.notes)


def _chains(items: Iterable[RecordedMessage]) -> dict[str, list[RecordedMessage]]:
    """Gather the lines of each sub-agent under its name, all other lines under "".

    Older sessions name no sub-agent: then it is all that follows from one line without a parent.
    """
    chains: dict[str, list[RecordedMessage]] = {}
    roots: dict[str, str] = {}
    for item in items:
        value = item.value
        name = ""
        if value.get("isSidechain"):
            name = str(value.get("agentId") or "") or roots.get(str(value.get("parentUuid")), "")
            name = name or str(sum(bool(each) for each in chains) + 1)
            roots[str(value.get("uuid"))] = name
        chains.setdefault(name, []).append(item)
    return chains


def _once(
    items: Iterable[RecordedMessage], name: Callable[[dict[str, Any]], str], notes: list[str]
) -> list[RecordedMessage]:
    """The lines without those of a name that was there before; "" is none."""
    seen: set[str] = set()
    kept: list[RecordedMessage] = []
    for item in items:
        own = name(item.value)
        if own and own in seen:
            notes.append(a_copy(item.index, str(item.value.get("uuid"))))
        else:
            kept.append(item)
        seen.add(own)
    return kept


def _uuid(value: dict[str, Any]) -> str:
    given = value.get("uuid")
    return given if isinstance(given, str) else ""


def _piece(value: dict[str, Any]) -> str:
    """What tells a piece of a reply from others, "" for any other line."""
    return _said(value) if _reply_id(value) else ""


def _said(value: dict[str, Any]) -> str:
    message = value.get("message")
    told = message if isinstance(message, dict) else {}
    return compact([told.get("role"), told.get("id"), told.get("content")])


def _reply_id(value: dict[str, Any]) -> str:
    message = value.get("message")
    id = message.get("id") if isinstance(message, dict) else None
    return id if value.get("type") == "assistant" and isinstance(id, str) else ""


def _ids(value: dict[str, Any], member: str) -> set[str]:
    """The ids that blocks of a line have under a name."""
    message = value.get("message")
    given = message.get("content") if isinstance(message, dict) else None
    ids = (block.get(member) for block in parts(given))
    return {id for id in ids if isinstance(id, str)}


def _begins(value: dict[str, Any]) -> bool:
    """True for what a user says before anything else, and not for what a compaction left."""
    return value.get("type") == "user" and not value.get("isCompactSummary")


LINKS = LineLinks(
    own=_uuid,
    before=lambda value: str(value.get("parentUuid") or value.get("logicalParentUuid") or ""),
    root=_begins,
    reply=_reply_id,
    calls=lambda value: _ids(value, "id"),
    answers=lambda value: _ids(value, "tool_use_id"),
    spoken=lambda value: value.get("type") in _SPOKEN,
    said=_said,
)


def _spoken(items: Iterable[RecordedMessage], notes: list[str]) -> Iterator[RecordedMessage]:
    """Yield the lines of the conversation, and note where it was compacted."""
    for item in items:
        value = item.value
        if value.get("subtype") == "compact_boundary":
            notes.append(f"message {item.index}: the mark of a compaction was dropped")
        if value.get("type") not in _SPOKEN:
            continue
        try:
            _message(item)
        except BadSession as error:
            notes.append(left_out(error))
            continue
        yield item


def _groups(items: Iterable[RecordedMessage]) -> list[list[RecordedMessage]]:
    """Gather the lines of each reply; every other line stands alone."""
    groups: list[list[RecordedMessage]] = []
    replies: dict[str, list[RecordedMessage]] = {}
    for item in items:
        reply_id = _message(item).get("id") if _is_reply(item) else None
        if isinstance(reply_id, str) and reply_id in replies:
            replies[reply_id].append(item)
            continue
        groups.append([item])
        if isinstance(reply_id, str):
            replies[reply_id] = groups[-1]
    return groups


def _joined(group: list[RecordedMessage]) -> dict[str, Any]:
    """Return the message the lines of a group are pieces of, with the usage reported last."""
    joined: dict[str, Any] = {"content": []}
    for item in group:
        message = _message(item)
        content = [*joined["content"], *parts(message.get("content"))]
        known = {key: value for key, value in message.items() if value is not None}
        joined = {**joined, **known, "content": content}
    return joined


def _is_reply(item: RecordedMessage) -> bool:
    return bool(item.value["type"] == "assistant")


def _message(item: RecordedMessage) -> dict[str, Any]:
    message = item.value.get("message")
    if not isinstance(message, dict) or "content" not in message:
        raise item.bad(f"a line of type {item.value['type']!r} has no `message` with `content`")
    return message


IMPORTER = Importer("claude-code", accepts, events, facts, split)
