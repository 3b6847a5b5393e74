"""One writer per store: an advisory lock on the file LOCK at its root.

The operating system drops the lock when the process ends, however it ends, so a stale file never
locks anyone out. The file holds only the writer's process id, for messages.

The lock belongs to the process that took it: a child forked from that process inherits the open
file, but cannot release the lock of its parent. A file LOCK that is removed or replaced locks
nobody out any more; `Lock.check` tells the writer so.

`writer_of` says whether the lock is held without taking it: even a shared lock held for a moment
would refuse a writer who comes at that moment."""

from __future__ import annotations

import os
from contextlib import suppress
from errno import EROFS
from pathlib import Path
from stat import S_ISREG

from filelock import FileLock, Timeout

from loom_paging.errors import StoreLocked, StoreReplaced
from loom_paging.names import LOCK
from loom_paging.plain import BINARY, open_plain_file, open_private_file


class Lock:
    """The lock on the store in the folder `root`, which must exist."""

    def __init__(self, root: Path) -> None:
        self.path = root / LOCK
        self.process = os.getpid()
        self._lock = FileLock(self.path, mode=0o600, thread_local=False)
        self._file = (0, 0)  # device and inode of what is locked

    @property
    def held(self) -> bool:
        """True when this object holds the lock, in the process that made it."""
        return self._lock.is_locked and self.process == os.getpid()

    def check(self) -> None:
        """Raise StoreReplaced when the lock file was removed, or another file has its path."""
        if self._file_identity() != self._file:
            raise StoreReplaced(str(self.path.parent), "its file LOCK was removed or replaced")

    def _file_identity(self) -> tuple[int, int]:
        """Return the (device, inode) of the file LOCK; (0, 0) when there is none."""
        try:
            about = self.path.stat()
        except OSError as error:
            if error.errno is None:  # not the file system's: what a handler of signals raised
                raise
            return (0, 0)
        return (about.st_dev, about.st_ino)

    def acquire(self) -> None:
        """Take the lock, without waiting. Raises StoreLocked when it is held already."""
        holder = self._read_holder()
        if self.held:
            raise StoreLocked(str(self.path.parent), _describe_holder(holder))
        try:
            self._lock.acquire(blocking=False)
            self._write_holder(str(os.getpid()))
            self._file = self._file_identity()
        except Timeout:
            # Some releases of filelock empty the file of the one who holds it.
            if holder and not self._read_holder():
                self._write_holder(holder)
            raise StoreLocked(str(self.path.parent), _describe_holder(holder)) from None
        except BaseException as error:
            self.release()
            # Mounted to be read: nobody can write, so nobody is kept out.
            if not isinstance(error, OSError) or error.errno != EROFS:
                raise
            self._file = self._file_identity()

    def release(self) -> None:
        """Release the lock; no-op when it is not held."""
        if self.held:
            self._write_holder("")
            self._lock.release()

    def _read_holder(self) -> str:
        try:
            with open_plain_file(self.path) as file:
                return file.read(_PID_BYTES).decode("ascii", "replace").strip()
        except OSError:  # not there yet; on Windows, not readable while locked
            return ""

    def _write_holder(self, holder: str) -> None:
        with suppress(OSError):  # only the message is poorer
            descriptor = open_private_file(self.path, os.O_WRONLY | os.O_TRUNC | BINARY)
            with os.fdopen(descriptor, "wb") as file:
                file.write(holder.encode())


UNKNOWN = 0  # the process id of a writer that cannot be named
_PID_BYTES = 20
_LISTED = Path("/proc/locks")  # Linux: every lock that is held, a line each


def writer_of(root: Path) -> int | None:
    """Return the process id of the writer that holds the store under `root`. Return None when there
    is no writer, and 0 (UNKNOWN) when its id cannot be found out. Takes no lock and writes nothing.
    """
    path = root / LOCK
    try:
        about = path.lstat()
        if not S_ISREG(about.st_mode):
            return None
        with open_plain_file(path) as file:
            named = file.read(_PID_BYTES).strip()
    except PermissionError:
        if os.name == "nt":
            return UNKNOWN
        named = b""
    except OSError:
        return None
    # Linux has a list of locks. Elsewhere the process named in the file counts if it is alive.
    process = int(named) if named.isdigit() else UNKNOWN
    try:
        # The list is read in parts and may change between two: a writer that is named is looked
        # for twice.
        looks = 2 if process else 1
        found = (
            _holder_in_list(_LISTED.read_text(encoding="ascii"), about, process)
            for _ in range(looks)
        )
        return next((pid for pid in found if pid is not None), None)
    except OSError:
        return process if process and _is_alive(process) else None


def _holder_in_list(listed: str, about: os.stat_result, named: int) -> int | None:
    """Return the id of the process that holds a lock on a file, from the text of /proc/locks.
    Return None when nobody holds it, and UNKNOWN for a process of another namespace.

    `about` is the file's stat result, `named` the process id written in the file. A line of the
    list is `1: FLOCK ADVISORY WRITE 6031 fe:00:2278755 0 EOF`; `->` marks a process that waits."""
    device = f"{os.major(about.st_dev):02x}:{os.minor(about.st_dev):02x}"
    for parts in map(str.split, listed.splitlines()):
        if len(parts) < 6 or parts[1] == "->":
            continue
        on, _, inode = parts[5].rpartition(":")
        # Some file systems list another device than `stat` gives.
        if inode == str(about.st_ino) and (on == device or parts[4] == str(named)):
            return max(int(parts[4]), UNKNOWN)
    return None


def _is_alive(process: int) -> bool:
    """Return True when the process exists. Always False on Windows."""
    if os.name == "nt":  # the question would interrupt the process
        return False
    try:
        os.kill(process, 0)
    except OverflowError:
        return False
    except OSError as error:
        return isinstance(error, PermissionError)
    return True


def _describe_holder(holder: str) -> str:
    """Return the holder of a lock in words. `holder` is the text of the lock file: "4711" →
    "process 4711", "" → "another process"."""
    if holder == str(os.getpid()):
        return f"this process ({holder})"
    return f"process {holder}" if holder else "another process"
