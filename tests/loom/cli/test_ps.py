import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import loom
from tests.loom.cli.conftest import Run

STATES = {
    ".": "idle", "agents/ends": "finished", "agents/ends/agents/below": "idle",
    "agents/fails": "failed", "agents/new": "empty", "agents/waits": "waiting",
}  # fmt: skip
HOLD = """
import sys, loom
with loom.open(sys.argv[1], goal="Hold on.", window=6_000, durable=False) as ctx:
    print("held", flush=True)
    sys.stdin.readline()
"""


def agent(folder: Path, goal: str = "Do it.") -> loom.Context:
    """A workspace with a goal, open."""
    return loom.open(folder, goal=goal, window=6_000, durable=False)


def call(ctx: loom.Context) -> loom.ToolCall:
    """One turn and a reply with a call."""
    ctx.turn()
    made = loom.ToolCall(f"c{ctx.window.sent.turn}", "read_file", '{"path": "a.py"}')
    ctx.reply(loom.Reply((made,)))
    return made


@pytest.fixture(scope="module")
def family(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A root that is idle and children in every other state nobody has to hold. Read it only."""
    root = tmp_path_factory.mktemp("family") / "lead"
    with agent(root, "Lead them.") as ctx:
        ctx.user("Go.")
        ctx.turn()
        ctx.reply(loom.Reply((loom.Speech("Going."),)))
    with agent(root / "agents" / "waits") as ctx:
        call(ctx)
    with agent(root / "agents" / "fails") as ctx:
        ctx.result(call(ctx).id, "no such file", error=True)
    with agent(root / "agents" / "ends") as ctx:
        ctx.result(call(ctx).id, "x = 1\n" * 400)
        ctx.finish("All of it is read.")
    with agent(root / "agents" / "ends" / "agents" / "below"):
        pass
    (root / "agents" / "new").mkdir()
    (root / "agents" / ".making").mkdir()
    (root / "agents" / "a file").write_text("no agent")
    return root


def nodes(out: str) -> dict[str, dict[str, Any]]:
    """The agents that `--json` printed, by folder."""
    found: dict[str, dict[str, Any]] = {}
    waiting = [json.loads(out)]
    while waiting:
        one = waiting.pop()
        found[one["folder"]] = one
        waiting += one["agents"]
    return found


def test_each_is_listed_below_its_parent(run: Run, family: Path) -> None:
    """With what it is at, in the order of names; what is no agent is not listed."""
    found = nodes(run("ps", family, "--json")[1])
    states = {folder: one["state"] for folder, one in found.items()}
    assert states == STATES
    lines = run("ps", family)[1].splitlines()
    assert [(len(text) - len(text.lstrip())) // 2 for text in lines] == [
        folder.count("agents") for folder in STATES
    ]


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that has `w/agents/busy` open until it reads a line."""
    with agent(tmp_path / "w"):
        pass
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path / "w" / "agents" / "busy")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[3],
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_an_agent_another_process_holds_is_running(
    run: Run, tmp_path: Path, holder: subprocess.Popen[str]
) -> None:
    """It is told with the process, its parent is not; nothing on disk changes, its lock stays."""
    before = {file: file.stat() for file in sorted((tmp_path / "w").rglob("*"))}
    found = nodes(run("ps", tmp_path / "w", "--json")[1])
    after = {file: file.stat() for file in sorted((tmp_path / "w").rglob("*"))}
    busy = found["agents/busy"]
    assert (busy["state"], busy["process"]) == ("running", holder.pid)
    assert busy["goal"] == "Hold on." and busy["commits"] > 0
    assert (found["."]["state"], found["."]["process"]) == ("idle", None)
    assert [(f, s.st_mtime_ns, s.st_size) for f, s in before.items()] == [
        (f, s.st_mtime_ns, s.st_size) for f, s in after.items()
    ]
    with pytest.raises(loom.StoreLocked):
        agent(tmp_path / "w" / "agents" / "busy")


def test_no_link_is_followed(run: Run, tmp_path: Path) -> None:
    """Children, their folder and their journal as links, out of the folder and in circles."""
    with agent(tmp_path / "secret", "Not yours."):
        pass
    root = tmp_path / "w"
    for name in ("one", "two"):
        with agent(root / "agents" / name):
            pass
    agents = root / "agents"
    (agents / "out").symlink_to(tmp_path / "secret")
    (agents / "twin").symlink_to(agents / "one")
    (agents / "gone").symlink_to(tmp_path / "nowhere")
    (agents / "one" / "agents").symlink_to(agents)
    (agents / "two" / "agents").symlink_to(tmp_path)
    (agents / "thief").mkdir()
    (agents / "thief" / "journal").symlink_to(tmp_path / "secret" / "journal")
    (agents / "heir" / "journal").mkdir(parents=True)
    (agents / "heir" / "journal" / "000001.jsonl").symlink_to(
        tmp_path / "secret" / "journal" / "000001.jsonl"
    )
    code, out, err = run("ps", root, "--json")
    found = nodes(out)
    assert (code, err) == (0, "") and "Not yours." not in out and str(tmp_path) not in out
    linked = {folder for folder, one in found.items() if one["state"] == "linked"}
    names = {"out", "twin", "gone", "one/agents", "two/agents", "thief", "heir"}
    assert linked == {f"agents/{name}" for name in names}
    assert found["agents/twin"]["why"] == "a link to agents/one, told there"
    assert "out of the folder" in found["agents/out"]["why"]
