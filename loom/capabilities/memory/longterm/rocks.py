"""Long-term memory in a folder of RocksDB, for one process at a time (extra `rocksdb`).

Theory of operation. RocksDB keeps the rows, SQLite finds them: the store is that
of `sqlite`, over a database in memory that is filled when the folder is opened. The rows that a
transaction changed are written to RocksDB as one batch, synced, before the database in memory
commits; a batch that cannot be written undoes the transaction. So both stores find the same; this
one takes memory in the size of its texts, and some time to open when it is large.

RocksDB lets one process in; so a second process waits, at a lock file in the folder, until the
first closes the store. A torn end of the log is what a crash leaves, and is cut; other damage that
RocksDB's checksums or `_open_table` can see is an error.

Rows, by prefix, each with a number of eight bytes behind it: `i` memories by id, `w` their vectors;
`n` the last id, `e` the embedder of the vectors, `v` the version. Version 1 had rows to find
memories by as well (OLD), which are deleted when the store is opened.

Deleted rows stay in RocksDB's files until the files are compacted, which is done for the span of
deleted ids after the commit: where the compaction fails, the memory is gone and its bytes may not
be, and the error says so. Blocks the file system frees are not overwritten."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from msgspec import DecodeError, msgpack

from loom.capabilities.memory.longterm.database import (
    busy_store,
    corrupt_store,
    failed_store,
    newer_store,
    read_only_store,
)
from loom.capabilities.memory.longterm.memory_item import MemoryItem
from loom.capabilities.memory.longterm.sqlite import AMONG, Sqlite, id_list
from loom.disk import make_private_folders

VERSION = 2
ITEM, VECTOR, LAST, EMBEDDER, FORMAT = b"i", b"w", b"n", b"e", b"v"
OLD = (b"k", b"d", b"x", b"c")  # of version 1
LOCK, CURRENT = "LOOM.LOCK", "CURRENT"
FILE = 0o600
LOGS = 2  # of RocksDB's own diagnostics that are kept
# What RocksDB's messages hold, and SQLite's code for it; rocksdict raises them all as Exception.
CODES = {
    "lock hold by current process": sqlite3.SQLITE_BUSY,
    "Resource temporarily unavailable": sqlite3.SQLITE_BUSY,
    "Read-only file system": sqlite3.SQLITE_READONLY,
    "Permission denied": sqlite3.SQLITE_READONLY,
    "Corruption": sqlite3.SQLITE_CORRUPT,
    "Invalid argument": sqlite3.SQLITE_CORRUPT,
    "No such file": sqlite3.SQLITE_CORRUPT,
}


class Rocks(Sqlite):
    """A store of memories in RocksDB, in the folder `path`, which is created if missing. `wait` is
    how many seconds to wait for another process to close the folder. Raises ImportError without
    rocksdict."""

    def __init__(self, path: Path, wait: float) -> None:
        try:
            import rocksdict
        except ImportError as error:
            raise ImportError(
                "the engine 'rocksdb' needs more: pip install '.[rocksdb]' in a checkout of Loom"
            ) from error
        self.path, self._wait = str(path), wait
        self._library, self._filled = rocksdict, False
        self._table: Any = None
        self._lock = acquire_lock(path, wait)
        db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        try:
            with self._translate_errors():
                self._table = self._open_table(path)
                version = self._stored_number(FORMAT)
                if not version and next(iter(self._table.keys()), None) is not None:
                    raise corrupt_store(self.path, "it is the database of another program")
                if version > VERSION:
                    raise newer_store(self.path, version, VERSION)
                super().__init__(path, wait, db)
                self._load_rows()
                if version < VERSION:  # until the version is written this is done again
                    for key in [key for old in OLD for key, _ in self._stored_rows(old)]:
                        self._table.delete(key)
                    with self.write_transaction():
                        pass
        except BaseException:
            db.close()
            self._release()
            raise

    @contextmanager
    def write_transaction(self) -> Iterator[None]:
        """Run the block as one transaction: its changes are written and synced together at its end.
        After deletions, RocksDB's files are compacted, so that they no longer hold deleted data."""
        with super().write_transaction():
            yield
        if self._gone:
            options = self._library.CompactOptions()
            forced = self._library.BottommostLevelCompaction.force()
            options.set_bottommost_level_compaction(forced)
            first, end = min(self._gone), max(self._gone) + 1
            try:
                self._table.flush()
                for prefix in (ITEM, VECTOR):
                    self._table.compact_range(
                        _row_key(prefix, first), _row_key(prefix, end), options
                    )
            except Exception as error:
                why = f"forgotten, but not yet rubbed out of its files ({error})"
                raise failed_store(self.path, why) from error

    def _finish_writing(self) -> None:
        """Write to RocksDB, synced, all memories changed in the transaction."""
        if not self._filled:
            return
        batch, held = self._library.WriteBatch(raw_mode=True), self.read(self._changed)
        found = f"SELECT id, vector FROM vectors WHERE {AMONG}"
        vectors = dict(self._db.execute(found, (id_list(self._changed),)))
        rows = {_row_key(VECTOR, id): vectors.get(id) for id in self._changed}
        for id in self._changed:
            rows[_row_key(ITEM, id)] = msgpack.encode(held[id]) if id in held else None
        rows[_row_key(EMBEDDER)] = self._state_value("embedder").encode()
        rows[_row_key(LAST)], rows[_row_key(FORMAT)] = (
            _eight_bytes(self.next_id() - 1),
            _eight_bytes(VERSION),
        )
        for key, row in rows.items():
            batch.delete(key) if row is None else batch.put(key, row)
        synced = self._library.WriteOptions()
        synced.sync = True
        self._table.write(batch, synced)

    def close(self) -> None:
        """Close the store and release the folder's lock."""
        super().close()
        self._release()

    def _release(self) -> None:
        """Close RocksDB and release the lock of the folder."""
        if self._table is not None:
            self._table.close()
            _restrict_modes(Path(self.path))
        self._lock.release()

    def _open_table(self, path: Path) -> Any:
        """Open RocksDB in the folder `path` and return it. Raises PagingError if the file CURRENT
        is missing or the manifest is damaged: RocksDB would treat the folder as empty and delete
        files."""
        tables, library = any(path.glob("*.sst")), self._library
        options = library.Options(raw_mode=True)
        # A write that a crash cut short is dropped; damage before it is an error, not an end.
        options.set_wal_recovery_mode(library.DBRecoveryMode.tolerate_corrupted_tail_records())
        options.set_paranoid_checks(True)
        options.set_keep_log_file_num(LOGS)
        why = ""
        if not (path / CURRENT).is_file():
            if tables or any(log.stat().st_size for log in path.glob("*.log")):
                why = f"its file {CURRENT} is missing"
        elif tables:
            reading = library.AccessType.read_only(False)
            seen = library.Rdict(self.path, options, access_type=reading)
            if seen.get(_row_key(FORMAT)) is None:
                why = "its tables are no memories, or its manifest is cut"
            seen.close()
        if why:
            raise corrupt_store(self.path, why)
        made = library.Rdict(self.path, options)
        _restrict_modes(path)
        return made

    def _load_rows(self) -> None:
        """Copy all stored memories from RocksDB into the SQLite database in memory."""
        with self._transaction("BEGIN"):
            for key, row in self._stored_rows(ITEM):
                try:
                    self.restore(msgpack.decode(row, type=MemoryItem))
                except DecodeError as error:
                    raise corrupt_store(self.path, f"memory {_row_id(key)}: {error}") from error
            embedder = self._table.get(_row_key(EMBEDDER)) or b""
            vectors = {_row_id(key): vector for key, vector in self._stored_rows(VECTOR)}
            self.keep_vectors(embedder.decode(), vectors)
            self._db.execute("DELETE FROM sqlite_sequence WHERE name = 'memories'")
            last = (self._stored_number(LAST),)
            self._db.execute("INSERT INTO sqlite_sequence VALUES ('memories', ?)", last)
        self._filled = True

    def _stored_number(self, prefix: bytes) -> int:
        """Return the number stored in RocksDB under the key `prefix`; 0 if there is none."""
        return int.from_bytes(self._table.get(_row_key(prefix)) or b"", "big")

    def _stored_rows(self, prefix: bytes) -> Iterator[tuple[bytes, bytes]]:
        """Yield (key, value) for each key in RocksDB that begins with `prefix`."""
        for key, value in self._table.items(from_key=prefix):
            if not key.startswith(prefix):
                return
            yield key, value

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        """Run the block. Replace an exception of RocksDB by an error of Loom."""
        try:
            with super()._translate_errors():
                yield
        except Exception as error:
            if type(error) is Exception:
                code = next((CODES[part] for part in CODES if part in str(error)), -1)
                raise self._store_error(code, str(error)) from error
            raise


