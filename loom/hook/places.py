"""Where the workspace and the pages of a hook's session are."""

from __future__ import annotations

import json
import os
import re
from hashlib import sha256
from pathlib import Path
from typing import Any

OUTPUTS, JOURNAL = "outputs", "journal"
# The tools of Loom's own MCP server bring pages back: they pass as they are.
BRINGS_BACK = ("page_in", "recall")
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")


def _hook_home() -> Path:
    """Return the folder of the workspaces of hooks, which may not exist yet."""
    from loom.home import home  # late: most results are small, and nobody asks

    return home() / "hook"


def session_workspace(given: dict[str, Any]) -> Path | None:
    """Return the workspace folder, which may not exist yet, for an event's session, or None for an
    event without a session id. If the session's workspace belongs to another project, return a
    second folder, for this project."""
    session = given.get("session_id")
    if not isinstance(session, str) or not session:
        return None
    # A hash, so that no session id leads to a folder elsewhere.
    if not _PLAIN.fullmatch(session):
        session = sha256(session.encode("utf-8", "surrogatepass")).hexdigest()[:40]
    place, project = _hook_home() / session, project_in(given)
    while (place / JOURNAL).is_dir() and not is_recorded_for(place, project):
        tag = sha256(project.encode("utf-8", "surrogatepass")).hexdigest()[:12]
        place = place.with_name(f"{place.name}-{tag}")
    return place


def project_in(given: dict[str, Any]) -> str:
    """Return the real path of the project that an event comes from, "" if the event names none. The
    variable CLAUDE_PROJECT_DIR has priority, since the event's own folder changes with `cd`."""
    for folder in (os.environ.get("CLAUDE_PROJECT_DIR"), given.get("cwd")):
        if isinstance(folder, str) and Path(folder).is_absolute() and "\0" not in folder:
            return os.path.realpath(folder)
    return ""


def is_recorded_for(place: Path, project: str) -> bool:
    """Return True if the workspace in `place` belongs to `project` or to a folder above it."""
    from loom.home import is_in_project, project_of

    recorded = project_of(place)
    return recorded == project or is_in_project(project, recorded)


def count_pages(place: Path) -> int:
    """Return the number of pages with results in a workspace, or 0 if the workspace cannot be
    read."""
    try:
        return sum(not page.name.startswith("digest_") for page in (place / OUTPUTS).iterdir())
    except OSError:
        return 0


def pages_line(place: Path | None) -> str:
    """Return the line that tells the model where the pages of the workspace `place` are, or ""."""
    count = count_pages(place) if place is not None else 0
    if place is None or not count:
        return ""
    held = f"{count} results" if count > 1 else "one result"
    return (
        f"[Loom, a hook of this session, holds {held} of this session whole, as files in"
        f" {place / OUTPUTS}: read them with Read (offset, limit), or search them with grep.]"
    )


def is_page_read(tool: str, asked: dict[str, Any], cwd: object) -> bool:
    """Return True if a tool call, with the input `asked`, reads a page of Loom. The result of such
    a call must not be shortened again."""
    if tool.startswith("mcp__") and tool.rpartition("__")[2] in BRINGS_BACK:
        return True
    own = _hook_home()
    names = {str(own), os.path.realpath(own)}
    user = str(Path.home())
    names |= {f"{short}{name[len(user):]}" for name in names if name.startswith(user + os.sep)
              for short in ("~", "$HOME", "${HOME}")}  # fmt: skip
    said = json.dumps(asked, ensure_ascii=False)
    within = isinstance(cwd, str) and any(cwd.startswith(name) for name in names)
    return within or any(json.dumps(name, ensure_ascii=False)[1:-1] in said for name in names)
