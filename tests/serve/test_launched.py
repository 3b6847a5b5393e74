"""`loom serve -- CLIENT …`: the proxy and a client as one command; and signals of either."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

pytest.importorskip("uvicorn")
import httpx2

from tests.kit.scripted_server import said
from tests.serve.agents import CLAUDE, CODEX, Agent
from tests.serve.clients import Run, installed, ran
from tests.serve.proxies import Kept, ServedProxy, environment, missing
from tests.serve.steps import Steps, mixed, printed
from tests.serve.test_served import each, folder
from tests.serve.upstream import Answer, Upstream

KEYS = {f"{name}_API_KEY": "loopback" for name in ("ANTHROPIC", "OPENAI", "CODEX")}
CLAUDE_WORDS = ("--output-format", "json", "--dangerously-skip-permissions")
CODEX_WORDS = ("--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox")
# A provider as a user configures it who needs no address: opencode knows OpenAI's.
MODEL = {"name": "scripted", "tool_call": True, "limit": {"context": 200_000, "output": 8_000}}
OPENCODE_CONFIG = {
    "provider": {"openai": {"models": {"scripted": MODEL}}},
    "model": "openai/scripted",
    "share": "disabled",
    "autoupdate": False,
}
ENVIRONMENT: dict[str, dict[str, str]] = {
    "claude": {"IS_SANDBOX": "1", "DISABLE_AUTOUPDATER": "1"},
    "codex": {},
    "opencode": {
        "OPENCODE_CONFIG_CONTENT": json.dumps(OPENCODE_CONFIG),
        "OPENCODE_PERMISSION": json.dumps({"*": "allow"}),
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
    },
}


def words(agent: Agent, prompt: str) -> list[str | Path]:
    """A client's command line, as its user types it behind `loom serve --`."""
    if agent is CLAUDE:
        return [installed("claude"), "-p", prompt, *CLAUDE_WORDS]
    if agent is CODEX:
        return [installed("codex"), "exec", *CODEX_WORDS, "-m", "gpt-5.1-codex", prompt]
    return [installed("opencode"), "run", "--format", "json", prompt]


def launched(proxy: ServedProxy, home: Path, agent: Agent, prompt: str) -> Run:
    """Run a client by the proxy's command."""
    command = proxy.command("--port", "0", "--", *words(agent, prompt))
    path = {"PYTHONPATH": environment()["PYTHONPATH"]}
    return ran(home, command, {**KEYS, **path, **ENVIRONMENT[agent.name]})


@each
def test_client_is_started(agent_home: Path, agent: Agent) -> None:
    """Its requests go through the proxy, its output and exit code are its own, and the proxy ends
    with it."""
    home, steps = agent_home / "home", Steps(agent.lines)
    with Upstream(steps) as up:
        proxy = ServedProxy(up.url, agent_home / "ws", agent.window)
        run = launched(proxy, home, agent, "Run 5 steps of amber.")
    assert agent.well(run), run.err
    assert "loom serve: http://127.0.0.1:" in run.err
    assert up.faults == [] and mixed(steps, up.asked, {"amber": ""}) == []
    assert len([request for request in up.asked if request.tools]) == 6
    assert "page_in" in up.asked[-1].tools
    assert folder(agent, run) in [path.name for path in proxy.workspaces]
    found = [Kept(workspace) for workspace in proxy.workspaces]
    assert missing(printed(home / "work"), found) == []
    assert len(printed(home / "work")) == 5


@pytest.mark.usefixtures("agent_home")
@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
def test_signal_ends_it(tmp_path: Path, by: signal.Signals) -> None:
    """Without a client, Ctrl-C and a service manager's signal end the proxy though a reply
    streams; what it took in is on disk, and no trace is shown."""
    asked = Event()

    def slow(request: Any, n: int) -> Any:
        asked.set()
        return Answer(said("word " * 400), pause=0.5)

    body = {"model": "m", "max_tokens": 900, "stream": True}
    told = {**body, "messages": [{"role": "user", "content": "amber"}]}

    def ask(url: str) -> None:
        with httpx2.Client(trust_env=False, timeout=60) as client:
            try:
                client.post(f"{url}/v1/messages", json=told)
            except httpx2.TransportError:
                return

    with Upstream(slow) as up, ServedProxy(up.url, tmp_path / "ws") as proxy:
        thread = Thread(target=ask, args=(proxy.url,), daemon=True)
        thread.start()
        assert asked.wait(30)
        code = proxy.end(by)
        thread.join(30)
    assert code in {0, -by, 128 + by}
    assert not thread.is_alive()
    assert "Traceback" not in proxy.said
    (workspace,) = proxy.workspaces
    assert Kept(workspace).requests == 1


@pytest.mark.usefixtures("agent_home")
def test_terminating_it_ends_the_client(tmp_path: Path) -> None:
    """SIGTERM is handed on to the client, and its end is the proxy's."""
    proxy = ServedProxy("http://127.0.0.1:9", tmp_path / "ws")
    line = "trap 'exit 5' TERM; echo ready; while :; do sleep 0.05; done"
    command = proxy.command("--port", "0", "--", "sh", "-c", line)
    with subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(signal.SIGINT)  # the terminal tells the client itself
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 5


@pytest.mark.usefixtures("agent_home")
def test_background_ignores_the_terminal(tmp_path: Path) -> None:
    """A shell that starts it in the background has it ignore Ctrl-C, which is meant for another
    program: it goes on answering."""

    def ignoring() -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    proxy = ServedProxy("http://127.0.0.1:9", tmp_path / "ws")
    ignored = signal.getsignal(signal.SIGINT)
    ignoring()
    try:
        proxy.start()
    finally:
        signal.signal(signal.SIGINT, ignored)
    try:
        proxy.send(signal.SIGINT)
        with pytest.raises(subprocess.TimeoutExpired):
            proxy.wait(2)
        assert proxy.health()["open"] == 0
    finally:
        proxy.end()
