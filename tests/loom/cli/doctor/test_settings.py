"""Settings of clients are read in the shapes those write, and any other shape says nothing."""

from __future__ import annotations

import json
from pathlib import Path

from loom.cli.doctor.settings import AGENTS, read_settings
from tests.kit.cases import all_cases

HOOK = {"PostToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "loom hook"}]}]}
CLAUDE, CODEX, OPENCODE = AGENTS
FILES = (
    ".claude.json", ".claude/settings.json", ".codex/config.toml",
    ".config/opencode/opencode.json", ".config/opencode/opencode.jsonc",
    "work/.mcp.json", "work/.claude/settings.local.json", "work/opencode.json",
)  # fmt: skip


def put(home: Path, name: str, held: object) -> None:
    """A file below a home, of JSON unless it is a text."""
    path = home / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(held if isinstance(held, str) else json.dumps(held), "utf-8")


def test_claude_code(tmp_path: Path) -> None:
    """Three scopes of servers, the environment and hooks of user and project."""
    work, server = tmp_path / "work", {"type": "stdio", "command": "loom", "args": ["mcp"]}
    projects = {str(work): {"mcpServers": {"a": server}}, "/other": {"mcpServers": {"x": server}}}
    put(tmp_path, ".claude.json", {"mcpServers": {"b": server}, "projects": projects})
    put(tmp_path, "work/.mcp.json", {"mcpServers": {"c": {**server, "args": ["mcp", "DIR"]}}})
    put(tmp_path, ".claude/settings.json", {"env": {"ANTHROPIC_BASE_URL": "http://a"}})
    put(tmp_path, "work/.claude/settings.local.json", {"hooks": HOOK})
    found = read_settings(CLAUDE, tmp_path, work, {"ANTHROPIC_BASE_URL": "http://b"})
    assert [words for words, _ in found.servers] == [("loom", "mcp")] * 2 + [("loom", "mcp", "DIR")]
    assert [url for url, _ in found.urls] == ["http://b", "http://a"]
    assert [words for words, _ in found.hooks] == [("loom", "hook")]
    assert not found.broken and found.files == 4


def test_codex(tmp_path: Path) -> None:
    """The provider in use, and servers that are not switched off."""
    config = (
        'model_provider = "p"\n[model_providers.p]\nbase_url = "http://p"\n'
        '[model_providers.q]\nbase_url = "http://q"\n'
        '[mcp_servers.loom]\ncommand = "/opt/loom"\nargs = ["mcp"]\n'
        '[mcp_servers.off]\ncommand = "loom"\nargs = ["mcp"]\nenabled = false\n'
        '[mcp_servers.web]\nurl = "http://x"\n'
    )
    put(tmp_path, ".codex/config.toml", config)
    found = read_settings(CODEX, tmp_path, tmp_path / "work", {})
    assert [url for url, _ in found.urls] == ["http://p"]
    assert [words for words, _ in found.servers] == [("/opt/loom", "mcp")]


def test_opencode(tmp_path: Path) -> None:
    """JSON with comments and trailing commas; every provider's address."""
    held = """{ // of the user
      "$schema": "https://opencode.ai/config.json", /* a "quoted" word */
      "provider": {"p": {"options": {"baseURL": "http://127.0.0.1:8377/v1",}, }, },
      "mcp": {"loom": {"type": "local", "command": ["loom", "mcp"], },
              "off": {"type": "local", "command": ["loom", "mcp"], "enabled": false}},
    }"""
    put(tmp_path, ".config/opencode/opencode.jsonc", held)
    found = read_settings(OPENCODE, tmp_path, tmp_path / "work", {})
    assert [url for url, _ in found.urls] == ["http://127.0.0.1:8377/v1"]
    assert [words for words, _ in found.servers] == [("loom", "mcp")]
    assert not found.broken


@all_cases("held", ["{", "\x00", "[1", "a = = b", "[" * 100_000])
def test_a_broken_file_is_told_of(tmp_path: Path, held: str) -> None:
    """By its name, and the others are read all the same."""
    for name in FILES:
        put(tmp_path, name, held)
    for agent in AGENTS:
        found = read_settings(agent, tmp_path, tmp_path / "work", {})
        assert found.broken and not found.servers
        assert all(str(tmp_path) in where for _, where in found.broken)
