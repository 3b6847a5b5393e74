"""Coding agents as their users run them: installed from npm, without a terminal, at one base URL.

Each has a HOME of its own and no other network: proxies of the environment lead to a closed port,
and only the loopback is exempt. Their packages rest in `LOOM_CLIENTS`, or in a folder of the
system's temporary one; they take 1 GB there. What a run leaves running is killed when it ends.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import gettempdir
from typing import Any, NamedTuple

from filelock import FileLock

FOLDER = Path(os.environ.get("LOOM_CLIENTS") or Path(gettempdir(), "loom-clients"))
# Versions the tests know; of Claude Code the last that npm has for Node 20.
PACKAGES = {
    "claude": "@anthropic-ai/claude-code@2.1.197",
    "codex": "@openai/codex@0.169.0",
    "opencode": "opencode-ai@1.18.33",
}
TIMEOUT = 240  # seconds for one run; the first of opencode sets up its database
CLOSED = "http://127.0.0.1:9"


class Run(NamedTuple):
    """What a client printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[dict[str, Any]]:
        """The lines of its output that are JSON objects."""
        return [json.loads(line) for line in self.out.splitlines() if line.startswith("{")]


def installed(name: str) -> Path:
    """The client's executable, installed on first use. Raises RuntimeError with what npm said."""
    folder = FOLDER / PACKAGES[name].replace("/", "_")
    path = folder / "node_modules" / ".bin" / name
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / "lock"):
        if not (folder / "done").exists():
            command = ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(folder)]
            command.append(PACKAGES[name])
            done = subprocess.run(command, capture_output=True, text=True, timeout=600)
            if done.returncode or not path.exists():
                raise RuntimeError(f"npm did not install {name}: {done.stderr or done.stdout}")
            (folder / "done").touch()
    return path


def ran(home: Path, command: Sequence[str | Path], env: Mapping[str, str]) -> Run:
    """Run a command in the folder `work` of a home. Raises TimeoutExpired after TIMEOUT."""
    work = home / "work"
    work.mkdir(parents=True, exist_ok=True)
    process = subprocess.Popen(
        command,
        cwd=work,
        env=_environment(home, env),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with process:
        try:
            out, err = process.communicate(timeout=TIMEOUT)
        finally:
            for left in {process.pid, *_left(home)} if process.poll() is None else _left(home):
                _kill(left)
    return Run(process.returncode, out, err)


def _environment(home: Path, more: Mapping[str, str]) -> dict[str, str]:
    """No variable of ours beside the PATH: keys, proxies and settings of the host stay outside."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "TERM": "dumb",
        "HTTP_PROXY": CLOSED,
        "HTTPS_PROXY": CLOSED,
        "NO_PROXY": "127.0.0.1,localhost",
        **more,
    }


def _left(home: Path) -> Iterator[int]:
    """Processes whose HOME is this one, where the system tells: agents start some detached."""
    mark = f"HOME={home}".encode()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            held = (folder / "environ").read_bytes().split(b"\0")
        except OSError:  # it has ended, or is another user's
            continue
        if mark in held:
            yield int(folder.name)


def _kill(process: int) -> None:
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        return


def claude(url: str, home: Path, prompt: str, *options: str, **env: str) -> Run:
    """Claude Code's `-p` with any options (`--resume`, `--fork-session`); its JSON is line 0."""
    settings = {
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": "loopback",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "IS_SANDBOX": "1",  # or it refuses to skip permissions as root
    }
    fixed = ("--output-format", "json", "--dangerously-skip-permissions")
    return ran(home, [installed("claude"), "-p", prompt, *fixed, *options], settings | env)


def codex(url: str, home: Path, *words: str, limit: int = 0, **env: str) -> Run:
    """Codex's `exec`: a prompt, or `resume`, a thread and a prompt. Its events are the lines.

    It compacts past `limit` tokens as its provider counts them; 0 leaves that to its default.
    """
    config = home / ".codex" / "config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    if not config.exists():
        config.write_text(CODEX.format(url=url))
    options = ["--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"]
    if limit:
        options += ["-c", f"model_auto_compact_token_limit={limit}"]
    sub, words = (words[:1], words[1:]) if words[0] in ("resume", "fork") else ((), words)
    command = [installed("codex"), "exec", *sub, *options, *words]
    return ran(home, command, {"LOOPBACK_KEY": "loopback", **env})


CODEX = """\
model = "gpt-5.1-codex"
model_provider = "loopback"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.loopback]
name = "loopback"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "LOOPBACK_KEY"
"""


def opencode(url: str, home: Path, prompt: str, *options: str, context: int = 200_000) -> Run:
    """opencode's `run` with any options (`--continue`, `--session`); its events are the lines.

    `context` is what it is told the model holds, in tokens: near it, it compacts.
    """
    model = {"name": "scripted", "tool_call": True, "limit": {"context": context, "output": 8_000}}
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": f"{url}/v1", "apiKey": "loopback"},
        "models": {"scripted": model},
    }
    config = {"provider": {"loopback": provider}, "model": "loopback/scripted", "share": "disabled"}
    env = {
        "OPENCODE_CONFIG_CONTENT": json.dumps({**config, "autoupdate": False}),
        "OPENCODE_PERMISSION": json.dumps({"*": "allow"}),
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
    }
    return ran(home, [installed("opencode"), "run", "--format", "json", *options, prompt], env)
