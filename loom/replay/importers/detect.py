"""Loading a file of sessions: its shape is known by its content, never by its name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from loom.inputs import Event, Session, System
from loom.replay.importers import anthropic, claude_code, normalised, openai
from loom.replay.importers.errors import BadSession
from loom.replay.importers.order import lawful
from loom.replay.importers.rows import read
from loom.replay.importers.talks import SHAPES, Talk, talks

_SUFFIXES = (".jsonl", ".json")


class Importer(NamedTuple):
    """How to know a recorded shape, and how to read its events."""

    accepts: Callable[[Talk], bool]
    events: Callable[[Talk, list[str]], Iterator[Event]]


# Asked in this order: the narrower shape first.
IMPORTERS: dict[str, Importer] = {
    "claude-code": Importer(claude_code.accepts, claude_code.events),
    "normalised": Importer(normalised.accepts, normalised.events),
    "anthropic": Importer(anthropic.accepts, anthropic.events),
    "openai": Importer(openai.accepts, openai.events),
}


def load(path: Path) -> list[Session]:
    """Return every session of a file, mended into lawful order.

    A message that cannot be read is left out, and so is a last line that was torn; `mended` says
    which. Raises BadSession, and then loads nothing: for what cannot be read, is no plain file, is
    too large or empty, is not UTF-8 or not JSON, for an unknown shape, and for a session without
    messages.
    """
    try:
        return [_session(path, talk) for talk in talks(path, read(path))]
    except RecursionError:
        raise BadSession(path, 0, "the JSON is nested too deeply to be read") from None


def find(paths: Iterable[Path]) -> list[Path]:
    """Return the session files that paths name, each once: a folder stands for those below it.

    Folders are searched in the order of their paths, hidden ones and files beside the sessions
    (labels, a manifest) left out. What is called like a session and is no file is among them, for
    `load` to say why it is none. Raises BadSession for a path that does not exist.
    """
    found: dict[Path, None] = {}
    for path in paths:
        if not path.exists():
            raise BadSession(path, 0, "no such file or folder")
        found |= dict.fromkeys(sorted(_below(path)) if path.is_dir() else [path])
    return list(found)


def _below(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        beside = path.name.endswith(".labels.jsonl") or path.name == "manifest.json"
        if path.suffix in _SUFFIXES and not hidden and not beside:
            yield path


def _session(path: Path, talk: Talk) -> Session:
    importer = next((one for one in IMPORTERS.values() if one.accepts(talk)), None)
    if importer is None:
        raise BadSession(path, talk.items[0].line, f"an unknown shape: known are {SHAPES}")
    notes = list(talk.notes)
    recorded = list(importer.events(talk, notes))
    if talk.system:
        recorded.insert(0, System(talk.system))
    events, mended = lawful(recorded)
    if not events:
        why = "; ".join((f"the session {talk.name} holds no messages", *notes[:1]))
        raise BadSession(path, talk.items[0].line, why)
    return Session(talk.name, events, str(path), (*notes, *mended))
