"""A line for Claude Code's status line: how full the window of its session is.

Claude Code runs the command after each message, with JSON on stdin, and shows the first line of its
output. If the command fails, the line stays blank. (Claude Code documentation, "Customize your
status line", 2026: `session_id`, `cwd`, `workspace.project_dir`, and `context_window` with
`used_percentage`, which is null before the first answer.) Nothing is written, no lock is taken."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from loom.hook.places import count_pages, session_workspace
from loom.reduce.lines import plural

MOST = 1_000_000  # bytes of what Claude Code tells
SERVED = "claude-"  # how the proxy names its sessions (loom.serve.kinds)
STEM = 40  # characters of such a name that its folder has whole


def print_status_line() -> int:
    """Print the status line for the session whose JSON is on stdin. Return 0 whatever happens."""
    try:
        given = json.loads(sys.stdin.buffer.read(MOST))
        said = status_line(given if isinstance(given, dict) else {})
    except BaseException:  # the line is not worth an error
        said = "loom"
    with suppress(BaseException):
        sys.stdout.buffer.write(f"{said}\n".encode())
        sys.stdout.flush()
    return 0


def status_line(given: dict[str, Any]) -> str:
    """Return the line for a session: ρ of its window (from the proxy, else from the client) and the
    number of its pages. `given` is the JSON from the client."""
    with suppress(Exception):
        if (served := _served_workspace(given.get("session_id"))) is not None:
            return _measured_line(served)
    of_window = given.get("context_window")
    used = of_window.get("used_percentage") if isinstance(of_window, dict) else None
    parts = ["loom"]
    if isinstance(used, int | float) and not isinstance(used, bool):
        parts = [f"loom ρ {used / 100:.2f}"]
    # The folder as it is told, else that of the command, which is the client's.
    told = given.get("workspace")
    more = told if isinstance(told, dict) else {}
    folders = (given.get("cwd"), more.get("project_dir"), more.get("current_dir"))
    cwd = next((one for one in folders if isinstance(one, str) and one), None) or str(Path.cwd())
    place = session_workspace({**given, "cwd": cwd})
    if place is not None and (held := count_pages(place)):
        parts.append(plural(held, "page"))
    return " · ".join(parts)


def _served_workspace(session: object) -> Path | None:
    """Return the folder in which the proxy keeps a session (the last used if there are several), or
    None."""
    from loom.home import home

    if not isinstance(session, str) or not session:
        return None
    start = f"{SERVED}{session}".lower()
    journals = (
        one / "journal"
        for one in (home() / "serve").iterdir()
        if one.name == start or one.name.startswith(f"{start[:STEM]}-")
    )
    held = filter(Path.is_dir, journals)
    last = max(held, key=lambda one: one.stat().st_mtime_ns, default=None)
    return last.parent if last is not None else None


def _measured_line(workspace: Path) -> str:
    """Return the line for a workspace of the proxy, with ρ read from its journal."""
    from loom.session.archive.workspace import Workspace
    from loom.session.pressure import pressure_of

    held = Workspace.at_path(workspace, write=False)
    try:
        pressure = pressure_of(held.window, held.pages)
    finally:
        held.close()
    parts = [f"loom ρ {pressure.rho:.2f}", pressure.level, plural(pressure.pages, "page")]
    return " · ".join([*filter(None, parts), f"generation {pressure.generation}"])
