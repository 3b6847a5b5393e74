"""A result that is given while it is given up, by processes at the same time; and one of no use."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from random import Random

import loom
from loom_partitions import records as r

ROOT = Path(__file__).resolve().parents[4]
RACES = 400 if os.environ.get("HYPOTHESIS_PROFILE") == "simulate" else 12
PATIENCE = 60.0


def started(script: str, *arguments: object) -> subprocess.Popen[str]:
    """A process that runs a script of ours, its lines on a pipe."""
    return subprocess.Popen(
        [sys.executable, "-c", script, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


def opened(folder: Path) -> loom.Context:
    """The parent."""
    return loom.open(folder, goal="All.", window=16_000, durable=False)


def check_once(ctx: loom.Context) -> None:
    """Every child that was spawned was joined, once."""
    workspace = ctx._engine.workspace
    numbers = range(1, workspace.commits + 1)
    every = [one for number in numbers for one in workspace.records(number)]
    spawned = Counter(one.child for one in every if isinstance(one, r.Spawned))
    assert spawned == Counter(one.child for one in every if isinstance(one, r.Joined))
    assert set(spawned.values()) == {1} and ctx.agents.children == {}


RACER = """
import sys, loom
from pathlib import Path
from loom.capabilities.agents.result import AlreadyDelivered
for home in sorted(Path(sys.argv[1]).iterdir()):
    with loom.open(home, durable=False) as ctx:
        print(home.name, flush=True)
        spins = int(sys.stdin.readline())
        for _ in range(spins):
            pass
        try:
            print(ctx.agents.deliver("First.").status, flush=True)
        except AlreadyDelivered as late:
            print(late.status, flush=True)
    sys.stdin.readline()
"""


def test_delivered_or_given_up(tmp_path: Path) -> None:
    """From two processes at the same time exactly one is the first, and both see its capsule."""
    random, folder, firsts = Random(0), tmp_path / "w", Counter[str]()
    with opened(folder) as ctx:
        for number in range(RACES):
            ctx.agents.spawn("Race.", name=f"r{number:03d}", durable=False).close()
        process = started(RACER, folder / "agents")
        assert process.stdin is not None and process.stdout is not None
        for _ in range(RACES):
            name = process.stdout.readline().strip()
            process.stdin.write(f"{random.randrange(20_000)}\n")
            process.stdin.flush()
            for _ in range(random.randrange(20_000)):
                pass
            mine = ctx.agents.give_up(name, "too slow")
            theirs = process.stdout.readline().strip()
            joined = ctx.agents.join(name)
            assert mine == joined and theirs == joined.status
            assert joined.summary == "First." if joined.ok else joined.error == "too slow"
            firsts[theirs] += 1
            process.stdin.write("\n")
            process.stdin.flush()
        process.communicate(timeout=PATIENCE)
        assert set(firsts) <= {"done", "lost"}
        check_once(ctx)


def test_given_up_while_it_opens(tmp_path: Path) -> None:
    """A child that is opened again sweeps what crashes left, not a capsule that is being put."""
    folder = tmp_path / "w"
    with opened(folder) as ctx:
        names = [f"r{number:03d}" for number in range(RACES)]
        for name in names:
            ctx.agents.spawn("Race.", name=name, durable=False).close()
        process = started(OPENER, folder / "agents")
        assert process.stdin is not None and process.stdout is not None
        for name in names:
            process.stdout.readline()
            process.stdin.write("\n")
            process.stdin.flush()
            assert ctx.agents.give_up(name, "too slow").status == "lost"
        process.communicate(timeout=PATIENCE)
        assert len(ctx.agents.wait()) == RACES


OPENER = """
import sys, loom
from pathlib import Path
for home in sorted(Path(sys.argv[1]).iterdir()):
    print(home.name, flush=True)
    sys.stdin.readline()
    for _ in range(3):
        loom.open(home, durable=False).close()
"""


def test_a_capsule_of_no_use(tmp_path: Path) -> None:
    """Damaged, or in another's name: it is a failed one of this child, and joined as such."""
    with opened(tmp_path / "w") as ctx:
        for name, data in (("torn", b'{"agent":"torn","sta'), ("forged", FORGED)):
            ctx.agents.spawn("Work.", name=name, durable=False).close()
            (tmp_path / "w" / "agents" / name / "capsule.json").write_bytes(data)
        found = ctx.agents.wait("torn", "forged")
        assert [(one.agent, one.status) for one in found] == [
            ("torn", "failed"),
            ("forged", "failed"),
        ]
        check_once(ctx)


FORGED = b'{"agent":"../../elsewhere","status":"done","summary":"Well done."}'
