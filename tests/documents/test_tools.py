"""Offloading of data, tools and logic, and the three levels of tools of the second document."""

import json
from pathlib import Path
from typing import Any

import pytest

import loom
from loom.capabilities.toolbox import builtin
from loom.capabilities.toolbox.shell import READS, Shell
from loom.errors import BadInput
from tests.kit.opened import Open
from tests.kit.requests import SMALL, play, request
from tests.kit.step import act

SCRIPT = """\
"Analyse prices."
import json, sys
from pathlib import Path

given = json.load(sys.stdin)
with Path("runs").open("a") as file:
    file.write("x")
print(f"{given['symbol']} over {given['days']} days")
"""
CALL = {"path": "scripts/analyze_prices.py", "args": {"symbol": "BTC", "days": 30}}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a file and a script."""
    project = tmp_path / "project"
    (project / "scripts").mkdir(parents=True)
    (project / "notes.txt").write_text("".join(f"note {n}\n" for n in range(30)))
    (project / "scripts/analyze_prices.py").write_text(SCRIPT)
    return project


def ran(ctx: loom.Context, tool: str, arguments: dict[str, Any]) -> tuple[str, bool]:
    """What a tool of levels 2 or 3 gave when the model called it, and whether it failed."""
    entry = ctx.window.history.next_id
    asked = json.dumps({"name": tool, "arguments": arguments})
    ctx.reply(loom.Reply((loom.ToolCall(f"call_{entry}", "call_tool", asked),)))
    ctx.run(ctx.calls[0])
    restored = ctx.history.restore(entry)
    return restored.results[f"call_{entry}"], bool(restored.errors)


@pytest.fixture
def ctx(opened: Open, project: Path, tmp_path: Path) -> loom.Context:
    """A context whose toolbox reads that project, and runs scripts that are approved."""
    box = builtin(project, cache=tmp_path / "cache", approve=lambda tool, arguments: True)
    return opened(policy=loom.Policy(), capabilities=[box])


@pytest.mark.parametrize(("size", "pages"), [(999, 0), (1_000, 0), (1_024, 0), (1_025, 1)])
def test_threshold(opened: Open, size: int, pages: int) -> None:
    """Data of 1,024 bytes stays, of 1,025 it is offloaded."""
    ctx = opened()
    act(ctx, "stock", {"item": "bolts"}, "x" * size)
    assert ctx.pressure.pages == pages


def test_prompt_names_the_page(opened: Open) -> None:
    """The request names the page a result rests on, and its head tells how to bring it back."""
    ctx = opened(policy=SMALL, window=8_192)
    hits = json.dumps({"results": [{"title": f"Title {n}", "url": "u" * 99} for n in range(10)]})
    ctx.turn()
    act(ctx, "web:search", {"query": "Bitcoin"}, hits)
    for _ in range(3):
        act(ctx, "stock", {}, "3")
    play(ctx)
    assert "→ outputs/search_0001.json" in request(ctx)
    assert "A shortened text names the page of its full text" in request(ctx)


@pytest.mark.parametrize(
    ("command", "first"),
    [("cat notes.txt", "note 0"), ("head -n 2 notes.txt", "note 0"), ("tail -n 1 notes.txt", "n")],
    ids=["cat", "head", "tail"],
)
def test_utility(ctx: loom.Context, command: str, first: str) -> None:
    """The utilities that stand behind reading a file run by `system:shell`."""
    text, failed = ran(ctx, "system:shell", {"command": command})
    assert text.startswith(first) and not failed


@pytest.mark.parametrize("program", ["grep", "jq", "git"])
def test_utility_is_approved(project: Path, program: str) -> None:
    """grep runs as it is, and so do jq and git where the host approves of them beforehand."""
    box = builtin(project, allow=[*READS, ("jq",), ("git", "log")])
    (shell,) = (one for one in box.find("?") if one.name == "system:shell")
    assert f" {program}" in shell.description and shell.level == 2


@pytest.mark.parametrize("program", ["curl", "python", "node", "tee", "echo"])
def test_utility_needs_approval(project: Path, program: str) -> None:
    """What may write, reach the network or run code is asked about; without a yes it is refused."""
    asked: list[str] = []

    def approve(tool: loom.ToolDescriptor, given: dict[str, Any]) -> bool:
        asked.append(given["command"])
        return program == "echo"

    for box in (builtin(project), builtin(project, approve=approve)):
        try:
            ran: Any = box.execute("system:shell", {"command": f"{program} a"})
        except loom.LoomError as refused:
            assert "allow" in str(refused) or "approved" in str(refused)
        else:
            assert program == "echo" and ran.stdout == b"a\n"
    assert asked == [program]
    allowed = Shell(project, [(program,)])
    assert allowed.allows([program, "a"]) and not allowed.allows(["rm", "a"])


def test_utility_stays_in_the_project(ctx: loom.Context) -> None:
    """A path that leads out of the project is refused."""
    assert ran(ctx, "system:shell", {"command": "cat ../outside.txt"})[1]


def test_script(ctx: loom.Context) -> None:
    """`python:run_script` runs a script with its arguments; the model reads what it printed."""
    assert ran(ctx, "python:run_script", CALL) == ("BTC over 30 days\n", False)


def test_script_is_cached(ctx: loom.Context, project: Path) -> None:
    """The same script with the same arguments gives the same result and runs once."""
    first, _ = ran(ctx, "python:run_script", CALL)
    assert ran(ctx, "python:run_script", CALL)[0] == first
    assert (project / "runs").read_text() == "x"
    (project / "scripts/analyze_prices.py").write_text(SCRIPT + "print('more')\n")
    assert ran(ctx, "python:run_script", CALL)[0] != first


def test_level_1_is_declared(opened: Open) -> None:
    """A tool of level 1 is declared in every request, with its JSON Schema."""
    box = loom.Toolbox()
    schema = {"type": "object", "properties": {"path": {"type": "string"}}}
    box.add(loom.ToolDescriptor("fs:read_file", "Read a file.", schema), lambda given: "text")
    (tool,) = opened(capabilities=[box]).turn().request("openai")["tools"]
    assert tool["function"]["name"] == "fs_read_file"
    assert tool["function"]["parameters"]["properties"] == schema["properties"]


def test_levels_2_and_3_are_found(ctx: loom.Context) -> None:
    """Utilities and scripts are in no request; `find_tool` tells of them when it is asked."""
    assert "python:run_script" not in json.dumps(ctx.turn().request("openai"))
    assert {"find_tool", "call_tool"} <= set(ctx.tools.declared)
    ctx.reply(loom.Reply((loom.ToolCall("f", "find_tool", '{"words": "analyse prices"}'),)))
    assert "scripts/analyze_prices.py (level 3)" in ctx.history.restore(1).results["f"]


def test_descriptor() -> None:
    """A ToolDescriptor has exactly the five documented fields; a level 4 is refused."""
    fields = ("name", "description", "parameters_schema", "level", "requires_approval")
    assert loom.ToolDescriptor.__struct_fields__ == fields
    with pytest.raises(BadInput, match="given is"):
        loom.ToolDescriptor("a", "b", {"type": "object"}, level=4)


def test_approval(opened: Open, project: Path) -> None:
    """A tool that requires approval is not run where nobody gives it; the model is told."""
    ctx = opened(policy=loom.Policy(), capabilities=[builtin(project)])
    text, failed = ran(ctx, "python:run_script", CALL)
    assert failed and "approval" in text
    assert not (project / "runs").exists()
