"""Long-term memory in a folder of RocksDB, for one process at a time (extra `rocksdb`).

Theory of operation
-------------------
A transaction is one write batch, its log synced before the call returns. RocksDB lets one process
in; so a second one waits, at a lock file in the folder, until the first closes the store.
A torn end of the log is what a crash leaves, and is cut; other damage that RocksDB's checksums or
`folder.opened` can see is an error.

Rows, by prefix: `i` memories by id; `k` + digest of a key, ids of its memories; `d` + identity, the
ids of those not superseded; `x` + expiry, the id that expires then; `w` vectors; `n` last id, `c`
how many there are, `e` the embedder of the vectors, `v` the version. No text stands in a key.

The words are in FTS5 in memory, made at the first query from the memories and kept up with every
save: ranking is then done as in the other store. RocksDB has no inverted index, and
posting rows of our own would be read and scored in Python, row by row, where a common word stands
in tens of thousands. It costs the first query after opening 32 s for 100,000 memories (measured on
a busy machine: what adding them to FTS5 takes), and memory in the size of the index. Who only
saves pays nothing; who opens large stores often should take the other one.

What is deleted stays in RocksDB's files until they are compacted, which `purge` has it do for the
span of ids that went; blocks the file system frees are not overwritten. That comes after the
commit: where it fails the memory is gone and its bytes may not be, and the error says so.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Any

from msgspec import DecodeError, msgpack

from loom.capabilities.memory.longterm.errors import CorruptStore, FailedStore, NewerStore
from loom.capabilities.memory.longterm.memory_item import Draft, MemoryItem, identity
from loom.capabilities.memory.longterm.stores.backend import MemoryQuery
from loom.capabilities.memory.longterm.stores.candidates import ranked
from loom.capabilities.memory.longterm.stores.faults import told_by_rocks
from loom.capabilities.memory.longterm.stores.folder import locked, narrowed, opened
from loom.capabilities.memory.longterm.stores.table import Table, moment, number
from loom.capabilities.memory.longterm.stores.words import Change, Words

VERSION = 1
LAST, COUNT, EMBEDDER, FORMAT = b"n", b"c", b"e", b"v"
ITEM, KEY, TWIN, EXPIRY, VECTOR = b"i", b"k", b"d", b"x", b"w"


class Rocks:
    """The folder at `path`, made when missing; see Backend.

    `wait` is seconds another process may take to close it. Raises ImportError without the extra.
    """

    def __init__(self, path: Path, wait: float) -> None:
        try:
            import rocksdict
        except ImportError as error:
            raise ImportError(
                "the engine 'rocksdb' needs more: pip install '.[rocksdb]' in a checkout of Loom"
            ) from error
        self.path = str(path)
        self._wait = wait
        self._library = rocksdict
        self._words: Words | None = None
        self._changed: list[Change] = []
        self._gone: list[int] = []
        self._db: Any = None
        self._lock = locked(path, wait)
        try:
            with self._told():
                self._db = opened(rocksdict, path, FORMAT + number(0))
            self._rows = Table(self._db)
            self._sync = rocksdict.WriteOptions()
            self._sync.sync = True
            self._judge()
        except BaseException:
            self.close()
            raise

    @contextmanager
    def reading(self) -> Iterator[None]:
        """A view of committed rows; nobody else can write."""
        with self._told():
            yield

    @contextmanager
    def writing(self) -> Iterator[None]:
        """One write batch, synced."""
        self._gone, self._changed = [], []
        with self._told():
            try:
                yield
                self._rows.commit(self._library.WriteBatch(raw_mode=True), self._sync)
            finally:
                self._rows.undo()
            self._index()
        if self._gone:
            self._compact()

    # --- rows ---

    def next_id(self) -> int:
        """One more than the highest there ever was."""
        return 1 + self._number(LAST)

    def insert(self, memory: MemoryItem) -> None:
        """Add a memory and what finds it."""
        self._put(memory)
        self._rows.put(LAST, 0, number(memory.id))
        self._rows.put(COUNT, 0, number(self._number(COUNT) + 1))
        if memory.key:
            self._rows.put(KEY + _digest(memory.key), memory.id, b"")
        self._rows.put(TWIN + identity(memory), memory.id, b"")
        if memory.expires:
            self._rows.put(EXPIRY + moment(memory.expires), memory.id, b"")
        self._changed.append((None, memory))

    def update(self, before: MemoryItem, after: MemoryItem) -> None:
        """Change a memory's expiry and links."""
        self._put(after)
        if before.expires != after.expires:
            self._rows.drop(EXPIRY + moment(before.expires), before.id)
            if after.expires:
                self._rows.put(EXPIRY + moment(after.expires), after.id, b"")
        if after.replaced_by and not before.replaced_by:
            self._unfind(before)
        elif not after.replaced_by:
            self._changed.append((before, after))

    def delete(self, memory: MemoryItem) -> None:
        """Remove a memory and what found it."""
        self._rows.drop(ITEM, memory.id)
        self._rows.put(COUNT, 0, number(self._number(COUNT) - 1))
        self._rows.drop(KEY + _digest(memory.key), memory.id)
        self._rows.drop(EXPIRY + moment(memory.expires), memory.id)
        if not memory.replaced_by:
            self._unfind(memory)

    def purge(self, gone: Iterable[int]) -> None:
        """Compact those memories away after the commit."""
        self._gone = list(gone)

    def read(self, ids: Iterable[int]) -> dict[int, MemoryItem]:
        """The memories of those ids that are there."""
        rows = ((id, self._rows.get(ITEM, id)) for id in ids)
        return {id: self._memory_of(id, row) for id, row in rows if row is not None}

    def head(self, draft: Draft) -> MemoryItem | None:
        """The newest memory of a key and agent."""
        return self._newest_of(KEY + _digest(draft.key), draft.agent)

    def history(self, key: str) -> list[MemoryItem]:
        """All memories of a key, newest first."""
        return list(self.read(reversed(self._rows.numbers(KEY + _digest(key)))).values())

    def twin(self, draft: Draft) -> MemoryItem | None:
        """The newest that says the same and is not superseded."""
        return self._newest_of(TWIN + identity(draft), draft.agent)

    def due(self, now: float, most: int) -> list[MemoryItem]:
        """Memories that have expired, the first of them."""
        return list(self.read(islice(self._rows.upto(EXPIRY, moment(now)), most)).values())

    def newest(self) -> Iterator[MemoryItem]:
        """Those not superseded, newest first."""
        rows = self._rows.stored(ITEM, backwards=True)
        memories = (self._memory_of(id, row) for id, row in rows)
        return (memory for memory in memories if not memory.replaced_by)

    def ranked(self, wanted: MemoryQuery) -> Iterator[tuple[int, float]]:
        """(id, bm25), best first."""
        if self._words is None:
            self._words = Words.in_memory(self.newest())
        return ranked(self._words, wanted)

    def count(self) -> int:
        """How many memories there are."""
        return self._number(COUNT)

    # --- vectors ---

    def vectors(self, embedder: str) -> tuple[list[int], bytes]:
        """Ids with a vector of this embedder, and the vectors on end."""
        if self._rows.get(EMBEDDER) != embedder.encode():
            return [], b""
        rows = list(self._rows.stored(VECTOR))
        return [id for id, _ in rows], b"".join(vector for _, vector in rows)

    def keep_vectors(self, embedder: str, vectors: Iterable[tuple[int, bytes]]) -> None:
        """Keep vectors of memories that are there."""
        if self._rows.get(EMBEDDER) != embedder.encode():
            self._rows.vacate(VECTOR)
            self._rows.put(EMBEDDER, 0, embedder.encode())
        for id, vector in vectors:
            memory = self.read([id]).get(id)
            if memory is not None and not memory.replaced_by:
                self._rows.put(VECTOR, id, vector)

    def close(self) -> None:
        """Close the folder, and let the next process in."""
        if self._words is not None:
            self._words.close()
        if self._db is not None:
            self._db.close()
            narrowed(Path(self.path))
        self._lock.release()

    # --- below ---

    def _judge(self) -> None:
        """Mark a new folder as a store; refuse what is not ours to read."""
        with self.reading():
            version, new = self._number(FORMAT), self._rows.empty()
        if new:
            with self.writing():
                self._rows.put(FORMAT, 0, number(VERSION))
        elif not version:
            raise CorruptStore(self.path, "it is the database of another program")
        elif version > VERSION:
            raise NewerStore(self.path, version, VERSION)

    def _put(self, memory: MemoryItem) -> None:
        self._rows.put(ITEM, memory.id, msgpack.encode(memory))

    def _memory_of(self, id: int, row: bytes) -> MemoryItem:
        try:
            return msgpack.decode(row, type=MemoryItem)
        except DecodeError as error:
            raise CorruptStore(self.path, f"memory {id}: {error}") from error

    def _newest_of(self, prefix: bytes, agent: str) -> MemoryItem | None:
        """The newest memory of an agent whose id is under a prefix."""
        found = (self.read([id]).get(id) for id in self._rows.falling(prefix))
        return next((one for one in found if one and one.agent == agent), None)

    def _unfind(self, memory: MemoryItem) -> None:
        self._rows.drop(TWIN + identity(memory), memory.id)
        self._rows.drop(VECTOR, memory.id)
        self._changed.append((memory, None))

    def _number(self, prefix: bytes) -> int:
        return int.from_bytes(self._rows.get(prefix) or b"", "big")

    def _index(self) -> None:
        """Bring the words up to what was committed; made anew at the next query if that fails."""
        words, self._words = self._words, None
        if words is None:
            return
        try:
            words.change(self._changed)
            self._words = words
        except sqlite3.Error:
            words.close()

    def _compact(self) -> None:
        options = self._library.CompactOptions()
        options.set_bottommost_level_compaction(self._library.BottommostLevelCompaction.force())
        try:
            for prefix in (ITEM, VECTOR):
                self._rows.compact(prefix, min(self._gone), max(self._gone), options)
        except Exception as error:
            raise FailedStore(
                self.path, f"forgotten, but not yet rubbed out of its files ({error})"
            ) from error

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Turn what RocksDB says into the error it means; it has no exceptions of its own."""
        try:
            yield
        except Exception as error:
            if type(error) is Exception:
                raise told_by_rocks(error, self.path, self._wait) from error
            raise


def _digest(key: str) -> bytes:
    return blake2b(key.encode(), digest_size=16).digest()
