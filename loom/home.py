"""Where Loom keeps what belongs to no project: workspaces of clients that run without one."""

from __future__ import annotations

import os
from pathlib import Path


def home() -> Path:
    """The folder: LOOM_HOME, else `loom` in the user's state folder. It need not be there."""
    if given := os.environ.get("LOOM_HOME"):
        return Path(given)
    state = os.environ.get("XDG_STATE_HOME")
    return (Path(state) if state else Path.home() / ".local" / "state") / "loom"


def folder(kind: str) -> Path:
    """The folder of one kind of workspaces, made for its owner alone."""
    made = home() / kind
    made.mkdir(parents=True, exist_ok=True, mode=0o700)
    return made
