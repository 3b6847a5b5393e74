"""Checks whether coding agents are installed, and whether they use Loom's proxy, hook and MCP
server."""

from __future__ import annotations

import http.client
import json
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from msgspec import Struct

from loom.cli.doctor.settings import AGENTS, CodingAgent, Words, read_settings
from loom.cli.serve import PORT as PORT
from loom.text import one_line

HEALTH = "/loom/health"
HEALTH_BYTES = 100_000
LOOPBACK = ("127.0.0.1", "localhost", "::1")
ANSWERS, ENDS = 2.0, 20.0  # seconds a proxy may take, and a client for its version


State = Literal["ok", "fault", "absent"]


class CheckResult(Struct, frozen=True):
    """The result of one check. `name` is what was checked, `told` a sentence on its state, `todo`
    what to do, `run` a command that sets it up.

    The state `absent` means "not set up", which need not be wrong."""

    name: str
    state: State
    told: str
    todo: str = ""
    run: str = ""


class WiringChecks:
    """The checks of coding agents. `home` is the user's folder, `work` the project's, `env` the
    environment, `port` the proxy's port, `loom` the command that starts Loom."""

    def __init__(self, home: Path, work: Path, env: Mapping[str, str], port: int, loom: str):
        self.home, self.work, self.env, self.port, self.loom = home, work, env, port, loom
        self._answers: dict[tuple[str, int], dict[str, Any] | None] = {}

    def check_results(self) -> Iterator[CheckResult]:
        """Yield the checks of each client, the check of the proxy, and one result for each notice
        of a running proxy to this user."""
        for agent in AGENTS:
            yield from self._client_checks(agent)
        where = f"http://127.0.0.1:{self.port}{HEALTH}"
        answers = self._health_answer("127.0.0.1", self.port)
        if answers:
            yield CheckResult("Proxy", "ok", f"{where} answers")
        elif answers is None:
            told = f"nothing answers at {where}"
            yield CheckResult("Proxy", "absent", told, "start `loom serve`")
        else:
            told = f"what answers at {where} is no proxy of Loom"
            yield CheckResult("Proxy", "fault", told, "free the port, or `loom serve --port`")
        for (host, port), said in self._answers.items():
            notices = (said or {}).get("notices")
            for one in notices if isinstance(notices, list) else ():
                if isinstance(one, dict):
                    many, kind = str(one.get("requests")), one_line(str(one.get("kind")), 40)
                    times = f"{many} request{'s' * (many != '1')}"
                    told = f"{one_line(str(one.get('text')), 300)} ({times})"
                    state: State = "fault" if one.get("unmanaged") else "ok"
                    yield CheckResult(f"Proxy at {host}:{port}, {kind}", state, told)

    def _client_checks(self, agent: CodingAgent) -> Iterator[CheckResult]:
        """Yield the checks of one client: its program, its settings, and its use of proxy, hook and
        MCP server."""
        found = read_settings(agent, self.home, self.work, self.env)
        path = shutil.which(agent.program, path=self.env.get("PATH"))
        if path is None:
            where = f"there is no `{agent.program}` on the PATH"
            more = "; settings of it are there" if found.files else ""
            yield CheckResult(agent.name, "absent", where + more)
        else:
            yield CheckResult(agent.name, "ok", f"{_program_version(path)} ({path})")
        for why, place in found.broken:
            told = f"{place} cannot be read: {one_line(why, 160)}"
            yield CheckResult(f"{agent.name} settings", "fault", told, "mend it")
        if path is None and not found.files:
            return
        yield from self._proxy_checks(agent, found.urls)
        install = f"{self.loom} hook --install"
        if agent.hooks:
            yield from self._command_checks(f"{agent.name} hook", "hook", found.hooks, install)
        user = " -s user" if agent.program == "claude" else ""  # else in this project alone
        install = f"{agent.program} mcp add{user} loom -- {self.loom} mcp"
        yield from self._command_checks(f"{agent.name} MCP server", "mcp", found.servers, install)

    def _proxy_checks(
        self, agent: CodingAgent, urls: Sequence[tuple[str, str]]
    ) -> Iterator[CheckResult]:
        """Yield checks of where a client sends its requests. `urls` are pairs (address, file or
        variable that sets it)."""
        name = f"{agent.name} proxy"
        local = [
            one
            for one in ((*_host_and_port(url), url, at) for url, at in urls)
            if one[0] in LOOPBACK
        ]
        for host, port, url, where in local:
            answers, told = self._health_answer(host, port), f"{url} in {where}"
            if answers:
                yield CheckResult(name, "ok", told)
            elif answers is None and (port == self.port or not agent.several):
                told += ": nothing answers there, so its model cannot be asked"
                out = f" (`unset {where[1:]}`)" if where.startswith("$") else ""
                todo = f"take the address out{out}, or start the proxy:"
                yield CheckResult(name, "fault", told, todo, f"{self.loom} serve --port {port}")
            else:
                other = "nothing answers there" if answers is None else "no proxy of Loom"
                yield CheckResult(name, "absent", f"{told}: {other}")
        if not local:
            told = "it asks {} ({})".format(*urls[0]) if urls else "it asks its provider"
            here = bool(self._health_answer("127.0.0.1", self.port))
            runs = f"one runs at http://127.0.0.1:{self.port}, but from here"
            todo = f"to start it behind one{' of its own' if here else ''}:"
            run = f"{self.loom} serve -- {agent.program}"
            yield CheckResult(name, "absent", f"{runs if here else 'none;'} {told}", todo, run)

    def _command_checks(
        self, name: str, command: str, wired: Sequence[tuple[Words, str]], install: str
    ) -> Iterator[CheckResult]:
        """Yield a check for each command in `wired` that starts `loom` with the subcommand
        `command`: is its program on the PATH? Without such a command, yield one result that
        suggests the command line `install`."""
        ours = dict.fromkeys(one for one in wired if _is_loom_command(one[0], command))
        for words, where in ours:
            if shutil.which(words[0], path=self.env.get("PATH")) is None:
                told = f"{words[0]!r} in {where} is not found on the PATH"
                yield CheckResult(name, "fault", told, "name it by its whole path", install)
            else:
                yield CheckResult(name, "ok", f"`{' '.join(words)}` in {where}")
        if not ours:
            yield CheckResult(name, "absent", "none", "to set it up:", install)

    def _health_answer(self, host: str, port: int) -> dict[str, Any] | None:
        """Return the report of the Loom proxy at a host and port, {} if another server answers, or
        None if nothing answers. Each host and port is asked only once."""
        if (host, port) not in self._answers:
            self._answers[host, port] = _fetch_health(host, port)
        return self._answers[host, port]


