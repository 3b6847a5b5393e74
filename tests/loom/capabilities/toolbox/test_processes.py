"""Limits that hold, and processes that do not outlive their run."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from loom.capabilities.toolbox.processes import Ran, RunLimits, run


def python(folder: Path, code: str, limits: RunLimits | None = None) -> Ran:
    """Run some Python under limits."""
    words = [sys.executable, "-S", "-c", code]
    path = {"PATH": "/usr/bin:/bin"}
    return run(
        words, shown=words, cwd=folder, environment=path, stdin=b"", limits=limits or RunLimits()
    )


def alive(pid: int) -> bool:
    """Whether a process runs; one nobody has waited for yet does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


LEAVES = """
import os, signal
if os.fork() == 0:
    os.setsid()
    with open("part", "w") as file:
        file.write(str(os.getpid()))
    os.rename("part", "pid")
    signal.pause()
while not os.path.exists("pid"):
    os.sched_yield()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells which processes run")
def test_what_left_its_session_is_not_waited_for(tmp_path: Path) -> None:
    """A daemon that holds the output open does not hold up the run."""
    ran = python(tmp_path, LEAVES)
    pid = int((tmp_path / "pid").read_text())
    try:
        assert not ran.timed_out and ran.exit_code == 0
        assert alive(pid)
    finally:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


FLOODS = "import os\nos.write(1, b'a' * 3_000_000)\nos.write(2, b'b' * 3_000_000)"
FORKS = """
import os, signal
pid = os.fork()
if pid == 0:
    signal.pause()
with open("pid", "w") as file:
    file.write(str(pid))
"""


def test_limits(tmp_path: Path) -> None:
    """Time, bytes of output, memory and bytes of a file are bounded, each by its limit."""
    late = python(tmp_path, "import signal; signal.pause()", RunLimits(seconds=0.3))
    assert late.timed_out and late.exit_code == -signal.SIGKILL and "stopped after" in late.text
    flood = python(tmp_path, FLOODS, RunLimits(output=1_000))
    assert (len(flood.stdout), len(flood.stderr), flood.cut) == (1_000, 1_000, 5_998_000)
    assert b"MemoryError" in python(tmp_path, "b'x' * (1 << 31)").stderr
    python(tmp_path, "open('f', 'wb').write(b'x' * 4_096)", RunLimits(file_size=1_024))
    assert (tmp_path / "f").stat().st_size == 1_024


@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells which processes run")
def test_the_group_is_killed(tmp_path: Path) -> None:
    """What a program started in its session ends with it."""
    assert python(tmp_path, FORKS).exit_code == 0
    pid = int((tmp_path / "pid").read_text())
    while alive(pid):  # killed, it dies when the system comes to it: the timeout judges
        os.sched_yield()
