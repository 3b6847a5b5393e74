"""A line for Claude Code's status line: how full the window of its session is.

Claude Code runs the command after each message, with JSON on stdin, and shows the first line of
what it prints; a command that fails leaves the line blank (Claude Code documentation, "Customize
your status line", 2026: `session_id`, `cwd`, `workspace.project_dir`, `context_window` with
`used_percentage`, which is null before the first answer). Nothing is written, no lock is taken.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from loom.hook.places import pages, place_of
from loom.reduce.lines import counted

MOST = 1_000_000  # bytes of what Claude Code tells
SERVED = "claude-"  # how the proxy names its sessions (loom.serve.kinds)
STEM = 40  # characters of such a name that its folder has whole


def answer() -> int:
    """Print the line for the session on stdin, and return 0 whatever comes of it."""
    try:
        given = json.loads(sys.stdin.buffer.read(MOST))
        said = line_of(given if isinstance(given, dict) else {})
    except BaseException:  # the line is not worth an error
        said = "loom"
    with suppress(BaseException):
        sys.stdout.buffer.write(f"{said}\n".encode())
        sys.stdout.flush()
    return 0


def line_of(given: dict[str, Any]) -> str:
    """The line: ρ of the session's window behind the proxy, else what the client says of its own;
    and how many pages are held."""
    served = _served(given.get("session_id"))
    if served is not None:
        with suppress(Exception):
            return _measured(served)
    parts = [f"loom ρ {share / 100:.2f}"] if (share := _used(given)) is not None else ["loom"]
    place = place_of({**given, "cwd": _folder(given)})
    if place is not None and (held := pages(place)):
        parts.append(f"{held} page{'s' * (held != 1)}")
    return " · ".join(parts)


def _folder(given: dict[str, Any]) -> str:
    """The folder the line is asked for: as it is told, else that of the command, which is the
    client's."""
    told = given.get("workspace")
    more = told if isinstance(told, dict) else {}
    folders = (given.get("cwd"), more.get("project_dir"), more.get("current_dir"))
    return next((one for one in folders if isinstance(one, str) and one), None) or str(Path.cwd())


def _served(session: object) -> Path | None:
    """The workspace of a session behind the proxy, the last used of those that are its."""
    from loom.home import home

    if not isinstance(session, str) or not session:
        return None
    start = f"{SERVED}{session}".lower()
    try:
        found = [Path(one.path) for one in os.scandir(home() / "serve")
                 if _is_of(one.name, start) and (Path(one.path) / "journal").is_dir()]  # fmt: skip
    except OSError:
        return None
    return max(found, key=lambda one: (one / "journal").stat().st_mtime_ns, default=None)


def _is_of(folder: str, start: str) -> bool:
    """True for the folder of a conversation of that name, with its owner's hash or without."""
    return folder == start or folder.startswith(f"{start[:STEM]}-")


def _measured(workspace: Path) -> str:
    from loom.session.archive.workspace import Workspace
    from loom.session.pressure import pressure_of

    held = Workspace.at_path(workspace, write=False)
    try:
        pressure = pressure_of(held.window, held.pages)
    finally:
        held.close()
    parts = [f"loom ρ {pressure.rho:.2f}", pressure.level, counted(pressure.pages, "page")]
    return " · ".join([*filter(None, parts), f"generation {pressure.generation}"])


def _used(given: dict[str, Any]) -> float | None:
    held = given.get("context_window")
    used = held.get("used_percentage") if isinstance(held, dict) else None
    return float(used) if isinstance(used, int | float) and not isinstance(used, bool) else None
