"""One writer per store, across objects, processes, and deaths."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from loom_paging import Lock, StoreLocked, StoreReplaced, writer_of

HOLD = """
import sys
from pathlib import Path
from loom_paging import Lock
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
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


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


def test_the_lock_dies_with_its_holder(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    """A holder that was killed locks nobody out: the file names it still, and it is no writer."""
    holder.kill()
    holder.wait()
    assert (tmp_path / "LOCK").read_text() == str(holder.pid)
    assert writer_of(tmp_path) is None
    lock = Lock(tmp_path)
    lock.acquire()
    assert lock.held
    lock.release()


def test_a_free_store_has_no_writer(tmp_path: Path) -> None:
    """No folder, no file, after a release, and whatever else stands in the place of the file."""
    assert writer_of(tmp_path / "none") is None and writer_of(tmp_path) is None
    lock = Lock(tmp_path)
    lock.acquire()
    lock.release()
    assert writer_of(tmp_path) is None
    for text in ("1", str(os.getpid()), "no number", "9" * 400, "\u0661"):
        (tmp_path / "LOCK").write_text(text, "utf-8")
        if Path("/proc/locks").exists():
            assert writer_of(tmp_path) is None, text
    (tmp_path / "LOCK").unlink()
    os.mkfifo(tmp_path / "LOCK")
    assert writer_of(tmp_path) is None


class Slow:
    """A path at which a handler of signals raises, or the file system does."""

    def __init__(self, path: Path, error: OSError) -> None:
        self.parent, self._path, self._error = path.parent, path, error

    def stat(self) -> os.stat_result:
        """Raise what was given."""
        raise self._error


@pytest.mark.parametrize(
    ("error", "raised"),
    [
        (TimeoutError("the host's time is over"), TimeoutError),
        (OSError("the host's own"), OSError),
        (FileNotFoundError(2, "gone"), StoreReplaced),
    ],
)
def test_only_the_file_system_says_what_was_replaced(
    tmp_path: Path, error: OSError, raised: type[Exception]
) -> None:
    """What a handler of signals raises during the check is raised as it is."""
    lock = Lock(tmp_path)
    lock.acquire()
    path, lock.path = lock.path, Slow(lock.path, error)
    with pytest.raises(raised) as caught:
        lock.check()
    assert caught.type is raised
    lock.path = path
    lock.release()
