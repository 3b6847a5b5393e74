"""`loom mcp` in the real clients: added by their own commands, called by a scripted model."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("uvicorn")
pytest.importorskip("mcp_types")

from loom.home import record_project
from tests.kit.mcp_client import told
from tests.kit.opened import plain
from tests.kit.scripted_server import said
from tests.providers.serving.script import Line
from tests.serve.clients import CODEX, claude, codex, opencode
from tests.serve.loom_program import added, program, searched
from tests.serve.scripts import DONE, listed
from tests.serve.upstream import Recorded, Upstream

LINES = 8_500
WAIT = "WaitForMcpServers"  # stands among Claude Code's tools until its servers are connected
MORE = re.compile(r"\n\[more: page_in \S+ lines=(\d+)-(\d+)\]\n")


def text() -> str:
    """200 kB of lines, each with its number."""
    return "".join(f"{at:05} {'value' * 3} {at * at}\n" for at in range(1, LINES + 1))


def page(home: Path) -> str:
    """The name of the page that text rests on, in a session of the state folder of this home, of
    the project its clients work in."""
    place = home / ".local" / "state" / "loom" / "hook" / "s1"
    with plain(place) as ctx:
        record_project(place, str(home / "work"))
        return told(ctx, text())


def texts(request: Recorded) -> list[str]:
    """The results of tools in a request, as texts."""
    found = []
    for item in listed(request):
        if item.get("role") == "tool" or item.get("type") == "function_call_output":
            found.append(_text(item.get("content", item.get("output"))))
        elif isinstance(item.get("content"), list):
            found += [_text(one["content"]) for one in item["content"] if "tool_use_id" in one]
    return found


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "".join(str(one.get("text", "")) for one in content)


def reading(ref: str, name: str) -> Any:
    """A model that pages in the whole of a page, part by part, as the answers tell it."""

    def script(request: Recorded, n: int) -> Line | str:
        if WAIT in request.tools and name not in request.tools:
            return said("", (WAIT, {}))
        if not request.tools:
            return DONE
        answers = [one for one in texts(request) if "[workspace " in one]
        if not answers:
            return said("", (name, {"ref": ref}))
        left = next((MORE.search(one) for one in answers[-1:]), None)
        if left is None:
            return DONE
        return said("", (name, {"ref": ref, "lines": f"{left[1]}-{left[2]}"}))

    return script


def test_claude_code_reads_a_page_back(agent_home: Path) -> None:
    """All 200 kB of it, by its name, through `mcp__loom__page_in`."""
    ref = page(agent_home)
    added(agent_home, "claude", "loom", "mcp")
    path = searched(agent_home, "claude")
    with Upstream(reading(ref, "mcp__loom__page_in")) as up:
        run = claude(up.url, agent_home, "Read it.", PATH=path)
    assert not up.faults and run.lines[0]["result"] == DONE
    answers = [one for one in texts(up.asked[-1]) if "[workspace " in one]
    assert all(one.startswith("[workspace hook/s1]\n") for one in answers)
    assert len(answers) > 1
    seen = {line for one in answers for line in one.splitlines() if "value" in line}
    assert seen == set(text().splitlines())


def last_lines(ref: str, name: str, offered: str, wait: tuple[str, dict[str, str]]) -> Any:
    """A model that waits until the tools are `offered`, and pages in the last two lines."""

    def script(request: Recorded, n: int) -> Line | str:
        if not request.tools or any("[workspace " in one for one in texts(request)):
            return DONE
        if offered not in request.tools:
            return said("", wait)
        return said("", (name, {"ref": ref, "lines": f"{LINES - 1}-{LINES}"}))

    return script


def test_codex_calls_it(agent_home: Path) -> None:
    """Its tools are a namespace, which Codex offers as soon as the server answers."""
    ref = page(agent_home)
    wait = ("exec_command", {"cmd": "sleep 1"})
    with Upstream(last_lines(ref, "mcp__loom.page_in", "mcp__loom", wait)) as up:
        config = agent_home / ".codex" / "config.toml"
        config.parent.mkdir()
        config.write_text(CODEX.format(url=up.url))
        added(agent_home, "codex", "loom", "mcp")
        codex(up.url, agent_home, "Read it.", PATH=searched(agent_home, "codex"))
    assert not up.faults
    assert text().splitlines()[-2:] == texts(up.asked[-1])[-1].splitlines()[-2:]


def test_opencode_calls_it(agent_home: Path) -> None:
    """Under its name and the tool's."""
    ref = page(agent_home)
    wait = ("bash", {"command": "sleep 1", "description": "Waits"})
    with Upstream(last_lines(ref, "loom_page_in", "loom_page_in", wait)) as up:
        added(agent_home, "opencode", str(program(agent_home)), "mcp")
        opencode(up.url, agent_home, "Read it.")
    assert not up.faults
    answers = [one for request in up.asked for one in texts(request) if "[workspace " in one]
    assert text().splitlines()[-2:] == answers[-1].splitlines()[-2:]
