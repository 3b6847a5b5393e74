"""Long-term memory in a folder of RocksDB, for one process at a time (extra `rocksdb`).

Theory of operation
-------------------
RocksDB keeps the rows, SQLite finds them: the store is that of `sqlite`, over a database in memory
that is filled when the folder is opened, and what a transaction changes is written to RocksDB as
one batch, synced, before the database in memory commits. A batch that cannot be written undoes the
transaction. So both stores find the same; this one takes memory in the size of its texts, and some
time to open when it is large: who opens large stores often should take the other one.

RocksDB lets one process in; so a second one waits, at a lock file in the folder, until the first
closes the store. A torn end of the log is what a crash leaves, and is cut; other damage that
RocksDB's checksums or `folder.opened` can see is an error.

Rows, by prefix, each with a number of eight bytes behind it: `i` memories by id, `w` their vectors;
`n` the last id, `e` the embedder of the vectors, `v` the version. Version 1 had rows to find
memories by as well (OLD), which leave when it is opened.

What is deleted stays in RocksDB's files until they are compacted, which `purge` has it do for the
span of ids that went; blocks the file system frees are not overwritten. That comes after the
commit: where it fails the memory is gone and its bytes may not be, and the error says so.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from msgspec import DecodeError, msgpack
from msgspec.structs import replace

from loom.capabilities.memory.longterm.errors import CorruptStore, FailedStore, NewerStore
from loom.capabilities.memory.longterm.memory_item import MemoryItem
from loom.capabilities.memory.longterm.stores.faults import told_by_rocks
from loom.capabilities.memory.longterm.stores.folder import locked, narrowed, opened
from loom.capabilities.memory.longterm.stores.sqlite import Sqlite

VERSION = 2
ITEM, VECTOR, LAST, EMBEDDER, FORMAT = b"i", b"w", b"n", b"e", b"v"
OLD = (b"k", b"d", b"x", b"c")  # of version 1


class Rocks(Sqlite):
    """The folder at `path`, made when missing.

    `wait` is seconds another process may take to close it. Raises ImportError without the extra.
    """

    def __init__(self, path: Path, wait: float) -> None:
        try:
            import rocksdict
        except ImportError as error:
            raise ImportError(
                "the engine 'rocksdb' needs more: pip install '.[rocksdb]' in a checkout of Loom"
            ) from error
        self.path, self._wait = str(path), wait
        self._library = rocksdict
        self._table: Any = None
        self._gone: list[int] = []
        self._lock = locked(path, wait)
        db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        try:
            with self._told():
                self._table = opened(rocksdict, path, _key(FORMAT))
                self._sync = rocksdict.WriteOptions()
                self._sync.sync = True
                version = self._judge()
                super().__init__(path, wait, db)
                self._fill()
                if version < VERSION:
                    self._mark()
        except BaseException:
            db.close()
            self._let_go()
            raise

    @contextmanager
    def writing(self) -> Iterator[None]:
        """One write batch, synced."""
        self._batch, self._gone = self._library.WriteBatch(raw_mode=True), []
        with super().writing():
            yield
            self._table.write(self._batch, self._sync)
        if self._gone:
            self._compact()

    def insert(self, memory: MemoryItem) -> None:
        """Add a memory and its words."""
        super().insert(memory)
        self._put(memory)
        self._batch.put(_key(LAST), _number(memory.id))

    def update(self, before: MemoryItem, after: MemoryItem) -> None:
        """Change a memory's expiry and links."""
        super().update(before, after)
        self._put(after)

    def delete(self, memory: MemoryItem) -> None:
        """Remove a memory, its words and its vector."""
        super().delete(memory)
        self._batch.delete(_key(ITEM, memory.id))

    def purge(self, gone: Iterable[int]) -> None:
        """Compact those memories away after the commit."""
        self._gone = list(gone)

    def keep_vectors(self, embedder: str, vectors: Iterable[tuple[int, bytes]]) -> None:
        """Keep vectors of memories that are there."""
        if self._state("embedder") != embedder:
            for (id,) in self._db.execute("SELECT id FROM vectors"):
                self._batch.delete(_key(VECTOR, id))
            self._batch.put(_key(EMBEDDER), embedder.encode())
        given = dict(vectors)
        super().keep_vectors(embedder, given.items())
        for id, memory in self.read(given).items():
            if not memory.replaced_by:
                self._batch.put(_key(VECTOR, id), given[id])

    def close(self) -> None:
        """Close the folder, and let the next process in."""
        super().close()
        self._let_go()

    def _let_go(self) -> None:
        if self._table is not None:
            self._table.close()
            narrowed(Path(self.path))
        self._lock.release()

    def _judge(self) -> int:
        """Return the version of the rows, 0 for a new folder; refuse what is not ours to read."""
        version = int.from_bytes(self._table.get(_key(FORMAT)) or b"", "big")
        if not version and next(iter(self._table.keys()), None) is not None:
            raise CorruptStore(self.path, "it is the database of another program")
        if version > VERSION:
            raise NewerStore(self.path, version, VERSION)
        return version

    def _mark(self) -> None:
        """Mark the folder as a store of this version, without the rows of an earlier one."""
        with self.writing():
            for prefix in OLD:
                for key, _ in self._stored(prefix):
                    self._batch.delete(key)
            self._batch.put(_key(FORMAT), _number(VERSION))

    def _fill(self) -> None:
        """Read what is stored into the database in memory."""
        self._batch = self._library.WriteBatch(raw_mode=True)  # it is never written
        with super().writing():
            for key, row in self._stored(ITEM):
                try:
                    memory = msgpack.decode(row, type=MemoryItem)
                except DecodeError as error:
                    raise CorruptStore(self.path, f"memory {_id(key)}: {error}") from error
                bare = replace(memory, replaced_by=0)
                super().insert(bare)
                if memory.replaced_by:
                    super().update(bare, memory)
            embedder = self._table.get(_key(EMBEDDER)) or b""
            rows = ((_id(key), vector) for key, vector in self._stored(VECTOR))
            super().keep_vectors(embedder.decode(), rows)
            last = int.from_bytes(self._table.get(_key(LAST)) or b"", "big")
            self._db.execute("DELETE FROM sqlite_sequence WHERE name = 'memories'")
            self._db.execute("INSERT INTO sqlite_sequence VALUES ('memories', ?)", (last,))

    def _stored(self, prefix: bytes) -> Iterator[tuple[bytes, bytes]]:
        """Yield the committed rows under a prefix."""
        for key, value in self._table.items(from_key=prefix):
            if not key.startswith(prefix):
                return
            yield key, value

    def _put(self, memory: MemoryItem) -> None:
        self._batch.put(_key(ITEM, memory.id), msgpack.encode(memory))

    def _unfind(self, memory: MemoryItem) -> None:
        super()._unfind(memory)
        self._batch.delete(_key(VECTOR, memory.id))

    def _compact(self) -> None:
        options = self._library.CompactOptions()
        options.set_bottommost_level_compaction(self._library.BottommostLevelCompaction.force())
        first, last = min(self._gone), max(self._gone) + 1
        try:
            self._table.flush()
            for prefix in (ITEM, VECTOR):
                self._table.compact_range(_key(prefix, first), _key(prefix, last), options)
        except Exception as error:
            raise FailedStore(
                self.path, f"forgotten, but not yet rubbed out of its files ({error})"
            ) from error

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Turn what RocksDB says into the error it means; it has no exceptions of its own."""
        try:
            with super()._told():
                yield
        except Exception as error:
            if type(error) is Exception:
                raise told_by_rocks(error, self.path, self._wait) from error
            raise


def _number(value: int) -> bytes:
    """Return a number as keys and values hold it; keys sort by it."""
    return value.to_bytes(8, "big")


def _key(prefix: bytes, number: int = 0) -> bytes:
    return prefix + _number(number)


def _id(key: bytes) -> int:
    return int.from_bytes(key[1:], "big")
