"""What to do after a demo: three commands, each with what it shows."""

from __future__ import annotations

import shlex
from pathlib import Path

from msgspec import Struct

KEPT = Path("loom-demo")  # what the command that keeps a workspace calls it
EMBED = "python -c 'import loom; help(loom.open)'"


class NextCommand(Struct, frozen=True):
    """A command line for a shell, and what it is for."""

    command: str
    about: str


def next_commands(kept: Path | None) -> tuple[NextCommand, ...]:
    """The commands after a demo whose workspace is kept in a folder, or nowhere (None)."""
    show = f"loom show {shlex.quote(str(kept or KEPT))}"
    if kept is None:
        show = f"loom demo --out {KEPT} && {show}"
    return (
        NextCommand(show, "look at the last request it sent"),
        NextCommand("loom replay ~/.claude/projects", "see the same with your own sessions"),
        NextCommand(EMBED, "put it into your own agent; the README has a loop to copy"),
    )
