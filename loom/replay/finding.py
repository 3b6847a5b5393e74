"""Lists the sessions that coding agents keep on this machine, without reading them.

    found = recorded_sessions(Path.home())
    newest = with_title(found.sessions[0])
    sessions = load(newest.path)

`recorded_sessions` reads no session file, only names, sizes and times. `with_title` reads the first
lines of one file."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from stat import S_ISDIR, S_ISLNK, S_ISREG
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from loom.errors import BadSession
from loom.providers.formats.wire import content_parts, content_text
from loom.replay.importers.containers import database_sessions
from loom.replay.importers.recorded_facts import object_at
from loom.replay.importers.rows import file_head, unreadable_error
from loom.text import clip_text

HEAD = 1 << 18  # bytes of a file that are read for its title: instructions may stand before it
TITLE = 60  # characters
# What a client puts before the user's own words begins so.
_TEXTS = ("text", "input_text")
_INJECTED = ("<", "# AGENTS.md", "Caveat:")


class FoundSession(Struct, frozen=True):
    """A session that was found on this machine. `tool` is the agent that wrote it, such as "codex".

    Pass `path` to `load` to read the session. `modified` is the time of the last change in seconds
    since the epoch. `bytes` is the size of the file, 0 for a session in a shared database.
    `project` is the folder the agent worked in, `title` the beginning of the user's first message.
    An unknown project or title is "" until `with_title` fills it in."""

    tool: str
    path: Path
    modified: float
    bytes: int = 0
    project: str = ""
    title: str = ""


class FoundSessions(Struct, frozen=True):
    """The found sessions, newest first, and an error for each session that cannot be read."""

    sessions: tuple[FoundSession, ...]
    unreadable: tuple[BadSession, ...] = ()


# Where a tool keeps sessions: below the folder a variable names, or else one below home.
OPENCODE = "opencode"
PLACES = (
    ("claude-code", "CLAUDE_CONFIG_DIR", ".claude", "projects"),
    ("codex", "CODEX_HOME", ".codex", "sessions"),
    (OPENCODE, "XDG_DATA_HOME", ".local/share", "opencode/opencode.db"),
)
LINK, CLOSED = "a link: it is not followed", "cannot be read: no plain file, or no permission"


def recorded_sessions(home: Path, env: Mapping[str, str] | None = None) -> FoundSessions:
    """Return the sessions that Claude Code, Codex and opencode keep on this machine, newest first.
    Sessions that cannot be read are listed under `unreadable`; no error is raised.

    `env` holds environment variables that name other session folders (default: `os.environ`)."""
    env = os.environ if env is None else env
    bad: list[BadSession] = []
    found: list[FoundSession] = []
    for tool, variable, default, below in PLACES:
        place = Path(env.get(variable) or home / default, below)
        if os.path.lexists(place):
            found += (_database_sessions if tool == OPENCODE else _session_files)(tool, place, bad)
    found.sort(key=lambda one: (-one.modified, one.path))
    return FoundSessions(tuple(found), tuple(bad))


def with_title(found: FoundSession) -> FoundSession:
    """Return a copy of `found` with the title and project that the beginning of its file holds."""
    title, project = found.title, found.project
    for value in _head_objects(found.path) if found.tool != OPENCODE else ():
        inner = object_at(value, "payload") or value
        told = inner.get("cwd")
        project = project or (told if isinstance(told, str) else "")
        title = title or _typed_text(value, inner)
        if title and project:
            break
    return replace(found, title=title, project=project)


def _session_files(tool: str, folder: Path, bad: list[BadSession]) -> Iterator[FoundSession]:
    """Yield the `.jsonl` session files of `tool` below a folder. Errors of reading go to `bad`."""

    def refuse(error: OSError) -> None:
        bad.append(unreadable_error(Path(error.filename), error))

    for at, folders, files in os.walk(folder, onerror=refuse):
        for path in (Path(at, name) for name in (*folders, *files)):
            try:
                told = path.lstat()
            except OSError as error:
                refuse(error)
                continue
            if S_ISLNK(told.st_mode):
                bad.append(BadSession(path, 0, LINK))
            elif path.suffix == ".jsonl" and not S_ISDIR(told.st_mode):
                if S_ISREG(told.st_mode) and os.access(path, os.R_OK):
                    yield FoundSession(tool, path, told.st_mtime, told.st_size)
                else:
                    bad.append(BadSession(path, 0, CLOSED))


def _database_sessions(tool: str, path: Path, bad: list[BadSession]) -> Iterator[FoundSession]:
    """Yield the sessions in a tool's database. An error of reading goes to `bad`."""
    try:
        if path.is_symlink():
            raise BadSession(path, 0, LINK)
        for id, project, title, changed in database_sessions(path):
            yield FoundSession(tool, path / id, changed, 0, project, _cut_title(title))
    except BadSession as error:
        bad.append(error)


def _head_objects(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects in the first HEAD bytes of a file of JSON lines."""
    for line in file_head(path, HEAD).split(b"\n"):
        with suppress(ValueError, RecursionError):
            value = json.loads(line)
            if isinstance(value, dict):
                yield value


def _typed_text(value: dict[str, Any], inner: dict[str, Any]) -> str:
    """Return the user's message on a line of a session file, shortened to a title, "" for other
    lines. `value` is the line's object. `inner` is the object's "payload", or `value` itself."""
    message = object_at(value, "message") or inner
    if message.get("role") != "user" or value.get("isMeta"):
        return ""
    text = content_text(
        [one for one in content_parts(message.get("content")) if one.get("type") in _TEXTS]
    )
    text = text.strip()
    return "" if text.startswith(_INJECTED) else _cut_title(text)


def _cut_title(text: str) -> str:
    return clip_text(" ".join(text[: 10 * TITLE].split()), TITLE)
