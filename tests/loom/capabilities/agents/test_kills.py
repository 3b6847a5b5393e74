"""Whoever is killed, and wherever: every result is joined once, or reported lost with its cause.

A process is killed by the test after so many lines of its own, or by itself at the n-th file it
opens, links, renames or removes: this finds the moments between two writes.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest

import loom
from loom.errors import BadInput, Overdue
from loom_partitions import laws
from loom_partitions import records as r
from loom_partitions.message import Step
from tests.kit.cases import all_cases
from tests.kit.journal import records

SIMULATED = os.environ.get("HYPOTHESIS_PROFILE") == "simulate"
CHILDREN, PARENTS = (250, 250) if SIMULATED else (10, 10)
NAMES = tuple(f"worker-{number}" for number in range(4))
WHY = "its process was killed"
PATIENCE = 60.0

HOST = """
import os, signal, sys, traceback

def burn(event, args):
    global left
    if event in ("open", "os.link", "os.remove", "os.rename", "os.mkdir") and "/w/" in str(args[0]):
        left -= "/bus" not in str(args[0])  # what is told of beside is no part of a promise
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

def light():
    if left > 0:
        sys.addaudithook(burn)

def life():
    try:
        print(os.getpid(), flush=True)
        run(*arguments)
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)

import loom
loom.open(sys.argv[1]).close()  # what is read once is read before there are processes
for line in sys.stdin:
    left, *arguments = line.split()
    left = int(left)
    process = os.fork()
    if process == 0:
        life()
    _, status = os.waitpid(process, 0)
    print("ended", os.waitstatus_to_exitcode(status), flush=True)
"""

CHILD = """
import loom
def run(home):
    with loom.open(home, durable=False) as ctx:
        print("open", flush=True)
        for number in range(6):
            ctx.reply(loom.Reply((loom.ToolCall(f"c{number}", "look", "{}"),)))
            ctx.result(f"c{number}", f"line {number}\\n" * 400)
            print("step", flush=True)
        pages = list(ctx._engine.workspace.pager.table)[:2]
        light()
        ctx.agents.deliver("All " + ctx.window.working.goal.body, artefacts=pages)
        print("delivered", flush=True)
"""

PARENT = """
import loom
from contextlib import suppress
from loom.capabilities.agents.result import BadInput
def run(folder, *names):
    light()
    with loom.open(folder, goal="All.", window=16_000, durable=False) as ctx:
        index = ctx._engine.workspace.index
        if not index.turns:
            ctx.user("To be granted. " * 4_000)
        page = next(iter(ctx._engine.workspace.pager.table))
        for name in names:
            if name in index.joined:
                continue
            if name in index.spawned:
                child = ctx.agents.child(name)
            else:
                child = ctx.agents.spawn(f"Part {name}.", name=name, pages=[page], durable=False)
            assert any("granted" in one for one in child._engine.workspace.pager.table)
            print("spawned", flush=True)
            with child, suppress(BadInput):
                child.agents.deliver(f"All Part {name}.")
            print("delivered", flush=True)
            ctx.agents.join(name)
            print("joined", flush=True)
            ctx.turn()
