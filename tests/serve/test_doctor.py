"""`loom doctor` in homes that the real clients' own commands configured."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("uvicorn")
pytest.importorskip("mcp_types")

from tests.serve.clients import installed, ran
from tests.serve.loom_program import program, searched

CLIENTS = {"claude": "Claude Code", "codex": "Codex", "opencode": "opencode"}


def doctor(home: Path) -> dict[str, dict[str, Any]]:
    """The checks, by name, as the command prints them with all clients on the PATH."""
    path = searched(home, *CLIENTS)
    run = ran(home, [program(home), "doctor", "--json"], {"PATH": path})
    assert run.code == (0 if json.loads(run.out)["ok"] else 1), run.err
    return {check["name"]: check for check in json.loads(run.out)["checks"]}


def test_every_client_before_and_after(agent_home: Path) -> None:
    """Each is found with its version; the server is absent until its command added it; the command
    that doctor names is the one that does."""
    before = doctor(agent_home)
    for client, name in CLIENTS.items():
        assert before[name]["state"] == "ok"
        assert any(sign.isdigit() for sign in before[name]["told"])
        server = before[f"{name} MCP server"]
        assert server["state"] == "absent"
        user = " -s user" if client == "claude" else ""
        assert server["run"] == f"{client} mcp add{user} loom -- loom mcp"
        words = server["run"].split()
        path = searched(agent_home, client)
        assert ran(agent_home, [installed(client), *words[1:]], {"PATH": path}).code == 0
    after = doctor(agent_home)
    for name in CLIENTS.values():
        assert after[f"{name} MCP server"]["state"] == "ok"
