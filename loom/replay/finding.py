"""Where coding agents keep their recorded sessions on this machine, listed without reading them."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import DecodeError, Struct, json
from msgspec.structs import replace

from loom.replay.importers.unreadable import BadSession

HEAD = 65_536  # bytes of a file that are read for its title
TITLE_CHARS = 60
# Tool → the variable that moves its folder, that folder below home, where sessions lie in it.
PLACES = {
    "claude-code": ("CLAUDE_CONFIG_DIR", ".claude", "projects"),
    "codex": ("CODEX_HOME", ".codex", "sessions"),
}


class FoundSession(Struct, frozen=True):
    """A session of a tool: where it is, when it was written last (s since the epoch), its bytes.

    `title` is what the user said first, "" until `titled` read it.
    """

    tool: str
    path: Path
    modified: float
    bytes: int = 0
    project: str = ""
    title: str = ""


class FoundSessions(Struct, frozen=True):
    """Sessions, the newest first, and why others cannot be read."""

    sessions: tuple[FoundSession, ...]
    unreadable: tuple[BadSession, ...] = ()


def recorded_sessions(home: Path, env: Mapping[str, str] | None = None) -> FoundSessions:
    """Return the sessions tools keep below a home folder, or where variables of `env` say."""
    env = os.environ if env is None else env
    found: list[FoundSession] = []
    for tool, (variable, below, sessions) in PLACES.items():
        found += _below(tool, Path(env.get(variable) or home / below) / sessions)
    return FoundSessions(tuple(sorted(found, key=lambda one: (-one.modified, one.path))))


def _below(tool: str, folder: Path) -> Iterator[FoundSession]:
    for at, _, names in os.walk(folder):  # links are not followed
        for path in (Path(at, name) for name in names if name.endswith(".jsonl")):
            try:
                seen = path.lstat()
            except OSError:
                continue
            if stat.S_ISREG(seen.st_mode):
                yield FoundSession(tool, path, seen.st_mtime, seen.st_size)


def titled(found: FoundSession) -> FoundSession:
    """Return a session with its title, as far as the beginning of its file tells."""
    try:
        with found.path.open("rb") as file:
            head = file.read(HEAD)
    except OSError:
        return found
    for row in head.split(b"\n"):
        try:
            said = _said(json.decode(row))
        except DecodeError:
            continue
        if said:
            return replace(found, title=" ".join(said.split())[:TITLE_CHARS])
    return found


def _said(row: Any) -> str:
    """The text of a line that is a message of the user; "" for any other."""
    message = row.get("message") or row.get("payload") if isinstance(row, dict) else None
    if not isinstance(message, dict) or message.get("role") != "user":
        return ""
    content = message.get("content")
    if isinstance(content, list):
        content = next((part.get("text") for part in content if isinstance(part, dict)), "")
    return content if isinstance(content, str) and not content.startswith("<") else ""