def _is_loom_command(words: Words, command: str) -> bool:
    """Return True if the words of a command line start the Loom command `command`.

    Examples: `loom mcp`, `/opt/bin/loom mcp`, `uvx --from … loom mcp`, `python -m loom.hook`."""
    pairs = [*pairwise(words)]
    named = any(Path(one).stem == "loom" and then == command for one, then in pairs)
    return named or ("-m", f"loom.{command}") in pairs


def _host_and_port(url: str) -> tuple[str, int]:
    """Return a pair (host, port) of an address, or ("", 0) if the text is no address."""
    try:
        parts = urlsplit(url)
        return parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:
        return "", 0


def _fetch_health(host: str, port: int) -> dict[str, Any] | None:
    """Return the report of the Loom proxy at a host and port, {} if another server answers, or None
    if nothing answers."""
    connection = http.client.HTTPConnection(host, port, timeout=ANSWERS)
    try:
        connection.request("GET", HEALTH)
        answer = connection.getresponse()
        told = json.loads(answer.read(HEALTH_BYTES))
        own = answer.status == 200 and isinstance(told, dict) and "loom" in told
        return told if own else {}
    except ConnectionRefusedError:
        return None
    except (OSError, ValueError, http.client.HTTPException):
        return {}
    finally:
        connection.close()


def _program_version(path: str) -> str:
    """Return what a program prints for `--version`, or why it fails, in at most 60 characters."""
    try:
        ran = subprocess.run(
            [path, "--version"], capture_output=True, stdin=subprocess.DEVNULL, timeout=ENDS
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"it did not tell its version ({type(error).__name__})"
    told = one_line(ran.stdout.decode("utf-8", "replace"), 60)
    return told if told and not ran.returncode else f"it failed with exit code {ran.returncode}"