def acquire_lock(path: Path, wait: float) -> FileLock:
    """Lock the folder, created if missing, and return the lock. Raises StoreLocked when another
    process holds it for `wait` seconds, StoreUnreachable for a read-only folder, else PagingError.
    """
    try:
        make_private_folders(path)
        lock = FileLock(path / LOCK, timeout=wait, mode=FILE, thread_local=False)
        lock.acquire()
    except Timeout:
        raise busy_store(str(path), wait) from None
    except OSError as error:
        if path.is_dir() and not os.access(path, os.W_OK):
            raise read_only_store(str(path)) from error
        raise failed_store(str(path), str(error)) from error
    return lock


def _restrict_modes(path: Path) -> None:
    """Make the files that RocksDB wrote readable by their owner only (0600)."""
    # RocksDB has no option for this; a folder that Loom created has mode 0700 all the time
    for file in path.iterdir():
        with suppress(OSError):  # it has gone since, or is another's
            if file.is_file() and not file.is_symlink():
                file.chmod(FILE)


def _eight_bytes(value: int) -> bytes:
    """Return a number as eight bytes, big-endian, so that keys sort by number."""
    return value.to_bytes(8, "big")


def _row_key(prefix: bytes, number: int = 0) -> bytes:
    """Return a RocksDB key: the prefix, then the number as eight bytes."""
    return prefix + _eight_bytes(number)


def _row_id(key: bytes) -> int:
    """Return the number at the end of a RocksDB key: the memory's id."""
    return int.from_bytes(key[1:], "big")
