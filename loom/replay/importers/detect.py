"""Loads session files. The format is recognized by the content, never by the file's name.

The sessions may be in a JSON file, a database, an archive, or a folder of events."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from loom.errors import BadSession, LoomError
from loom.inputs import ClientCompaction, Reply, Session, System
from loom.providers.plugins import bad_plugin_error, load_usable_plugins
from loom.replay.importers import claude_code, codex, opencode, openhands, pi, provider_lists, roles
from loom.replay.importers.containers import is_event_folder, is_in_database, stored_rows
from loom.replay.importers.lawful_order import mend_order
from loom.replay.importers.loss_notes import LEFT_OUT
from loom.replay.importers.recorded_facts import member_at, placed_compactions, session_model
from loom.replay.importers.talks import (
    Importer,
    Talk,
    TalkEvent,
    shape_guess,
    split_into_talks,
    unchecked_talk,
)

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

# Asked in this order: the narrower shape first. Plug-ins of the group are asked after them, also of
# a file whose values are no messages to Loom.
IMPORTERS: dict[str, Importer] = {
    one.name: one
    for one in (
        claude_code.IMPORTER,
        codex.IMPORTER,
        opencode.IMPORTER,
        openhands.IMPORTER,
        pi.IMPORTER,
        roles.LANGCHAIN,
        roles.INSPECT,
        provider_lists.TRAJECTORY,
        provider_lists.GEMINI_LIST,
        provider_lists.RESPONSES_LIST,
        roles.NORMALISED,
        provider_lists.ANTHROPIC_LIST,
        provider_lists.OPENAI_LIST,
    )
}
# Members that recorders keep the time in: ISO 8601, seconds or milliseconds.
TIMES = (
    "timestamp",  # Claude Code, Codex, OpenHands
    "ts",
    "time.created",
    "info.time.created",  # opencode
    "extra.timestamp",  # mini-swe-agent
    "message.timestamp",
    "created_at",
    "createdAt",
    "created",
)
FIRST, LAST = 946_684_800_000, 4_102_444_800_000  # of 2000 and 2100: no other number is a time
SECONDS = 100_000_000_000  # what is less is in seconds


def recorded_time(value: dict[str, Any]) -> int:
    """Return when a message was recorded, in milliseconds since the epoch, 0 if unknown."""
    return next(filter(None, (_milliseconds(member_at(value, path)) for path in TIMES)), 0)


def _milliseconds(given: object) -> int:
    """Return a time in milliseconds since the epoch, 0 if `given` is not a time. A time may be ISO
    8601 text, seconds or milliseconds."""
    at = 0.0
    if isinstance(given, str):
        try:
            at = datetime.fromisoformat(given).timestamp() * 1_000  # of no zone: this machine's
        except (ValueError, OverflowError, OSError):
            return 0
    elif isinstance(given, int | float) and not isinstance(given, bool):
        at = given * 1_000 if given < SECONDS else given
    return round(at) if FIRST <= at <= LAST else 0


def load(path: Path) -> list[Session]:
    """Return every session of a file, with its events in lawful order.

    Messages that cannot be read are left out and listed in `Session.mended`. Raises BadSession if
    the file cannot be read, is not a plain file, is too large or empty, or is not UTF-8 or JSON, if
    the format is unknown, or if no session has messages."""
    try:
        rows = stored_rows(path)
        try:
            found = split_into_talks(path, rows)
        except BadSession:  # to Loom; a plug-in may know what it is
            found = [unchecked_talk(path, rows)]
            if not _accepting_plugin(found[0])[0]:
                raise
        return [one for talk in found for one in _talk_sessions(path, talk)]
    except RecursionError:
        raise BadSession(path, 0, "the JSON is nested too deeply to be read") from None


def find(paths: Iterable[Path]) -> list[Path]:
    """Return the session files that the paths name, each once. A folder stands for the session
    files below it, sorted by path; a folder of events is one session. Hidden files and files that
    are no sessions are left out. Raises BadSession if a path does not exist or is a Loom workspace.
    """
    found: dict[Path, None] = {}
    for path in paths:
        if not path.exists() and not is_in_database(path):
            raise BadSession(path, 0, "no such file or folder")
        if any(path.glob(SEGMENT)):
            raise BadSession(path, 0, WORKSPACE.format(path))
        folder = path.is_dir() and not is_event_folder(path)
        found |= dict.fromkeys(sorted(_session_files_below(path)) if folder else [path])
    return list(found)


def _session_files_below(folder: Path) -> Iterator[Path]:
    """Yield the paths below a folder that have names of session files. Links are not followed."""
    for at, folders, files in os.walk(folder):
        events = [name for name in folders if is_event_folder(Path(at, name))]
        folders[:] = [name for name in folders if name[0] != "." and name not in events]
        # A folder with a session's name is returned too: `load` then says what is wrong with it.
        named = (name for name in (*folders, *files) if _is_session_name(name))
        yield from (Path(at, name) for name in (*events, *named))


def _is_session_name(name: str) -> bool:
    """Return True if `name` looks like the name of a session file."""
    named = name in _NAMES or name.endswith(_SUFFIXES)
    return named and name[0] != "." and not name.endswith(_BESIDE)


def _talk_sessions(path: Path, talk: Talk) -> list[Session]:
    """Return the sessions made from a file's recorded messages (`talk`). A session without messages
    is noted in the first session. Raises BadSession if no session has messages."""
    importer = _accepting_importer(path, talk)
    found: list[Session] = []
    empty: list[BadSession] = []
    for part in importer.split(talk):
        try:
            found.append(_build_part_session(path, importer, part))
        except BadSession as error:
            empty.append(error)
    if not found:
        raise empty[0]
    notes = tuple(error.why for error in empty)
    return [replace(found[0], mended=(*notes, *found[0].mended)), *found[1:]]


def _build_part_session(path: Path, importer: Importer, talk: Talk) -> Session:
    """Return one session made from its recorded messages (`talk`), in lawful order. Raises
    BadSession if it has no messages or if most messages could not be read."""
    notes, beside = list(talk.notes), talk.about.get("model")
    told: list[TalkEvent] = [System(talk.system)] if talk.system else []
    try:
        given = [*importer.events(talk, notes)]
    except Exception as error:
        if importer.name in IMPORTERS or isinstance(error, BadSession | RecursionError):
            raise
        raise _plugin_error(path, importer, error) from error
    for one in given:
        if isinstance(one, Reply) and isinstance(beside, str):  # the model of those that name none
            one = replace(one, model=one.model or beside)
        told.append(one)
    compactions = [one for one in told if isinstance(one, ClientCompaction)]
    events, mended = mend_order(told)
    if not events:
        why = "; ".join((f"the session {talk.name} holds no messages", *notes[:1]))
        raise BadSession(path, talk.items[0].line, why)
    if (left := [note for note in (*notes, *mended) if note.endswith(LEFT_OUT)])[len(events) :]:
        raise BadSession(path, talk.items[0].line, f"most of it is no session: {left[0]}")
    facts = importer.facts(talk)
    at = {item.index: recorded_time(item.value) for item in talk.items}
    times = tuple(at.get(event.index, 0) for event in events)
    session = Session(
        talk.name,
        events,
        str(path),
        (*notes, *mended),
        tuple(placed_compactions(compactions, events, at)),
        facts.model,
        facts.usage,
        times if any(times) else (),
        importer.name,
        facts.project,
    )
    return replace(session, model=session_model(session))


def _accepting_importer(path: Path, talk: Talk) -> Importer:
    """Return the first importer that accepts the recorded messages in `talk`. Raises BadSession if
    no importer does."""
    if own := next((one for one in IMPORTERS.values() if one.accepts(talk)), None):
        return own
    plugged, known, bad = _accepting_plugin(talk)
    if plugged is not None:
        return plugged
    guess = shape_guess((item.value for item in talk.items), *known)
    why = "; ".join(["an unknown shape", guess, *map(str, bad)])
    raise BadSession(path, talk.items[0].line, why)


def _accepting_plugin(talk: Talk) -> tuple[Importer | None, list[str], list[LoomError]]:
    """Return (the plug-in that accepts the talk or None, the names of all plug-ins, the errors of
    plug-ins that failed)."""
    further, bad = load_usable_plugins(GROUP, Importer, IMPORTERS)
    for one in further.values():
        try:
            if one.accepts(talk):
                return one, [*further], bad
        except Exception as error:
            bad.append(bad_plugin_error(GROUP, one.name, f"{type(error).__name__}: {error}"))
    return None, [*further], bad


def _plugin_error(path: Path, importer: Importer, error: Exception) -> BadSession:
    """Return a BadSession that says which plug-in raised `error`."""
    why = f"the plug-in {importer.name!r} raised {type(error).__name__}: {error}"
    return BadSession(path, 0, why)
