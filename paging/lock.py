"""One writer per store: an advisory lock on the file LOCK at its root.

The operating system drops the lock when the process ends, however it ends, so a stale file never
locks anyone out. The file holds the writer's process id for the message, and nothing else.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from filelock import FileLock, Timeout

from paging.errors import StoreLocked
from paging.names import LOCK


class Lock:
    """The lock of the store under `root`, a folder that exists."""

    def __init__(self, root: Path) -> None:
        self.path = root / LOCK
        self._lock = FileLock(self.path, mode=0o600, thread_local=False)

    @property
    def held(self) -> bool:
        """Whether this very lock object holds the store."""
        return self._lock.is_locked

    def acquire(self) -> None:
        """Take the lock now; StoreLocked when anyone has it, this object included."""
        holder = self._read()
        if self.held:
            raise StoreLocked(str(self.path.parent), _describe(holder))
        try:
            self._lock.acquire(blocking=False)
        except Timeout:
            # Some releases of filelock empty the file of the one who holds it.
            if holder and not self._read():
                self._write(holder)
            raise StoreLocked(str(self.path.parent), _describe(holder)) from None
        self._write(str(os.getpid()))

    def release(self) -> None:
        """Give the lock back; no-op when it is not held."""
        if self.held:
            self._write("")
            self._lock.release()

    def _read(self) -> str:
        try:
            return self.path.read_text(encoding="ascii", errors="replace").strip()
        except OSError:  # not there yet; on Windows, not readable while locked
            return ""

    def _write(self, holder: str) -> None:
        with suppress(OSError):  # only the message is poorer
            self.path.write_text(holder, encoding="ascii")


def _describe(holder: str) -> str:
    if holder == str(os.getpid()):
        return f"this process ({holder})"
    return f"process {holder}" if holder else "another process"
