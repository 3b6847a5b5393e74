"""`loom mcp` gives a coding agent access to pages over the Model Context Protocol. `loom
statusline` prints a line for Claude Code's status line."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from loom.cli.exits import FINE
from loom.cli.output import complain
from loom.errors import LoomError
from loom.home import home


def mcp(
    folder: Annotated[Path | None, Parameter(name="DIR")] = None,
    /,
    *,
    session: str = "",
    memory: Path | None = None,
) -> int:
    """Serve pages to a coding agent over stdio (MCP): page_in, recall, working.

    A client starts this command: claude mcp add loom -- loom mcp

    For Codex: codex mcp add loom -- loom mcp

    For opencode: opencode mcp add loom -- loom mcp

    Args:
        folder: A workspace, or a folder of workspaces. Of the workspaces whose project is the
            working folder or lies below it, the one used last is served. By default the folder of
            `loom serve` and `loom hook`: $LOOM_HOME, or ~/.local/state/loom.
        session: Serve this workspace and no other, whatever its project: its path below the folder,
            or the last part of that path.
        memory: A folder for notes that outlive sessions: adds the tool memory.
    """
    if find_spec("mcp_types") is None:
        raise LoomError("loom mcp needs more: pip install '.[mcp]' in a checkout of Loom")
    from loom.mcp.served_sessions import why_unserved
    from loom.mcp.server import serve

    if sys.stdin.isatty():
        complain("speaking MCP on stdin and stdout; a client starts this (claude mcp add, …)")
    root = (folder or home()).absolute()
    if not session and (told := why_unserved(root, os.path.realpath(Path.cwd()))):
        complain(told)
    serve(root, session, memory)
    return FINE


def statusline() -> int:
    """Print a line for Claude Code's status line: how full the window is.

    The command reads the JSON that Claude Code gives on stdin; the exit code is 0 whatever happens.
    In settings.json:

        "statusLine": {"type": "command", "command": "loom statusline"}
    """
    from loom.hook.status import print_status_line

    return print_status_line()
