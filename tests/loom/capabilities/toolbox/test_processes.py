"""Limits that hold, and processes that do not outlive their run."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from loom.capabilities.toolbox.errors import ToolRefused
from loom.capabilities.toolbox.processes import run
from loom.capabilities.toolbox.run_result import Ran, RunLimits


def python(
    folder: Path,
    code: str,
    limits: RunLimits = RunLimits(),  # noqa: B008
    stdin: bytes = b"",
    clock: Callable[[], float] = time.monotonic,
) -> Ran:
    """Run some Python under limits."""
    words = [sys.executable, "-S", "-c", code]
    environment = {"PATH": "/usr/bin:/bin"}
    return run(
        [words],
        shown=words,
        cwd=folder,
        environment=environment,
        stdin=stdin,
        limits=limits,
        clock=clock,
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


def test_nothing_is_started(tmp_path: Path) -> None:
    """A program that cannot be started, or has too much to read, is refused."""
    with pytest.raises(ToolRefused, match="cannot be started"):
        run(
            [["/bin/cat"]],
            shown=["cat"],
            cwd=tmp_path / "none",
            environment={},
            stdin=b"",
            limits=RunLimits(),
        )
    with pytest.raises(ToolRefused, match="cannot be started"):
        python(tmp_path, "#" * 10_000_000)


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
