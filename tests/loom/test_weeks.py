"""Weeks of work in one workspace: descriptors and threads stay few, files do not pile up."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.loom.interrupt import ROOT

SIMULATED = os.environ.get("HYPOTHESIS_PROFILE") == "simulate"
RENEWALS = 2_000 if SIMULATED else 60
RENEWING = """
import resource, sys, threading
from pathlib import Path

import loom
from loom.session.archive import packing

resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
renewals = int(sys.argv[2])
packing.AT = packing.PAGES = min(packing.AT, renewals // 4)


def held():
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


with loom.open(sys.argv[1], window=8_192, goal="Go on.", durable=False) as ctx:
    ctx.user("Begin.")
    counts = []
    for number in range(renewals):
        ctx.turn()
        ctx.reply(loom.Reply((loom.ToolCall(f"c{number}", "Bash", '{"command":"ls"}'),)))
        ctx.result(f"c{number}", f"line of {number}\\n" * 200)
        ctx.renew()
        counts.append(held())
    ctx.recall("line of 7")
    told = ctx.turn().sha256
    assert ctx.window.sent.generation == renewals + 1
with loom.open(sys.argv[1], durable=False) as ctx:
    assert ctx.turn().sha256 == told
files = sum(path.is_file() for path in Path(sys.argv[1]).rglob("*"))
print(min(counts), max(counts[3:]), threading.active_count(), files)
"""


@pytest.mark.timeout(3_600 if SIMULATED else 300)
def test_many_renewals_with_few_descriptors(tmp_path: Path) -> None:
    """Each step renewed, with 64 descriptors at most: their number does not grow, nor threads."""
    done = subprocess.run(
        [sys.executable, "-c", RENEWING, str(tmp_path / "w"), str(RENEWALS)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(
            str(ROOT / name) for name in (".", "partitions", "paging")
        )},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    least, most, threads, files = map(int, done.stdout.split())
    print(f"{RENEWALS} renewals: {least} to {most} descriptors, {threads} thread, {files} files")
    assert most <= least + 2
    assert threads == 1
    assert files < RENEWALS  # a snapshot of each renewal, were none packed
