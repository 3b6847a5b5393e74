"""The RocksDB folder of a store: the lock that lets one process in, and how it is opened."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from loom.capabilities.memory.longterm.errors import (
    BusyStore,
    CorruptStore,
    FailedStore,
    ReadOnlyStore,
)
from loom.disk import private_folders

LOCK, CURRENT = "LOOM.LOCK", "CURRENT"
FILE = 0o600
LOGS = 2  # of RocksDB's own diagnostics that are kept


def locked(path: Path, wait: float) -> FileLock:
    """The lock of the folder, made when missing.

    Raises BusyStore, FailedStore, and ReadOnlyStore: rocksdict writes where it only reads.
    """
    try:
        private_folders(path)
        lock = FileLock(path / LOCK, timeout=wait, mode=0o600, thread_local=False)
        lock.acquire()
    except Timeout:
        raise BusyStore(str(path), wait) from None
    except OSError as error:
        if path.is_dir() and not os.access(path, os.W_OK):
            raise ReadOnlyStore(str(path)) from error
        raise FailedStore(str(path), str(error)) from error
    return lock


def opened(library: Any, path: Path, mark: bytes) -> Any:
    """The open folder; `mark` is the key of a row that every store has.

    RocksDB takes a folder without CURRENT, and one whose manifest lost its tail, for an empty one,
    and sweeps away the files it does not know. So both are looked for first, without writing, and
    raise CorruptStore. A manifest that lost only its last files cannot be told from a whole one.
    """
    tables = any(path.glob("*.sst"))
    options = library.Options(raw_mode=True)
    # A write that a crash cut short is dropped; damage before it is an error, not an end.
    options.set_wal_recovery_mode(library.DBRecoveryMode.tolerate_corrupted_tail_records())
    options.set_paranoid_checks(True)
    options.set_keep_log_file_num(LOGS)
    if not (path / CURRENT).is_file():
        if tables or any(log.stat().st_size for log in path.glob("*.log")):
            raise CorruptStore(str(path), f"its file {CURRENT} is missing")
    elif tables:
        seen = library.Rdict(str(path), options, access_type=library.AccessType.read_only(False))
        try:
            if seen.get(mark) is None:
                raise CorruptStore(str(path), "its tables are no memories, or its manifest is cut")
        finally:
            seen.close()
    made = library.Rdict(str(path), options)
    narrowed(path)
    return made


def narrowed(path: Path) -> None:
    """Make what RocksDB wrote 0600.

    RocksDB makes its files with the modes the umask leaves, and cannot be told otherwise. Nobody
    else reaches them where Loom made the folder, which is 0700 before the first is there.
    """
    with os.scandir(path) as held:
        for entry in held:
            with suppress(OSError):  # it has gone since, or is another's
                if entry.is_file(follow_symlinks=False) and entry.stat().st_mode & 0o777 != FILE:
                    Path(entry.path).chmod(FILE)
