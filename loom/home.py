"""Loom's state folder. It has the workspaces of `loom serve`, `hook` and `mcp`, and records for
each one the project it belongs to.

The project is recorded once, as a path without links, and this path is compared. So a link that
later replaces a folder does not give one project's workspaces to another."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path

from loom.disk import make_private_folders, open_private_file, plain_descriptor

PROJECT = "project.json"
MOST = 65_536  # bytes of that file


def home() -> Path:
    """Return the state folder: `$LOOM_HOME`, else `loom` in `$XDG_STATE_HOME`, else
    `~/.local/state/loom`. It may not exist yet. Raises RuntimeError if there is no home folder."""
    if given := os.environ.get("LOOM_HOME"):
        return Path(given).expanduser().absolute()
    state = Path(os.environ.get("XDG_STATE_HOME") or ".")
    if not state.is_absolute():  # as the XDG specification has it, a relative one does not count
        state = Path.home() / ".local" / "state"
    return state / "loom"


def session_folder(kind: str) -> Path:
    """Return the folder for a `kind` of session, such as "serve" or "hook". A new folder is made
    with access for its owner only. Raises OSError."""
    made = home() / kind
    make_private_folders(made)
    return made


def record_project(workspace: Path, project: str) -> None:
    """Record the project folder in the workspace. Do nothing if a project is recorded already or
    `project` is "". Raises OSError."""
    if project and not project_of(workspace):
        made = workspace / f"{PROJECT}.new"
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        with os.fdopen(open_private_file(made, flags), "w") as file:
            json.dump({"folder": os.path.realpath(project)}, file)
        made.replace(workspace / PROJECT)


def project_of(workspace: Path) -> str:
    """Return the recorded project folder of a workspace as an absolute path, "" if none can be
    read."""
    with suppress(OSError, ValueError):
        with os.fdopen(plain_descriptor(workspace / PROJECT), "rb") as file:
            held = json.loads(file.read(MOST))
        folder = held.get("folder") if isinstance(held, dict) else None
        return folder if isinstance(folder, str) and Path(folder).is_absolute() else ""
    return ""


def is_in_project(folder: str, project: str) -> bool:
    """Return True if `folder`, a path without links, is the project's folder or is below it. If the
    project is the root folder or the user's home, folders below it do not count."""
    if not folder or not project:
        return False
    # A server that a desktop program starts in such a folder serves only what was recorded for it.
    whole = project in (Path(project).anchor, os.path.realpath(Path.home()))
    return folder == project or (not whole and Path(folder).is_relative_to(project))
