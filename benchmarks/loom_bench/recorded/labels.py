"""Labels of what the calls of a recorded session needed, resolved against its events.

`X.labels.jsonl` beside `X.jsonl` has one object a line: the reply of message `call` has a call of
`tool` that needs `needle`, an exact text that only earlier messages hold. Kinds: `edit_old` (the
old text of an edit), `ident` (a path, hash or id in a shell command), `reread` (a file read again;
with `same_content` the earlier result, whole, would have answered it).
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable
from functools import lru_cache
from pathlib import Path
from typing import Protocol

import msgspec
from msgspec import Struct

from loom.errors import BadSession
from loom.inputs import Event, Reply, Result, Session, Speech, ToolCall
from loom.replay.importers import find, load
from loom_bench.sessions.needle import (
    arguments_of,
    event_texts,
    held,
    held_by_any,
    paths_of,
    strings,
)

FAR = 8_000  # tokens back, by the label's own measure: nearer needs are met by any window
SCORED = ("edit_old", "ident")
KINDS = (*SCORED, "reread")

HEADS = ("command", "cmd", "pattern", "query", "url", "description", "prompt")
# A word with an underscore or an inner capital, not a part of a path.
TERM = re.compile(r"(?<![\w/.-])(?:[A-Za-z]\w*_\w+|[A-Za-z]+[a-z0-9][A-Z]\w*)(?![\w/.-]*/)")
TERMS = 5  # of them that are asked for at once
HEAD = 20  # characters of a command that name it
# Arguments that are or hold what is looked for: an agent that lacks it cannot ask with it.
UNKNOWN = frozenset(
    {"old_string", "new_string", "content", "oldText", "newText", "old_str", "new_str", "edits"}
)


class Label(Struct, frozen=True):
    """One line of a label file. `distance_tokens` is what lies between need and last sight."""

    call: int
    kind: str
    needle: str
    tool: str = ""
    last_seen: int = -1
    distance_tokens: int = 0
    same_content: bool = False


class Holder(Struct, frozen=True):
    """An event that holds a needle: its place among the events, and the phrases that name it.

    A line names the source when it has one of the phrases; without any (speech), its name does.
    """

    at: int
    phrases: tuple[str, ...]


class Need(Struct, frozen=True):
    """A resolved label: the reply at `at` among the events needs `needle`.

    `query` is what an agent without the needle could search for, `terms` the words of code that it
    says or thinks with the call. `holders` are never empty.
    """

    at: int
    label: Label
    needle: str
    query: str
    holders: tuple[Holder, ...]
    terms: tuple[str, ...] = ()


def labels_of(path: Path) -> Path:
    """The label file of a session file."""
    return path.with_name(f"{path.stem}.labels.jsonl")


def labelled(folders: Iterable[Path], limit: int = 0) -> list[Path]:
    """The session files with at least one need, largest first, at most `limit`. Raises BadSession.

    Largest first keeps parallel workers busy to the end.
    """
    paths = [path for path in find(folders) if labels_of(path).is_file()]
    paths.sort(key=lambda path: (-path.stat().st_size, path))
    found: list[Path] = []
    for path in paths:
        if limit and len(found) == limit:
            break
        if any(far(label) for label in read(path)) and needs_of(path)[1]:
            found.append(path)
    return found


def read(path: Path) -> list[Label]:
    """The labels of a session file. Raises BadSession for a line that is no label."""
    source = labels_of(path)
    found = []
    for number, line in enumerate(source.read_text("utf-8").splitlines(), 1):
        if line.strip():
            try:
                found.append(msgspec.json.decode(line, type=Label))
            except msgspec.MsgspecError as error:
                raise BadSession(source, number, f"no label: {error}") from error
    return found


def far(label: Label) -> bool:
    """True when a label is measured: one of KINDS, and more than FAR tokens back."""
    same = label.kind in SCORED or (label.kind == "reread" and label.same_content)
    return same and label.distance_tokens > FAR


class Composed(Hashable, Protocol):
    """A session that is no file of its own."""

    def load(self) -> tuple[Session, list[Label]]:
        """Return the session and its labels. Raises BadSession."""


Source = Path | Composed


def recorded(path: Path) -> tuple[Session, list[Label]]:
    """The session of a file, and its labels. Raises BadSession; the file holds one session."""
    sessions = load(path)
    if len(sessions) != 1:
        raise BadSession(path, 0, f"{len(sessions)} sessions: labels need a file with one")
    return sessions[0], read(path)


@lru_cache(maxsize=1)
def needs_of(source: Source) -> tuple[Session, tuple[Need, ...]]:
    """A session, and its measured needs that some earlier message holds. Raises BadSession."""
    session, labels = recorded(source) if isinstance(source, Path) else source.load()
    events = session.events
    replies = {event.index: at for at, event in enumerate(events) if isinstance(event, Reply)}
    found = []
    for label in labels:
        if far(label) and label.call in replies:
            need = _resolved(events, replies[label.call], label)
            if need is not None:
                found.append(need)
    return session, tuple(sorted(found, key=lambda need: need.at))


def _resolved(events: tuple[Event, ...], at: int, label: Label) -> Need | None:
    reply = events[at]
    assert isinstance(reply, Reply)
    needle = label.needle if label.kind in SCORED else _earlier_result(events[:at], label.needle)
    if not needle:
        return None
    answered = _calls(events[:at])
    holders = tuple(
        Holder(place, _phrases(event, needle, answered.get(place)))
        for place, event in enumerate(events[:at])
        if held_by_any(needle, event_texts(event))
    )
    if not holders:
        return None
    query = _query(_asking(reply, label), needle)
    return Need(at, label, needle, query, holders, terms_of(reply, query, needle))


def _earlier_result(events: Iterable[Event], path: str) -> str:
    """The result of the last call that read a file; "" when there is none."""
    made: dict[str, ToolCall] = {}
    last = ""
    for event in events:
        if isinstance(event, Reply):
            made |= {call.id: call for call in event.calls}
        elif isinstance(event, Result) and event.call_id in made:
            call = made[event.call_id]
            if "read" in call.name.lower() and path in paths_of(call):
                last = event.text
    return last


def _calls(events: Iterable[Event]) -> dict[int, ToolCall]:
    """Place of a result among the events → the call it answers."""
    open_calls: dict[str, ToolCall] = {}
    answered = {}
    for at, event in enumerate(events):
        if isinstance(event, Reply):
            open_calls |= {call.id: call for call in event.calls}
        elif isinstance(event, Result) and event.call_id in open_calls:
            answered[at] = open_calls[event.call_id]
    return answered


def _phrases(event: Event, needle: str, answered: ToolCall | None) -> tuple[str, ...]:
    """The phrases that name what holds a needle, see Holder; `answered` is the call of a result."""
    if isinstance(event, Result):
        return phrases_of(answered) if answered is not None else ()
    if not isinstance(event, Reply):
        return ()
    if any(isinstance(part, Speech) and held(needle, part.text) for part in event.parts):
        return ()
    holding = (call for call in event.calls if _in_call(needle, call))
    return tuple(phrase for call in holding for phrase in phrases_of(call))


def _in_call(needle: str, call: ToolCall) -> bool:
    return held_by_any(needle, (call.arguments, *strings(call.arguments)))


def phrases_of(call: ToolCall) -> tuple[str, ...]:
    """A file's path or its last two components, the head of a command or of another argument."""
    given = arguments_of(call)
    short = ["/".join(path.rsplit("/", 2)[-2:]) for path in paths_of(call)]
    heads = [
        given[key].strip().splitlines()[0][:HEAD]
        for key in HEADS
        if isinstance(given.get(key), str) and given[key].strip()
    ]
    return tuple(dict.fromkeys((*short, *heads)))


def _asking(reply: Reply, label: Label) -> ToolCall | None:
    """The call of a reply that needs the needle."""
    calls = [call for call in reply.calls if not label.tool or call.name == label.tool]
    return next(
        (call for call in calls if _in_call(label.needle, call)), calls[0] if calls else None
    )


def terms_of(reply: Reply, query: str, needle: str) -> tuple[str, ...]:
    """The last words of code that a reply says, thinks or asks with, none that holds the needle."""
    said = " ".join(part.text for part in reply.parts if not isinstance(part, ToolCall))
    words = (match[0] for match in TERM.finditer(f"{said.replace(needle, ' ')} {query}"))
    return tuple(dict.fromkeys(word for word in words if needle not in word))[-TERMS:]


def _query(call: ToolCall | None, needle: str) -> str:
    """A call's arguments without the needle and without what only one who has it could write."""
    if call is None:
        return ""
    said = [
        value
        for key, value in arguments_of(call).items()
        if key not in UNKNOWN and isinstance(value, str)
    ]
    return " ".join(" ".join(said).replace(needle, " ").split())
