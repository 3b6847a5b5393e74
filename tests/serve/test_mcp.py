"""`loom mcp` in the real clients: added by their own commands, called by a scripted model."""

from __future__ import annotations

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
from tests.serve.clients import CODEX, Run, claude, codex, opencode
from tests.serve.loom_program import added, program, searched
from tests.serve.scripts import DONE, listed
from tests.serve.upstream import Recorded, Upstream

LINES = 8_500
TEXT = "".join(f"{at:05} {'value' * 3} {at * at}\n" for at in range(1, LINES + 1))  # 200 kB
# The tool as a model calls it, the name it is offered under, and a call to wait with until it is.
TOOLS: dict[str, tuple[str, str, tuple[str, dict[str, str]]]] = {
    "claude": ("mcp__loom__page_in", "mcp__loom__page_in", ("WaitForMcpServers", {})),
    "codex": ("mcp__loom.page_in", "mcp__loom", ("exec_command", {"cmd": "sleep 1"})),
    "opencode": (
        "loom_page_in",
        "loom_page_in",
        ("bash", {"command": "sleep 1", "description": "Waits"}),
    ),
}


def page(home: Path) -> str:
    """The name of the page that text rests on, in a session of the state folder of this home, of
    the project its clients work in."""
    place = home / ".local" / "state" / "loom" / "hook" / "s1"
    with plain(place) as ctx:
        record_project(place, str(home / "work"))
        return told(ctx, TEXT)


def texts(request: Recorded) -> list[str]:
    """The results of Loom's tools in a request, as texts."""
    found = []
    for item in listed(request):
        if item.get("role") == "tool" or item.get("type") == "function_call_output":
            found.append(_text(item.get("content", item.get("output"))))
        elif isinstance(item.get("content"), list):
            found += [_text(one["content"]) for one in item["content"] if "tool_use_id" in one]
    return [one for one in found if "[workspace " in one]


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "".join(str(one.get("text", "")) for one in content)


def ran(client: str, url: str, home: Path) -> Run:
    """A client, to which the server was added by its own command."""
    if client == "opencode":
        added(home, client, str(program(home)), "mcp")
        return opencode(url, home, "Read it.")
    if client == "codex":
        config = home / ".codex" / "config.toml"
        config.parent.mkdir()
        config.write_text(CODEX.format(url=url))
    added(home, client, "loom", "mcp")
    start = codex if client == "codex" else claude
    return start(url, home, "Read it.", PATH=searched(home, client))


@pytest.mark.parametrize("client", TOOLS)
def test_a_page_is_read_back(agent_home: Path, client: str) -> None:
    """Its last lines, by its name, through the tool as each client names it."""
    name, offered, wait = TOOLS[client]
    ref = page(agent_home)

    def script(request: Recorded, n: int) -> Line | str:
        if not request.tools or texts(request):
            return DONE
        if offered not in request.tools:
            return said("", wait)
        return said("", (name, {"ref": ref, "lines": f"{LINES - 1}-{LINES}"}))

    with Upstream(script) as up:
        run = ran(client, up.url, agent_home)
    assert not up.faults and not run.code
    [answer, *_] = [one for request in up.asked for one in texts(request)]
    assert "[workspace hook/s1]\n" in answer
    assert answer.splitlines()[-2:] == TEXT.splitlines()[-2:]
