"""Errors of SQLite and RocksDB turned into the errors of a store."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from loom.capabilities.memory.longterm.errors import (
    BusyStore,
    CorruptStore,
    FailedStore,
    LongTermError,
    ReadOnlyStore,
)

PRIMARY = 0xFF  # the part of SQLite's extended codes that says what kind of fault it is

MakeError = Callable[[str, str, float], LongTermError]  # path, what was said, seconds waited


_BUSY: MakeError = lambda path, said, wait: BusyStore(path, wait)  # noqa: E731
_READ_ONLY: MakeError = lambda path, said, wait: ReadOnlyStore(path)  # noqa: E731
_CORRUPT: MakeError = lambda path, said, wait: CorruptStore(path, said)  # noqa: E731
_FAILED: MakeError = lambda path, said, wait: FailedStore(path, said)  # noqa: E731

# SQLite's result codes. A statement of ours that fails to compile, or breaks a constraint, met
# tables that are not as they were made.
SQLITE: dict[int, MakeError] = {
    sqlite3.SQLITE_BUSY: _BUSY,
    sqlite3.SQLITE_LOCKED: _BUSY,
    sqlite3.SQLITE_READONLY: _READ_ONLY,
    sqlite3.SQLITE_CORRUPT: _CORRUPT,
    sqlite3.SQLITE_NOTADB: _CORRUPT,
    sqlite3.SQLITE_ERROR: _CORRUPT,
    sqlite3.SQLITE_CONSTRAINT: _CORRUPT,
    sqlite3.SQLITE_MISMATCH: _CORRUPT,
}
# What RocksDB's messages begin with or hold; rocksdict raises them all as Exception.
ROCKS: tuple[tuple[str, MakeError], ...] = (
    ("lock hold by current process", _BUSY),
    ("Resource temporarily unavailable", _BUSY),
    ("Read-only file system", _READ_ONLY),
    ("Permission denied", _READ_ONLY),
    ("Corruption", _CORRUPT),
    ("Invalid argument", _CORRUPT),
    ("No such file", _CORRUPT),
)


def told(error: sqlite3.Error, path: str, wait: float) -> LongTermError:
    """The error SQLite's means."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & PRIMARY
    return SQLITE.get(code, _FAILED)(path, str(error), wait)


def told_by_rocks(error: Exception, path: str, wait: float) -> LongTermError:
    """The error RocksDB's means."""
    said = str(error)
    fault = next((fault for part, fault in ROCKS if part in said), _FAILED)
    return fault(path, said, wait)
