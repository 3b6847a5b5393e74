"""Loading a file of sessions: its shape is known by its content, never by its name.

Where recorded sessions rest: a file of JSON, a database, an archive, a folder of events.

Which it is, the first bytes say, never the name.

When a message was recorded, in milliseconds since the epoch, wherever its recorder writes it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from loom.disk import plain_descriptor
from loom.inputs import Event, Reply, Session, System
from loom.providers.plugins import usable
from loom.replay.importers import (
    claude_code,
    codex,
    event_folder,
    inspect_ai,
    inspect_archive,
    langchain,
    listed,
    normalised,
    opencode,
    opencode_database,
    openhands,
    rows,
    swe_agent,
)
from loom.replay.importers.facts import model_of, placed
from loom.replay.importers.nearest import nearest
from loom.replay.importers.order import lawful
from loom.replay.importers.rows import JsonRow
from loom.replay.importers.talks import SHAPES, Importer, Talk, talks
from loom.replay.importers.unreadable import BadSession

# Members that recorders keep the time in: ISO 8601, seconds or milliseconds.
PLACES = (
    ("timestamp",),  # Claude Code, Codex, OpenHands
    ("ts",),
    ("time", "created"),
    ("info", "time", "created"),  # opencode
    ("extra", "timestamp"),  # mini-swe-agent
    ("message", "timestamp"),
    ("created_at",),
    ("createdAt",),
    ("created",),
)
FIRST, LAST = 946_684_800_000, 4_102_444_800_000  # of 2000 and 2100: no other number is a time
SECONDS = 100_000_000_000  # what is less is in seconds


def recorded_at(value: dict[str, Any]) -> int:
    """When a message was recorded, 0 where it does not say."""
    return next(filter(None, (_at(value, place) for place in PLACES)), 0)


def _at(value: Any, place: tuple[str, ...]) -> int:
    for name in place:
        value = value.get(name) if isinstance(value, dict) else None
    at = 0.0
    if isinstance(value, str):
        try:
            at = datetime.fromisoformat(value).timestamp() * 1_000  # of no zone: this machine's
        except (ValueError, OverflowError, OSError):
            return 0
    elif isinstance(value, int | float) and not isinstance(value, bool):
        at = value * 1_000 if value < SECONDS else value
    return round(at) if FIRST <= at <= LAST else 0


# The first bytes of what is no text, and who reads it as rows.
READERS: dict[bytes, Callable[[Path], list[JsonRow]]] = {
    opencode_database.MAGIC: opencode_database.rows,
    inspect_archive.MAGIC: inspect_archive.rows,
}


def stored(path: Path) -> list[JsonRow]:
    """Return the rows of a file, of a folder of events, or of a session inside a database.

    Raises BadSession when it cannot be read.
    """
    if event_folder.holds_events(path):
        return event_folder.rows(path)
    if opencode_database.inside(path):
        return opencode_database.rows(path.parent, path.name)
    return READERS.get(_magic(path), rows.read)(path)


def _magic(path: Path) -> bytes:
    """The one of READERS a file begins with, b"" for any other and for what is no file."""
    try:
        with os.fdopen(plain_descriptor(path), "rb") as file:
            head = file.read(max(map(len, READERS)))
    except OSError:
        return b""  # the reader of text says why
    return next((magic for magic in READERS if head.startswith(magic)), b"")


_SUFFIXES = (".jsonl", ".json", ".traj", ".eval")
_NAMES = ("opencode.db",)
# What recorders write beside sessions.
_BESIDE = (".labels.jsonl", "manifest.json", ".meta.json", "base_state.json")

GROUP = "loom.importers"
SEGMENT = "journal/[0-9][0-9][0-9][0-9][0-9][0-9].jsonl"  # what every workspace has
WORKSPACE = (
    "this is a workspace of Loom's, not a recorded session: `loom report {0}` shows what became of"
    " its window, `loom log {0} --turns` lists its requests; to replay it, first write its messages"
    " with `loom export {0} session.json --format openai`"
)

# Asked in this order: the narrower shape first. Plug-ins of the group are asked after them.
IMPORTERS: dict[str, Importer] = {
    one.name: one
    for one in (
        claude_code.IMPORTER,
        codex.IMPORTER,
        opencode.IMPORTER,
        openhands.IMPORTER,
        langchain.IMPORTER,
        inspect_ai.IMPORTER,
        swe_agent.IMPORTER,
        listed.GEMINI_LIST,
        listed.RESPONSES_LIST,
        normalised.IMPORTER,
        listed.ANTHROPIC_LIST,
        listed.OPENAI_LIST,
    )
}


def load(path: Path) -> list[Session]:
    """Return every session of a file, mended into lawful order.

    A message that cannot be read is left out, and so is a last line that was torn; `mended` says
    which. Raises BadSession, and then loads nothing: for what cannot be read, is no plain file, is
    too large or empty, is not UTF-8 or not JSON, for an unknown shape, and for a session without
    messages.
    """
    try:
        return [one for talk in talks(path, stored(path)) for one in _sessions(path, talk)]
    except RecursionError:
        raise BadSession(path, 0, "the JSON is nested too deeply to be read") from None


def find(paths: Iterable[Path]) -> list[Path]:
    """Return the session files that paths name, each once: a folder stands for those below it.

    Folders are searched in the order of their paths, hidden ones and files beside the sessions
    (labels, a manifest) left out; a folder of events is one session. What is called like a session
    and is no file is among them, for `load` to say why it is none. Raises BadSession for a path
    that does not exist, and for a workspace.
    """
    found: dict[Path, None] = {}
    for path in paths:
        if not path.exists() and not opencode_database.inside(path):
            raise BadSession(path, 0, "no such file or folder")
        if any(path.glob(SEGMENT)):
            raise BadSession(path, 0, WORKSPACE.format(path))
        folder = path.is_dir() and not event_folder.holds_events(path)
        found |= dict.fromkeys(sorted(_below(path)) if folder else [path])
    return list(found)


def _below(folder: Path) -> Iterator[Path]:
    """What is called like a session below a folder; no link to a folder is followed."""
    for at, folders, files in os.walk(folder):
        events = [name for name in folders if event_folder.holds_events(Path(at, name))]
        folders[:] = [name for name in folders if name[0] != "." and name not in events]
        yield from (
            Path(at, name)
            for name in (*events, *folders, *files)
            if name in events or _is_named(name)
        )


def _is_named(name: str) -> bool:
    """Tell whether a name is one that recorders give to sessions."""
    named = name in _NAMES or name.endswith(_SUFFIXES)
    return named and name[0] != "." and not name.endswith(_BESIDE)


def _sessions(path: Path, talk: Talk) -> list[Session]:
    """Return the sessions of a talk; one of several that holds no messages is noted on the first.

    Raises BadSession when none holds any.
    """
    importer = _importer(path, talk)
    found: list[Session] = []
    empty: list[BadSession] = []
    for part in importer.split(talk):
        try:
            found.append(_session(path, importer, part))
        except BadSession as error:
            empty.append(error)
    if not found:
        raise empty[0]
    notes = tuple(error.why for error in empty)
    return [replace(found[0], mended=(*notes, *found[0].mended)), *found[1:]]


def _session(path: Path, importer: Importer, talk: Talk) -> Session:
    notes = list(talk.notes)
    recorded = list(importer.events(talk, notes))
    if talk.system:
        recorded.insert(0, System(talk.system))
    events, mended = lawful(_of_model(recorded, talk.about.get("model")))
    if not events:
        why = "; ".join((f"the session {talk.name} holds no messages", *notes[:1]))
        raise BadSession(path, talk.items[0].line, why)
    facts = importer.facts(talk)
    recorded_times = {item.index: recorded_at(item.value) for item in talk.items}
    times = tuple(recorded_times.get(event.index, 0) for event in events)
    return Session(
        talk.name,
        events,
        str(path),
        (*notes, *mended),
        placed(facts.compactions, events),
        model_of(facts, events),
        facts.usage,
        times if any(times) else (),
    )


def _of_model(events: Iterable[Event], model: object) -> list[Event]:
    """The events, a reply that names no model being of the one that stands beside the messages."""
    named = isinstance(model, str) and model
    return [
        replace(one, model=model) if named and isinstance(one, Reply) and not one.model else one
        for one in events
    ]


def _importer(path: Path, talk: Talk) -> Importer:
    """Return the importer of a shape; BadSession names the plug-ins that could not be asked."""
    for one in IMPORTERS.values():
        if one.accepts(talk):
            return one
    further, bad = usable(GROUP, Importer, IMPORTERS)
    for one in further.values():
        if one.accepts(talk):
            return one
    known = ", ".join([SHAPES, *further])
    guess = nearest(item.value for item in talk.items)
    told = [guess] if guess else []
    why = "; ".join(["an unknown shape", *told, f"known are {known}", *map(str, bad)])
    raise BadSession(path, talk.items[0].line, why)
