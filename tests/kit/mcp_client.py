"""The MCP SDK's own client against `loom mcp`, in this process or over stdio in one of its own."""

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

import loom

pytest.importorskip("mcp_types")
from mcp import Client, StdioServerParameters

from loom.mcp.server import WorkspaceTools, make_server

REPOSITORY = Path(__file__).parents[2]
PATHS = os.pathsep.join(str(REPOSITORY / name) for name in ("", "partitions", "paging"))
COMMAND = (sys.executable, "-P", "-c", "from loom.cli import main; raise SystemExit(main())")
Value = TypeVar("Value")


def talked(
    talk: Callable[[Client], Awaitable[Value]],
    *options: str | Path,
    cwd: Path | None = None,
    apart: bool = False,
    **env: str,
) -> Value:
    """What a conversation with `loom mcp OPTIONS`, started in a folder, comes to.

    The server answers in this process, unless it is to be `apart` or has an environment.
    """
    if not (apart or env) and options:
        return _beside(talk, *options, cwd=cwd)
    process = StdioServerParameters(
        command=COMMAND[0],
        args=[*COMMAND[1:], "mcp", *map(str, options)],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": PATHS, **env},
        cwd=cwd,
    )

    async def run() -> Value:
        async with Client(process) as client:
            return await talk(client)

    return asyncio.run(run())


def _beside(
    talk: Callable[[Client], Awaitable[Value]],
    root: str | Path,
    *options: str | Path,
    cwd: Path | None,
) -> Value:
    given = dict(zip(options[::2], options[1::2], strict=True))
    memory = Path(given["--memory"]) if "--memory" in given else None
    project = str((cwd or Path.cwd()).resolve())
    held = WorkspaceTools(Path(root).absolute(), str(given.get("--session", "")), memory, project)

    async def run() -> Value:
        async with Client(make_server(held)) as client:
            return await talk(client)

    try:
        return asyncio.run(run())
    finally:
        held.fresh.close()


async def called(client: Client, name: str, **arguments: Any) -> tuple[str, bool]:
    """The text of a tool's answer, and whether it is an error."""
    result = await client.call_tool(name, arguments)
    return str(getattr(result.content[0], "text", "")), result.is_error


def told(ctx: loom.Context, text: str, number: int = 0) -> str:
    """Let a tool of the host's print a text; the name of the page it rests on, the last made."""
    ctx.reply(loom.Reply((loom.ToolCall(f"c{number}", "Bash", f'{{"command": "run {number}"}}'),)))
    ctx.result(f"c{number}", text)
    return [name for name in ctx._engine.workspace.pager.table if name.startswith("outputs/")][-1]
