"""Processes that end, timers, and what is measured of the machine."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.capabilities.events.poller import Signal, make_signal
from loom.capabilities.events.sources import DiskWatch, ProcessWatch, Timers
from loom.errors import BadInput, LoomError
from loom_partitions.working import URGENCIES
from tests.kit.cases import all_cases


def test_timers_fire_in_the_order_they_are_due() -> None:
    """Several in one look come as they were due, not as they were set."""
    now = 0
    timers = Timers(lambda: now)
    for seconds in (3, 1, 2):
        timers.at(seconds, f"t{seconds}", "x")
    now += 10
    assert [signal.id.split("#")[0] for signal in timers.look()] == ["t1", "t2", "t3"]


@given(
    st.floats(0, 1e9),
    st.floats(0.001, 1e9),
    st.lists(st.floats(0, 1e9), min_size=1, max_size=20),
)
def test_a_repeating_timer_fires_at_most_once_a_look(
    first: float, every: float, steps: list[float]
) -> None:
    """Whatever the times, ids are new and a second look at one time finds nothing."""
    now = 0.0
    timers = Timers(lambda: now)
    timers.at(first, "t", "x" * 200, every=every)
    ids = []
    for step in steps:
        now += step
        ids += [signal.id for signal in timers.look()]
        assert timers.look() == []
    assert len(ids) == len(set(ids))


@all_cases(
    ("seconds", "every"),
    [(-1.0, 0.0), (float("nan"), 0.0), (float("inf"), 0.0), (1.0, -1.0), (1.0, 1e-9)],
)
def test_times_that_are_none_are_refused(seconds: float, every: float) -> None:
    """A time is 0 or more; a rhythm is not endlessly fast."""
    with pytest.raises(ValueError, match="seconds"):
        Timers().at(seconds, "t", "x", every=every)


BAD = [
    *((field, text) for field in ("id", "kind", "summary") for text in ("", "\t \x1b[0m")),
    ("urgency", "urgent"),
]


@all_cases(("field", "value"), BAD)
def test_what_could_not_be_shown_is_no_signal(field: str, value: str) -> None:
    """An id, kind or summary without a letter, and an unknown urgency, are refused."""
    with pytest.raises(BadInput) as raised:
        Signal(**{"id": "a", "kind": "files", "summary": "a", "urgency": "low", field: value})
    assert isinstance(raised.value, LoomError)


@given(st.text(st.characters(), max_size=400), st.sampled_from(URGENCIES))
def test_any_text_of_an_occurrence_makes_a_signal(text: str, urgency: str) -> None:
    """A summary is cut and cleaned until it is a lawful one."""
    made = make_signal("files", text, urgency, text)
    assert 1 <= len(made.summary) <= 200 and made.urgency == urgency


@given(st.lists(st.integers(0, 300), max_size=60))
def test_between_two_edges_the_disk_was_cleared(frees: list[int]) -> None:
    """No two edges without a recovery between them, and no fall from clear air untold."""
    watch, armed, ids = DiskWatch(Path(), least=100), True, list[str]()
    for free in frees:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(
                shutil, "disk_usage", lambda path, free=free: SimpleNamespace(total=300, free=free)
            )
            told = watch.look()
        assert bool(told) == (armed and free < 100)
        armed = free >= 125 or (armed and free >= 100)
        ids += [signal.id for signal in told]
    assert len(ids) == len(set(ids))


def test_a_disk_below_its_threshold_is_told_once(tmp_path: Path) -> None:
    """A condition that stays is told no more; a disk that is not there raises."""
    small = DiskWatch(tmp_path, shutil.disk_usage(tmp_path).total * 2)
    assert DiskWatch(tmp_path, 1).look() == []
    (told,) = small.look()
    assert (told.kind, told.urgency) == ("disk", "high") and "bytes left" in told.summary
    assert small.look() == []
    with pytest.raises(FileNotFoundError):
        DiskWatch(tmp_path / "none").look()


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
