"""The state folder of Loom: workspaces of `loom serve`, `hook` and `mcp`, which name no folder, and
the project each of these workspaces was recorded for.

The project is recorded once, as a real path, and is compared as recorded, never resolved anew: a
link put in the place of a folder later does not give the workspaces of one project to another."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path

from loom.disk import make_private_folders, open_private_file, plain_descriptor

PROJECT = "project.json"
MOST = 65_536  # bytes of that file


def home() -> Path:
    """Return the state folder: `$LOOM_HOME`, or `loom` in `$XDG_STATE_HOME`, or in
    `~/.local/state`. The folder need not exist. Raises RuntimeError without a home folder."""
    if given := os.environ.get("LOOM_HOME"):
        return Path(given).expanduser().absolute()
    state = Path(os.environ.get("XDG_STATE_HOME") or ".")
    if not state.is_absolute():  # as the XDG specification has it, a relative one does not count
        state = Path.home() / ".local" / "state"
    return state / "loom"


def session_folder(kind: str) -> Path:
    """Return the folder in the state folder for one `kind` of session ("serve", "hook"); create it
    for its owner alone (0700). Raises OSError where it cannot be created."""
    made = home() / kind
    make_private_folders(made)
    return made


def record_project(workspace: Path, project: str) -> None:
    """Write the project folder of a workspace into the workspace, unless one is recorded there.
    Does nothing for a `project` of "". Raises OSError."""
    if project and not project_of(workspace):
        made = workspace / f"{PROJECT}.new"
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        with os.fdopen(open_private_file(made, flags), "w") as file:
            json.dump({"folder": os.path.realpath(project)}, file)
        made.replace(workspace / PROJECT)


def project_of(workspace: Path) -> str:
    """Return a workspace's recorded project folder, an absolute path; "" where unreadable."""
    with suppress(OSError, ValueError):
        with os.fdopen(plain_descriptor(workspace / PROJECT), "rb") as file:
            held = json.loads(file.read(MOST))
        folder = held.get("folder") if isinstance(held, dict) else None
        return folder if isinstance(folder, str) and Path(folder).is_absolute() else ""
    return ""


def is_in_project(folder: str, project: str) -> bool:
    """Return True when `folder`, a real path, is the folder of the project or lies below it.

    Nothing counts as below the root of the file system or the user's home: a server started there,
    as desktop programs do, is in no project and serves only what was recorded for that very folder.
    """
    if not folder or not project:
        return False
    whole = project in (Path(project).anchor, os.path.realpath(Path.home()))
    return folder == project or (not whole and Path(folder).is_relative_to(project))
