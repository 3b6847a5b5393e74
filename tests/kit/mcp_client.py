"""The MCP SDK's own client, over stdio, against `loom mcp` as a process of its own."""

from __future__ import annotations

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

REPOSITORY = Path(__file__).parents[2]
PATHS = os.pathsep.join(str(REPOSITORY / name) for name in ("", "partitions", "paging"))
COMMAND = (sys.executable, "-P", "-c", "from loom.cli import main; raise SystemExit(main())")
Value = TypeVar("Value")


def talked(
    talk: Callable[[Client], Awaitable[Value]],
    *options: str | Path,
    cwd: Path | None = None,
    **env: str,
) -> Value:
    """What a conversation with `loom mcp OPTIONS`, started in a folder, comes to."""
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


async def called(client: Client, name: str, **arguments: Any) -> tuple[str, bool]:
    """The text of a tool's answer, and whether it is an error."""
    result = await client.call_tool(name, arguments)
    return str(getattr(result.content[0], "text", "")), result.is_error


def told(ctx: loom.Context, text: str, number: int = 0) -> str:
    """Let a tool of the host's print a text; the name of the page it rests on, the last made."""
    ctx.reply(loom.Reply((loom.ToolCall(f"c{number}", "Bash", f'{{"command": "run {number}"}}'),)))
    ctx.result(f"c{number}", text)
    return [name for name in ctx._engine.workspace.pager.table if name.startswith("outputs/")][-1]
