"""What is durable is in the drive, not in its cache. No Mac is here: what `fcntl` has on one is put
into it, and the rest is real."""

import errno
import fcntl
import os
from pathlib import Path
from typing import Any

import pytest

from loom_paging import FileStore, folders

FULL = 51  # F_FULLFSYNC of macOS


class MacFcntl:
    """The module `fcntl` as macOS has it, on a file system that may refuse or fail."""

    F_FULLFSYNC = FULL

    def __init__(self, error: int = 0) -> None:
        self.asked: list[int] = []
        self._error = error

    def fcntl(self, descriptor: int, command: int) -> int:
        """Note what is flushed."""
        assert command == FULL
        fcntl.fcntl(descriptor, fcntl.F_GETFD)  # it is open
        self.asked.append(descriptor)
        if self._error:
            raise OSError(self._error, os.strerror(self._error))
        return 0


class Asked:
    """How often `os` is asked to sync, for real."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.times = 0
        for name in ("fsync", "fdatasync"):
            monkeypatch.setattr(os, name, self._counted(getattr(os, name)))

    def _counted(self, real: Any) -> Any:
        def call(descriptor: int) -> None:
            self.times += 1
            real(descriptor)

        return call


def written(path: Path) -> None:
    """One of each that is durable: a page, a log, a folder."""
    store = FileStore(path)
    store.put("outputs/a", b"page")
    store.append("journal/1", b"line")
    store.close()
    assert (store.get("outputs/a"), store.get("journal/1")) == (b"page", b"line")


def test_on_macos_the_drive_writes_its_cache_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each sync is one F_FULLFSYNC, and no other."""
    asked = Asked(monkeypatch)
    written(tmp_path / "linux")
    times, asked.times = asked.times, 0
    monkeypatch.setattr(folders, "fcntl", mac := MacFcntl())
    written(tmp_path / "mac")
    assert (len(mac.asked), asked.times) == (times, 0)


@pytest.mark.parametrize("error", [errno.ENOTSUP, errno.EINVAL, errno.ENOTTY])
def test_a_file_system_that_refuses_gets_a_plain_sync(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: int
) -> None:
    """As many as were refused."""
    asked = Asked(monkeypatch)
    monkeypatch.setattr(folders, "fcntl", mac := MacFcntl(error))
    written(tmp_path / "w")
    assert asked.times == len(mac.asked) > 4


def test_an_error_of_the_disk_is_no_refusal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is raised: a plain sync might find nothing left to fail."""
    asked = Asked(monkeypatch)
    monkeypatch.setattr(folders, "fcntl", MacFcntl(errno.EIO))
    with pytest.raises(OSError, match="Input/output"):
        written(tmp_path / "w")
    assert not asked.times
