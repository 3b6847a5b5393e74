"""Where Loom keeps what it does for programs that name no folder: `loom serve`, `hook`, `mcp`;
and of which project a workspace there is.

The project is recorded once, as a real path. It is compared as it was recorded, never followed
anew: a link put in the place of a folder later makes nothing of that project another's.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path

from loom.disk import make_private_folders, open_private_file, plain_descriptor

PROJECT = "project.json"
MOST = 65_536  # bytes of that file


def home() -> Path:
    """The state folder: `$LOOM_HOME`, or `loom` in `$XDG_STATE_HOME`, or in `~/.local/state`.

    It need not be there. Raises RuntimeError where the system knows no home folder.
    """
    if given := os.environ.get("LOOM_HOME"):
        return Path(given).expanduser().absolute()
    state = Path(os.environ.get("XDG_STATE_HOME") or ".")
    if not state.is_absolute():  # as the XDG specification has it, a relative one does not count
        state = Path.home() / ".local" / "state"
    return state / "loom"


def session_folder(kind: str) -> Path:
    """The folder of one kind of session (`serve`, `hook`) in it, made for its owner alone (0700).

    Raises OSError where it cannot be made.
    """
    made = home() / kind
    make_private_folders(made)
    return made


def record_project(workspace: Path, project: str) -> None:
    """Write the project folder of a workspace into it, unless one is there. Raises OSError."""
    if project and not project_of(workspace):
        made = workspace / f"{PROJECT}.new"
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        with os.fdopen(open_private_file(made, flags), "w") as file:
            json.dump({"folder": os.path.realpath(project)}, file)
        made.replace(workspace / PROJECT)


def project_of(workspace: Path) -> str:
    """The recorded project folder of a workspace, "" where there is none that can be read."""
    with suppress(OSError, ValueError):
        with os.fdopen(plain_descriptor(workspace / PROJECT), "rb") as file:
            held = json.loads(file.read(MOST))
        folder = held.get("folder") if isinstance(held, dict) else None
        return folder if isinstance(folder, str) and Path(folder).is_absolute() else ""
    return ""


def is_in_project(folder: str, project: str) -> bool:
    """True for a real path that is the project's or below it.

    Nothing is below the root of the file system or the user's home: a server that was started
    there, as desktop programs do, is in no project, and has what was recorded for that very folder.
    """
    if not folder or not project:
        return False
    whole = project in (Path(project).anchor, os.path.realpath(Path.home()))
    return folder == project or (not whole and Path(folder).is_relative_to(project))
