"""`loom doctor` in homes with settings, programs, ports and workspaces that are really there."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from loom.cli import main
from tests.kit.opened import plain

Doctor = Callable[..., tuple[int, dict[str, dict[str, Any]]]]


@pytest.fixture
def doctor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Doctor:
    """The command in a home of its own, with a program `claude` that tells a version."""
    (tmp_path / "bin").mkdir()
    program(tmp_path / "bin" / "claude", "echo 9.8.7")
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    for name in ("LOOM_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "CODEX_HOME",
                 "CLAUDE_CONFIG_DIR", "OPENCODE_CONFIG", "ANTHROPIC_BASE_URL",
                 "OPENAI_BASE_URL"):  # fmt: skip
        monkeypatch.delenv(name, raising=False)

    def run(*options: str) -> tuple[int, dict[str, dict[str, Any]]]:
        code = main(["doctor", "--json", *options])
        found = json.loads(capsys.readouterr().out)
        assert code == (0 if found["ok"] else 1)
        return code, {check["name"]: check for check in found["checks"]}

    return run


def program(path: Path, script: str) -> None:
    """A program of the shell."""
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


class AnyServer(BaseHTTPRequestHandler):
    """Answers with a status and a body, whatever is asked."""

    said: tuple[int, bytes] = (200, b"")

    def do_GET(self) -> None:
        """Answer."""
        self.send_response(self.said[0])
        self.end_headers()
        self.wfile.write(self.said[1])

    def log_message(self, *told: object) -> None:
        """Say nothing."""


LOOM = (200, b'{"loom": "1.0", "window": 64000, "open": 0, "requests": {}}')


@pytest.fixture(params=[LOOM, (404, b""), (200, b'{"data": []}'), (200, b"<html>")])
def server(request: pytest.FixtureRequest) -> Iterator[tuple[int, bool]]:
    """A server on a free port, a proxy of Loom or another: (port, whether it is one)."""
    made = HTTPServer(("127.0.0.1", 0), type("Other", (AnyServer,), {"said": request.param}))
    thread = threading.Thread(target=made.serve_forever, daemon=True)
    thread.start()
    yield made.server_port, request.param == LOOM
    made.shutdown()
    made.server_close()
    thread.join()


def closed() -> str:
    """A port nobody listens at."""
    made = HTTPServer(("127.0.0.1", 0), AnyServer)
    made.server_close()
    return str(made.server_port)


def test_all_is_set_up(doctor: Doctor, tmp_path: Path, server: tuple[int, bool]) -> None:
    """Proxy, hook and server are found where they stand; a server that is not Loom's is told."""
    port, loom = server
    program(tmp_path / "bin" / "loom", "true")
    hook = {"PostToolUse": [{"hooks": [{"type": "command", "command": "loom hook"}]}]}
    settings = {"env": {"ANTHROPIC_BASE_URL": f"http://127.0.0.1:{port}"}, "hooks": hook}
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "settings.json").write_text(json.dumps(settings))
    servers = {"mcpServers": {"loom": {"command": "loom", "args": ["mcp"]}}}
    (tmp_path / ".claude.json").write_text(json.dumps(servers))
    code, found = doctor("--port", str(port))
    assert found["Claude Code hook"]["state"] == found["Claude Code MCP server"]["state"] == "ok"
    assert found["Claude Code proxy"]["state"] == ("ok" if loom else "absent")
    assert found["Proxy"]["state"] == ("ok" if loom else "fault")
    assert code == (0 if loom else 1)


def test_what_is_set_up_and_does_not_work(doctor: Doctor, tmp_path: Path) -> None:
    """A proxy that does not answer, a program that is not there, a broken file, a failing client:
    faults, each with what to do."""
    port = closed()
    program(tmp_path / "bin" / "claude", "exit 3")
    (tmp_path / ".claude").mkdir()
    settings = {"env": {"ANTHROPIC_BASE_URL": f"http://localhost:{port}"}}
    (tmp_path / ".claude" / "settings.json").write_text(json.dumps(settings))
    servers = {"mcpServers": {"loom": {"command": "/gone/loom", "args": ["mcp"]}}}
    (tmp_path / ".claude.json").write_text(json.dumps(servers))
    (tmp_path / ".codex").mkdir()
    (tmp_path / ".codex" / "config.toml").write_text("= =")
    code, found = doctor("--port", port)
    faults = {name for name, one in found.items() if one["state"] == "fault"}
    assert faults == {"Claude Code proxy", "Claude Code MCP server", "Codex settings"}
    assert code == 1 and all(found[name]["todo"] for name in faults)
    assert "exit code 3" in found["Claude Code"]["told"]


@pytest.mark.parametrize("variable", ["ANTHROPIC_BASE_URL", "OPENAI_BASE_URL"])
def test_an_address_at_which_nothing_answers(
    doctor: Doctor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    """Whatever its port, the client that asks there cannot work: a fault, and what to do. One of
    several providers may rest."""
    (tmp_path / ".codex").mkdir()
    (tmp_path / ".codex" / "config.toml").write_text("")
    dead = closed()
    monkeypatch.setenv(variable, f"http://127.0.0.1:{dead}/v1")
    resting = {"provider": {"local": {"options": {"baseURL": f"http://localhost:{dead}/v1"}}}}
    (tmp_path / "work" / "opencode.json").write_text(json.dumps(resting))
    code, found = doctor("--port", closed())
    name = {"ANTHROPIC_BASE_URL": "Claude Code proxy", "OPENAI_BASE_URL": "Codex proxy"}[variable]
    assert code == 1 and {one for one, it in found.items() if it["state"] == "fault"} == {name}
    assert f"unset {variable}" in found[name]["todo"]
    assert found[name]["run"].endswith(f"serve --port {dead}")


def test_the_state_folder(doctor: Doctor, tmp_path: Path) -> None:
    """Where it is open to others, that is a fault."""
    state = tmp_path / ".local" / "state" / "loom"
    plain(state / "hook" / "a", window=8_192).close()
    for each in (state, *state.parents[:2]):
        each.chmod(0o700)
    code, found = doctor("--port", closed())
    assert code == 0
    assert found["State folder"]["state"] == "ok"
    state.chmod(0o777)
    code, found = doctor("--port", closed())
    assert code == 1
    assert found["State folder"]["state"] == "fault"
