"""Whether Claude Code has Loom's MCP server, so that the model may be told of its tools."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from loom.disk import plain_descriptor

MOST = 16_000_000  # bytes of a file of settings


def has_server(cwd: object) -> bool:
    """True where a server that runs `loom mcp` is set up: for the user, for the project in `cwd`
    or the one the client tells its hooks of, or shared by it. Unreadable settings have none."""
    moved = os.environ.get("CLAUDE_CONFIG_DIR")
    works = {cwd, os.environ.get("CLAUDE_PROJECT_DIR")}
    projects = [work for work in works if isinstance(work, str) and work and "\0" not in work]
    user = _read((Path(moved) if moved else Path.home()) / ".claude.json")
    held = [_inside(user, "mcpServers")]
    held += [_inside(user, "projects", work, "mcpServers") for work in projects]
    held += [_inside(_read(Path(work, ".mcp.json")), "mcpServers") for work in projects]
    return any(_is_own(words) for servers in held for words in _commands(servers))


def _commands(servers: dict[str, object]) -> Iterator[list[str]]:
    for server in servers.values():
        if isinstance(server, dict):
            more = server.get("args")
            yield [str(server.get("command")), *map(str, more if isinstance(more, list) else ())]


def _is_own(words: list[str]) -> bool:
    """True for `loom mcp`, however it is started."""
    return any(Path(one).stem == "loom" and then == "mcp" for one, then in pairwise(words))


def _inside(held: object, *names: str) -> dict[str, object]:
    for name in names:
        held = held.get(name) if isinstance(held, dict) else None
    return held if isinstance(held, dict) else {}


def _read(path: Path) -> object:
    try:
        with os.fdopen(plain_descriptor(path), "rb") as file:
            return json.loads(file.read(MOST))
    except (OSError, ValueError, RecursionError):
        return None