"""


class Forks:
    """One process after another that runs a script, each forked where Loom is imported."""

    def __init__(self, script: str, folder: Path) -> None:
        self.host = subprocess.Popen(
            [sys.executable, "-c", script + HOST, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            # Unbuffered, a line would be written in two pieces, and a kill could fall between them.
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUNBUFFERED": ""},
        )
        assert self.host.stdin is not None and self.host.stdout is not None
        self.tell, self.said = self.host.stdin, self.host.stdout

    def run(self, *arguments: object, left: int = 0, lines: int = 0) -> list[str]:
        """Run one to its end, or kill it: at `left` files, or after so many `lines`.

        What it said.
        """
        print(left, *arguments, file=self.tell, flush=True)
        process, said = int(self.said.readline()), list[str]()
        while "ended" not in (line := self.said.readline()):
            assert line, "the host of the processes has died"
            said.append(line.strip())
            if len(said) == lines:
                os.kill(process, signal.SIGKILL)
        assert int(line.rpartition("ended")[2]) in (0, -signal.SIGKILL)
        return said


def hosted(script: str) -> Any:
    """A fixture: where processes run a script."""

    @pytest.fixture(scope="module")
    def forks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forks]:
        made = Forks(script, tmp_path_factory.mktemp("host"))
        yield made
        made.host.communicate(timeout=PATIENCE)

    return forks


child, parent = hosted(CHILD), hosted(PARENT)


def way(random: Random, files: int) -> dict[str, int]:
    """How a process is killed: at a file, or after some of its lines."""
    return random.choice([{"left": random.randint(1, files)}, {"lines": random.randint(1, 9)}])


def opened(folder: Path) -> loom.Context:
    """The parent, opened again; what its dead process left open is given up."""
    ctx = loom.open(folder, goal="All.", window=16_000, durable=False)
    if ctx.calls:
        ctx.abandon("killed")
    return ctx


def check_once(ctx: loom.Context, folder: Path) -> None:
    """Of each child: spawned once, joined once, one step with one result; none is unlisted."""
    every = records(ctx)
    spawned = Counter(one.child for one in every if isinstance(one, r.Spawned))
    joined = Counter(one.child for one in every if isinstance(one, r.HandedOver) and one.child)
    steps = [one.step for one in every if isinstance(one, r.Replied)]
    asked = Counter(step.calls[0].id for step in steps if isinstance(step, Step) and step.calls)
    given = Counter(one.outcome.call_id for one in every if isinstance(one, r.Returned))
    assert set(spawned.values()) <= {1} and spawned == joined and ctx.agents.children == {}
    assert asked == given == Counter({f"spawn_{name}": 1 for name in spawned})
    assert {one.name for one in folder.glob("agents/*")} <= set(spawned)
    assert [*laws.paired(ctx.window), *laws.counted(ctx.window), *laws.ordered(ctx.window)] == []


def settled(ctx: loom.Context, name: str) -> str:
    """Join a child, or say that it is lost and join that; the status."""
    try:
        return ctx.agents.join(name).status
    except Overdue:
        ctx.agents.give_up(name, WHY)
        found = ctx.agents.join(name)
        assert found.error == WHY
        return found.status


@all_cases("seed", range(CHILDREN))
def test_killed_children(tmp_path: Path, child: Forks, seed: int) -> None:
    """Killed while it works: its result is there whole, or it is lost; or another goes on."""
    random, folder = Random(seed), tmp_path / "w"
    with opened(folder) as ctx:
        said = {}
        for name in ("one", "two"):
            ctx.agents.spawn(f"Part {name}.", name=name, durable=False).close()
            said[name] = child.run(folder / "agents" / name, **way(random, 11))
        if random.random() < 0.5:  # the second is taken up where it was left
            with ctx.agents.child("two") as two, suppress(BadInput):
                if two.calls:
                    two.abandon("killed")
                two.agents.deliver("All Part two.")
            said["two"].append("delivered")
        for name, lines in said.items():
            status = settled(ctx, name)
            assert status == "done" or (status == "lost" and "delivered" not in lines)
            assert status == "lost" or ctx.agents.join(name).summary == f"All Part {name}."
            assert "missing" not in repr(ctx.window) and "damaged" not in repr(ctx.window)
        check_once(ctx, folder)
    with opened(folder) as ctx:
        check_once(ctx, folder)


@all_cases("seed", range(PARENTS))
def test_killed_parents(tmp_path: Path, parent: Forks, seed: int) -> None:
    """A parent killed while it spawns and joins, again and again, goes on from wherever it was."""
    random, folder = Random(seed), tmp_path / "w"
    for _ in range(3):
        parent.run(folder, *NAMES, **way(random, 90))
    with opened(folder) as ctx:
        there = {one.name for one in folder.glob("agents/*")}
        assert there <= set(ctx.agents.children) | set(ctx._engine.workspace.index.joined)
        for name, state in list(ctx.agents.children.items()):
            if state != "done" and random.random() < 0.5:
                with ctx.agents.child(name) as child:
                    assert (child.window.working.goal or pytest.fail()).body == f"Part {name}."
                    granted = child._engine.workspace.pager.table
                    assert any("granted" in one for one in granted)
                    child.agents.deliver(f"All Part {name}.")
            assert settled(ctx, name) in ("done", "lost")
        check_once(ctx, folder)
        ctx.turn()
    with opened(folder) as ctx:
        check_once(ctx, folder)
