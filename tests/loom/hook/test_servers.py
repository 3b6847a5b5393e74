"""Whether Loom's MCP server is set up, and what the model is told then."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from loom.hook.sessions import has_server
from tests.kit.hook_events import LOG

LOOM: dict[str, Any] = {"command": "/opt/bin/loom", "args": ["mcp"]}
OTHER: dict[str, Any] = {"command": "npx", "args": ["loom-of-others", "mcp"]}


@pytest.fixture
def user(place: Path, tmp_path: Path) -> Path:
    """The user's file of settings that has the servers."""
    (tmp_path / "home").mkdir()
    return tmp_path / "home" / ".claude.json"


def test_none_is_set_up(user: Path) -> None:
    """Without settings, with others' servers, and with settings of any shape."""
    assert not has_server("/w")
    shapes: list[Any] = [
        {"mcpServers": {"a": OTHER}},
        {"mcpServers": [LOOM]},
        [],
        7,
        {"projects": 1},
    ]
    shapes += [{"mcpServers": {"loom": {"command": ["loom"], "args": "mcp"}, "b": None}}]
    for shape in shapes:
        user.write_text(json.dumps(shape))
        assert not has_server("/w") and not has_server(None) and not has_server("a\0b")
    user.write_text("{")
    assert not has_server("/w")


def test_of_the_user_of_the_project_and_shared(user: Path, tmp_path: Path) -> None:
    """Each place where the client keeps servers counts, a project's for that project alone."""
    user.write_text(json.dumps({"mcpServers": {"a": OTHER, "pages": LOOM}}))
    assert has_server("/w")
    user.write_text(json.dumps({"projects": {"/w": {"mcpServers": {"pages": LOOM}}}}))
    assert has_server("/w") and not has_server("/v")
    uvx = {"command": "uvx", "args": ["--from", "loom-window", "loom", "mcp"]}
    (tmp_path / ".mcp.json").write_text(json.dumps({"mcpServers": {"loom": uvx}}))
    assert has_server(str(tmp_path))


def test_the_project_the_client_names(user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command may have left its folder; the client tells its hooks which project it is."""
    user.write_text(json.dumps({"projects": {"/w": {"mcpServers": {"pages": LOOM}}}}))
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", "/w")
    assert has_server("/elsewhere")


def test_its_tool_is_named_where_it_is(user: Path, bash: Callable[..., Any]) -> None:
    """The short form tells how the page comes back by it, and else says no word of it."""
    assert "page_in" not in bash(LOG)["stdout"]
    user.write_text(json.dumps({"mcpServers": {"pages": LOOM}}))
    assert 'page_in(ref="shell_0001", session="s1")' in bash(LOG)["stdout"]
