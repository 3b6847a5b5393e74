"""Limits that hold, and processes that do not outlive their run."""

from __future__ import annotations

import os
import signal
import sys
import time
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from loom.capabilities.toolbox.errors import ToolRefused
from loom.capabilities.toolbox.processes import run
from loom.capabilities.toolbox.run_result import Ran, RunLimits

FLOOD = 50_000_000


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


def gone(pid: int) -> None:
    """Wait until a killed process has gone: the timeout of tests is the judge."""
    while alive(pid):
        os.sched_yield()


FORKS = """
import os, signal, sys
def say():
    os.write(1, b"%d\\n" % os.getpid())
    os.close(os.open(str(os.getpid()), os.O_CREAT))
for _ in range(3):
    if os.fork() == 0:
        os.fork()
        say()
        signal.pause()
say()
{then}
"""
SPEAKERS = 7


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
@pytest.mark.parametrize(("then", "late"), [("signal.pause()", True), ("", False)])
def test_no_child_is_left(tmp_path: Path, then: str, late: bool) -> None:
    """Children and theirs end with the run: when it is late, and when their parent ends first."""

    def clock() -> float:
        """Time stands until all have spoken; then it is late."""
        return 1e6 * (late and len(list(tmp_path.iterdir())) == SPEAKERS)

    ran = python(tmp_path, FORKS.format(then=then), clock=clock)
    assert ran.timed_out is late
    assert ran.exit_code == (-signal.SIGKILL if late else 0)
    pids = [int(line) for line in ran.stdout.split()]
    assert len(pids) == SPEAKERS if late else pids
    for pid in pids:
        gone(pid)


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


@pytest.mark.parametrize("descriptor", [1, 2])
def test_a_flood_is_counted(tmp_path: Path, descriptor: int) -> None:
    """Of fifty megabytes the first thousand bytes are kept; no more is ever in memory."""
    code = f"import os\nfor _ in range(50): os.write({descriptor}, b'x' * 1_000_000)"
    tracemalloc.start()
    try:
        ran = python(tmp_path, FULLY.format(code=code), RunLimits(output=1_000))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    kept = ran.stdout if descriptor == 1 else ran.stderr
    assert kept == b"x" * 1_000
    assert (ran.exit_code, ran.cut) == (0, FLOOD - 1_000)
    assert peak < 3_000_000
    assert "more bytes were not kept" in ran.text


FULLY = """
import os
def whole(fd, data, write=os.write):
    while data:
        data = data[write(fd, data):]
os.write = whole
{code}
"""


def test_both_outputs(tmp_path: Path) -> None:
    """A program that fills one output while nobody reads the other is not stuck."""
    code = FULLY.format(
        code="import sys\n"
        "for n in range(20): os.write(1 + n % 2, b'y' * 200_000)\n"
        "os.write(1, sys.stdin.buffer.read())"
    )
    ran = python(tmp_path, code, RunLimits(output=5_000_000), b"z" * 1_000_000)
    assert (len(ran.stdout), len(ran.stderr), ran.cut) == (3_000_000, 2_000_000, 0)


def test_limits_are_set(tmp_path: Path) -> None:
    """The program's own limits are those asked for, from its first line."""
    code = (
        "import resource as r; "
        "print(*(r.getrlimit(k)[0] for k in (r.RLIMIT_AS, r.RLIMIT_FSIZE, r.RLIMIT_CORE)))"
    )
    ran = python(tmp_path, code, RunLimits(memory=1 << 29, file_size=1_000))
    assert ran.stdout.split() == [b"536870912", b"1000", b"0"]
    free = python(tmp_path, code, RunLimits(memory=0, file_size=0, processes=0))
    assert free.stdout.split()[2] == b"0" and free.exit_code == 0


GROWS = """
import os
file = os.open("f", os.O_CREAT | os.O_WRONLY)
for _ in range(3):
    os.write(file, bytes(999))
"""


def test_limits_hold(tmp_path: Path) -> None:
    """Neither memory nor a file grows past them."""
    ran = python(tmp_path, "x = bytearray(1 << 30)", RunLimits(memory=1 << 28))
    assert ran.exit_code == 1 and b"MemoryError" in ran.stderr
    ran = python(tmp_path, GROWS, RunLimits(file_size=1_000))
    assert ran.exit_code != 0
    assert (tmp_path / "f").stat().st_size <= 1_000


def test_signals_are_as_they_should_be(tmp_path: Path) -> None:
    """A program starts with the signals Python ignores set back to what they do."""
    ran = run(
        [["/bin/cat", "/proc/self/status"]],
        shown=["cat"],
        cwd=tmp_path,
        environment={},
        stdin=b"",
        limits=RunLimits(),
    )
    ignored = [line for line in ran.stdout.splitlines() if line.startswith(b"SigIgn")]
    assert all(int(line.split()[1], 16) >> (signal.SIGPIPE - 1) & 1 == 0 for line in ignored)
