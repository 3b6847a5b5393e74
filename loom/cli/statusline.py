"""`loom statusline`: ρ in Claude Code's status line."""

from __future__ import annotations

from loom.hook.status import answer


def statusline() -> int:
    """Print a line for Claude Code's status line: how full the window is.

    It reads the JSON Claude Code gives on stdin; exit 0 whatever happens. In settings.json:

        "statusLine": {"type": "command", "command": "loom statusline"}
    """
    return answer()
