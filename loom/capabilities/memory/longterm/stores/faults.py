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


def _busy(path: str, said: str, wait: float) -> LongTermError:
    return BusyStore(path, wait)


def _read_only(path: str, said: str, wait: float) -> LongTermError:
    return ReadOnlyStore(path)


def _corrupt(path: str, said: str, wait: float) -> LongTermError:
    return CorruptStore(path, said)


def _failed(path: str, said: str, wait: float) -> LongTermError:
    return FailedStore(path, said)


# SQLite's result codes. A statement of ours that fails to compile, or breaks a constraint, met
# tables that are not as they were made.
SQLITE: dict[int, MakeError] = {
    sqlite3.SQLITE_BUSY: _busy,
    sqlite3.SQLITE_LOCKED: _busy,
    sqlite3.SQLITE_READONLY: _read_only,
    sqlite3.SQLITE_CORRUPT: _corrupt,
    sqlite3.SQLITE_NOTADB: _corrupt,
    sqlite3.SQLITE_ERROR: _corrupt,
    sqlite3.SQLITE_CONSTRAINT: _corrupt,
    sqlite3.SQLITE_MISMATCH: _corrupt,
}
# What RocksDB's messages begin with or hold; rocksdict raises them all as Exception.
ROCKS: tuple[tuple[str, MakeError], ...] = (
    ("lock hold by current process", _busy),
    ("Resource temporarily unavailable", _busy),
    ("Read-only file system", _read_only),
    ("Permission denied", _read_only),
    ("Corruption", _corrupt),
    ("Invalid argument", _corrupt),
    ("No such file", _corrupt),
)


def told(error: sqlite3.Error, path: str, wait: float) -> LongTermError:
    """The error SQLite's means."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & PRIMARY
    return SQLITE.get(code, _failed)(path, str(error), wait)


def told_by_rocks(error: Exception, path: str, wait: float) -> LongTermError:
    """The error RocksDB's means."""
    said = str(error)
    fault = next((fault for part, fault in ROCKS if part in said), _failed)
    return fault(path, said, wait)
