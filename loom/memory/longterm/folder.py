"""The RocksDB folder of a store: the lock that lets one process in, and how it is opened."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from loom.memory.longterm.errors import BusyStore, CorruptStore, FailedStore

LOCK, CURRENT = "LOOM.LOCK", "CURRENT"
LOGS = 2  # of RocksDB's own diagnostics that are kept


def locked(path: Path, wait: float) -> FileLock | None:
    """The lock of the folder, made when missing; None where it may only be read."""
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = FileLock(path / LOCK, timeout=wait, mode=0o600, thread_local=False)
        lock.acquire()
    except Timeout:
        raise BusyStore(str(path), wait) from None
    except OSError as error:
        if (path / CURRENT).is_file() and os.access(path, os.R_OK | os.X_OK):
            return None
        raise FailedStore(str(path), str(error)) from error
    return lock


def opened(library: Any, path: Path, *, write: bool) -> Any:
    """The open folder. Raises CorruptStore where RocksDB would begin anew over what is there."""
    data = (file for kind in ("*.sst", "*.log") for file in path.glob(kind))
    if not (path / CURRENT).is_file() and any(file.stat().st_size for file in data):
        raise CorruptStore(str(path), f"its file {CURRENT} is missing")
    options = library.Options(raw_mode=True)
    # A write that a crash cut short is dropped; damage before it is an error, not an end.
    options.set_wal_recovery_mode(library.DBRecoveryMode.tolerate_corrupted_tail_records())
    options.set_paranoid_checks(True)
    options.set_keep_log_file_num(LOGS)
    access = library.AccessType
    kind = access.read_write() if write else access.read_only(False)
    return library.Rdict(str(path), options, access_type=kind)
