"""Where Loom keeps what it does for programs that name no folder: `loom serve`, `hook`, `mcp`."""

from __future__ import annotations

import os
from pathlib import Path

from loom.disk import private_folders


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


def folder(kind: str) -> Path:
    """The folder of one kind of session (`serve`, `hook`) in it, made for its owner alone (0700).

    Raises OSError where it cannot be made.
    """
    made = home() / kind
    private_folders(made)
    return made
