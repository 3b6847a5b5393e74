"""After a crash anywhere, the journal less its torn tail folds to a lawful window."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import loom
from loom.inputs import Reply, Speech, ToolCall
from tests.kit.cases import all_cases, each_value, some
from tests.kit.journal import lawful

ROOT = Path(__file__).parent.parent.parent

WRITER = """
import sys, loom
from loom.inputs import Reply, Speech, ToolCall
ctx = loom.open(sys.argv[1], goal="count", window=4_000, durable=sys.argv[2] or True)
number = ctx.window.sent.turn
while True:
    number += 1
    ctx.turn()
    call = ToolCall(f"c{number}", "read_file", '{"path": "a.py"}')
    ctx.reply(Reply((Speech(f"step {number}"), call)))
    ctx.result(call.id, f"line {number}\\n" * 300)
    print(ctx.window.history.next_id - 1, flush=True)
"""


def work(ctx: loom.Context, steps: int) -> None:
    """Drive some steps with results large enough for pages and cuts."""
    for number in range(steps):
        ctx.turn()
        call = ToolCall(f"call_{number}", "Bash", f'{{"command": "make part{number}"}}')
        ctx.reply(Reply((Speech(f"Part {number}."), call)))
        ctx.result(call.id, f"output {number}\n" * 150, error=number % 5 == 4)


def test_journal_cut_at_every_byte(tmp_path: Path) -> None:
    """Wherever the last commits were torn, the workspace opens lawfully and goes on."""
    whole = tmp_path / "whole"
    with loom.open(whole, window=3_000, durable=False) as ctx:
        ctx.user("Build every part.")
        work(ctx, 15)
    segment = sorted((whole / "journal").iterdir())[-1]
    data = segment.read_bytes()
    assert len(data) > 1_000
    for size in range(len(data), len(data) - 900, -7):
        torn = tmp_path / "torn"
        shutil.copytree(whole, torn)
        with (torn / "journal" / segment.name).open("r+b") as file:
            file.truncate(size)
        with loom.open(torn, durable=False) as ctx:
            assert lawful(ctx) == []
            for call in ctx.calls:
                ctx.result(call, "late")
            assert ctx.turn().pressure.rho < 1.0
            for entry in ctx._engine.workspace.index.commits:
                assert ctx.history.restore(entry).name
        shutil.rmtree(torn)


@all_cases(("run", "durable"), each_value(some(range(4), 2), ["", "turn"]))
def test_killed_process_loses_nothing_it_acknowledged(
    tmp_path: Path, run: int, durable: str
) -> None:
    """A process killed with -9 leaves every entry it had acknowledged, and the lock is free."""
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(tmp_path / "w"), durable],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert process.stdout is not None
    acknowledged = [int(process.stdout.readline()) for _ in range(5 + 7 * run)][-1]
    process.send_signal(signal.SIGKILL)
    rest = process.stdout.read().split()
    process.stdout.close()
    process.wait()
    acknowledged = int(rest[-1]) if rest else acknowledged
    with loom.open(tmp_path / "w") as ctx:
        assert lawful(ctx) == []
        assert ctx.window.history.next_id > acknowledged
        restored = ctx.history.restore(acknowledged)
        assert len(next(iter(restored.results.values())).splitlines()) == 300


def test_pages_before_the_line(tmp_path: Path) -> None:
    """A page whose commit never came is a stray: it is named by nothing and harms nothing."""
    with loom.open(tmp_path / "w", window=4_000, durable=False) as ctx:
        work(ctx, 3)
        ctx._engine.workspace.rest("read", ".txt", b"never committed" * 100)
        before = ctx.turn().sha256
    with loom.open(tmp_path / "w", durable=False) as ctx:
        assert ctx.turn().sha256 == before
        work(ctx, 3)
        assert lawful(ctx) == []
