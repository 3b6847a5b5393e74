"""Two agents in one workspace never touch each other's files, as the interpreter itself sees it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[4]

# Every path of an audited event, with the phase it came in.
TRACED = """
import json, os, sys
import loom
from loom_partitions.message import Step
phase, seen = "", []
KINDS = ("os.", "shutil.", "open", "sqlite3.connect")
def note(event, args):
    if event.startswith(KINDS) and event != "os.putenv":
        seen.extend(
            (phase, event, os.path.abspath(os.fsdecode(one)))
            for one in args if isinstance(one, (str, bytes, os.PathLike))
        )
sys.addaudithook(note)

def work(ctx):
    ctx.user("Go on. " * 300)
    for number in range(6):
        id = f"c{ctx.window.history.next_id}"
        ctx.reply(loom.Reply((loom.ToolCall(id, "look", "{}"),)))
        ctx.result(id, f"line {number}\\n" * 600)
        ctx.turn().request()
    ctx.working.note("noted")
    ctx.recall("line")
    ctx.renew()
    last = next(one for one in ctx.window.history.stream.entries_back if isinstance(one, Step))
    return last.outcomes[0].reduction.outcome_ref

root = sys.argv[1]
parent = loom.open(root, goal="Survey.", window=8_192, durable=False)
phase = "parent"
page = work(parent)
phase = "spawn"
child = parent.agents.spawn("Read.", name="one", pages=[page], durable=False)
phase = "child"
made = work(child)
phase = "parent"
work(parent)
phase = "child"
child.close()
child = loom.open(os.path.join(root, "agents", "one"), durable=False)
work(child)
child.agents.deliver("Read.", artefacts=[made])
child.close()
phase = "join"
parent.agents.join("one")
phase = "parent"
work(parent)
parent.close()
phase = ""
print(json.dumps(seen))
"""


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[tuple[str, str]]]:
    """(event, path below the workspace) of a run, by phase."""
    root = tmp_path_factory.mktemp("apart").resolve() / "w"
    done = subprocess.run(
        [sys.executable, "-c", TRACED, str(root)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=True,
    )
    found: dict[str, set[tuple[str, str]]] = {}
    for phase, event, path in json.loads(done.stdout):
        if Path(path).is_relative_to(root):
            below = str(Path(path).relative_to(root))
            found.setdefault(phase, set()).add((event, below))
    return found


TOLD = "agents/one/bus"  # what parent and child tell each other of goal and result


def below(path: str) -> str | None:
    """A path of the child, as it is below its folder; None for one of the parent."""
    home = "agents/one"
    return path.removeprefix(home).lstrip("/") if f"{path}/".startswith(f"{home}/") else None


def test_the_parent_opens_its_own_files(seen: dict[str, set[tuple[str, str]]]) -> None:
    """While it works with a child beside it, no path below `agents` is touched, but for the look
    whether its result is there or anybody has it open, and what was told to both on the bus."""
    assert any(event == "os.link" for event, _ in seen["parent"])
    others = {(event, path) for event, path in seen["parent"] if path.startswith("agents")}
    told = {TOLD, f"{TOLD}/pages"}
    looked = {"agents/one", "agents/one/capsule.json", "agents/one/LOCK"}
    assert {path for _, path in others if path.rpartition("/")[0] not in told} <= looked
    assert {event for event, _ in others} <= {"open"}


def test_the_child_opens_its_own_files(seen: dict[str, set[tuple[str, str]]]) -> None:
    """While it works, opens again and delivers, no path of the parent is touched: the bus of the
    workspace is nobody's."""
    paths = {path for _, path in seen["child"]}
    assert "agents/one/capsule.json" in paths
    others = {path.partition("/")[0] for path in paths if below(path) is None}
    assert others <= {"bus", "."} and ("open", ".") not in seen["child"]


def test_spawning_reads_one_side_and_writes_the_other(
    seen: dict[str, set[tuple[str, str]]],
) -> None:
    """Of the parent its journal, pages and checkpoint; nothing else is made but the child's
    folder."""
    theirs = {path for _, path in seen["spawn"] if below(path) is None}
    assert {path.partition("/")[0] for path in theirs} <= {
        "agents",
        "checkpoints",
        "journal",
        "outputs",
        "bus",
        ".",
    }
    assert {path for path in theirs if path.startswith("agents")} <= {"agents"}


def test_joining_opens_the_capsule_alone(seen: dict[str, set[tuple[str, str]]]) -> None:
    """The capsule and the bytes it names are read; of the child nothing is written or listed."""
    touched = {(event, below(path)) for event, path in seen["join"] if below(path) is not None}
    assert {event for event, _ in touched} == {"open"}
    told = {one for one in touched if f"agents/one/{one[1]}".startswith(f"{TOLD}/")}
    rest = touched - told
    assert all(path == "capsule.json" or f"{path}".startswith("capsule/") for _, path in rest)
    assert len(rest) == 2
