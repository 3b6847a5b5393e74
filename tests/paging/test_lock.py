"""One writer per store, across objects, processes, and deaths."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from paging import Lock, StoreLocked

HOLD = """
import sys
from pathlib import Path
from paging import Lock
lock = Lock(Path(sys.argv[1]))
lock.acquire()
print("held", flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the lock until it reads a line."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_acquire_and_release(tmp_path: Path) -> None:
    """Releasing what is not held is a no-op; a lock can be taken again after release."""
    lock = Lock(tmp_path)
    lock.release()
    assert not lock.held
    for _ in range(2):
        lock.acquire()
        assert lock.held
        lock.release()
    Lock(tmp_path).acquire()


def test_the_file_is_private_and_names_the_holder(tmp_path: Path) -> None:
    """LOCK is 0600 and holds the process id while it is held."""
    lock = Lock(tmp_path)
    lock.acquire()
    assert (tmp_path / "LOCK").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "LOCK").read_text() == str(os.getpid())
    lock.release()
    assert (tmp_path / "LOCK").read_text() == ""


def test_a_second_opener_here_is_refused(tmp_path: Path) -> None:
    """Another object, and the same one again, are refused until release; the holder keeps it."""
    first, second = Lock(tmp_path), Lock(tmp_path)
    first.acquire()
    for lock in (second, first, second):
        with pytest.raises(StoreLocked, match=str(os.getpid())) as caught:
            lock.acquire()
        assert caught.value.path == str(tmp_path)
    assert first.held
    first.release()
    second.acquire()
    second.release()


def test_a_second_process_is_refused(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    """The message names the process that holds the store, however often one asks."""
    for _ in range(2):
        with pytest.raises(StoreLocked, match=f"process {holder.pid}"):
            Lock(tmp_path).acquire()


def test_the_lock_dies_with_its_holder(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    """A holder that was killed locks nobody out."""
    holder.kill()
    holder.wait()
    lock = Lock(tmp_path)
    lock.acquire()
    assert lock.held
    lock.release()
