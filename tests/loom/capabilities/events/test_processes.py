import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from loom.capabilities.events.poller import Signal
from loom.capabilities.events.sources import ProcessWatch
from tests.kit.cases import all_cases

WAITS = "import sys; sys.stdin.read(); sys.exit({code})"


@pytest.fixture
def begun() -> Iterator[list[subprocess.Popen[bytes]]]:
    """Processes a test began; none of them outlives it."""
    held: list[subprocess.Popen[bytes]] = []
    yield held
    for process in held:
        with process:
            process.kill()


def begin(held: list[subprocess.Popen[bytes]], code: int = 0) -> subprocess.Popen[bytes]:
    """A process that ends with `code` when its input is closed."""
    process = subprocess.Popen(
        [sys.executable, "-S", "-c", WAITS.format(code=code)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    held.append(process)
    return process


def only(told: list[Signal]) -> Signal:
    """The one signal there is."""
    (signal,) = told
    return signal


def test_a_process_that_runs_is_not_told(begun: list[subprocess.Popen[bytes]]) -> None:
    """Neither as a child nor as anyone's process."""
    processes = ProcessWatch()
    assert processes.look() == []
    processes.watch(begin(begun))
    processes.watch(begin(begun).pid)
    processes.watch(os.getpid())
    processes.watch(os.getppid())
    assert processes.look() == [] == processes.look()


@pytest.mark.parametrize("by_id", [False, True])
def test_a_child_that_was_killed_is_told_so(
    begun: list[subprocess.Popen[bytes]], by_id: bool
) -> None:
    """By the name of the signal."""
    process = begin(begun)
    processes = ProcessWatch()
    processes.watch(process.pid if by_id else process)
    process.send_signal(signal.SIGKILL)
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert only(processes.look()).summary == f"process {process.pid} was ended by SIGKILL"


def test_a_child_somebody_waited_for_has_ended_without_a_how(
    begun: list[subprocess.Popen[bytes]],
) -> None:
    """By id the status is gone with it; a Popen has kept it."""
    process = begin(begun, 7)
    by_id, by_object = ProcessWatch(), ProcessWatch()
    by_id.watch(process.pid)
    by_object.watch(process)
    process.communicate()
    assert "not known" in only(by_id.look()).summary
    assert "exit code 7" in only(by_object.look()).summary


def test_a_process_of_another_is_seen_to_end(begun: list[subprocess.Popen[bytes]]) -> None:
    """A grandchild is nobody we could wait for: it runs, then it is gone."""
    spawns = (
        "import subprocess, sys\n"
        "child = subprocess.Popen([sys.executable, '-S', '-c', 'input()'], stdin=subprocess.PIPE)\n"
        "print(child.pid, flush=True)\n"
        "sys.stdin.readline()\n"
        "child.communicate()\n"
        "print('gone', flush=True)\n"
        "sys.stdin.readline()\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", spawns], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    begun.append(parent)
    assert parent.stdin and parent.stdout
    processes = ProcessWatch()
    processes.watch(int(parent.stdout.readline()), "grandchild")
    assert processes.look() == []
    parent.stdin.write(b"\n")
    parent.stdin.flush()
    assert parent.stdout.readline() == b"gone\n"
    told = only(processes.look())
    assert told.summary.startswith("grandchild has ended; how is not known (process ")
    assert told.urgency == "normal"


def test_an_id_that_was_given_to_another_process_is_an_end(tmp_path: Path) -> None:
    """The time it started tells: the process with this id now is not the one that was watched."""
    stat = tmp_path / str(os.getpid()) / "stat"
    stat.parent.mkdir()
    stat.write_text("1 (odd) name) S " + " ".join(str(n) for n in range(4, 40)))
    processes = ProcessWatch(tmp_path)
    processes.watch(os.getpid())
    assert processes.look() == []
    stat.write_text("1 (odd) name) S " + " ".join(str(n) for n in range(5, 41)))
    assert "has ended" in only(processes.look()).summary


@all_cases("pid", [0, -1, 2**31, 2**70])
def test_what_is_no_process_id_is_refused(pid: int) -> None:
    """0 and below would mean whole groups of processes."""
    with pytest.raises(ValueError, match="no process id"):
        ProcessWatch().watch(pid)
