"""Long-term memory in one SQLite file, for any number of processes at once.

Theory of operation
-------------------
A rollback journal, not a write-ahead log. Releases of SQLite before 3.51.3 have a race in the log:
when one connection checkpoints while another commits, pages can be lost. The journal has no
checkpoint, so it has no such race, and no lock of ours is needed to keep others, a shell among
them, out of one. It also leaves one file, which can be copied and be read from a disk that cannot
be written, and what is forgotten is not left standing in a log. The price is two or three syncs
more a commit: 600 bare inserts a second were measured where the log had 1,500, and an agent saves
a few a minute. `save_many` is for more.

`synchronous = EXTRA` syncs the folder after the journal is unlinked: with FULL a power cut could
bring the journal back, and with it undo a commit that was acknowledged.

Writers take the lock at once (BEGIN IMMEDIATE) and so never fail half way for another's sake; they
wait for each other, and for readers, as long as the store was opened with.

Each row carries the digest of what it says, and is checked when read: SQLite has no checksums.
`secure_delete` writes zeros over what is deleted; FTS5 keeps the terms of what was deleted until
its segments are merged, which `purge` has it do. That takes time in the size of the index.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from loom.capabilities.memory.longterm.errors import CorruptStore, ReadOnlyStore
from loom.capabilities.memory.longterm.memory_item import Draft, MemoryItem, identity
from loom.capabilities.memory.longterm.stores.database import (
    SETTINGS,
    connected,
    is_made,
    make,
)
from loom.capabilities.memory.longterm.stores.faults import told
from loom.capabilities.memory.longterm.stores.words import TERMS, MemoryQuery, Words

FIELDS = ", ".join(MemoryItem.__struct_fields__)
ROWS = f"SELECT {FIELDS}, digest FROM memories"
MANY = 200  # rows asked for in one statement


class Sqlite:
    """The file at `path`, made when missing. `wait` is seconds for others to end.

    A store knows rows, never rules: which memory supersedes which, who is live and what is best is
    decided in `memories` and `ranking`. Every call below stands within `reading` or `writing`.
    """

    def __init__(self, path: Path, wait: float, db: sqlite3.Connection | None = None) -> None:
        self.path = str(path)
        self._wait = wait
        self._db = db or connected(path, wait)
        self._words = Words(self._db)
        try:
            self._prepare()
        except BaseException:
            self._db.close()
            raise

    @contextmanager
    def reading(self) -> Iterator[None]:
        """A view of what is committed, which stays the same inside."""
        with self._transaction("BEGIN"):
            yield

    @contextmanager
    def writing(self) -> Iterator[None]:
        """One transaction, the only one at a time: durable when it ends, undone by any error."""
        with self._transaction("BEGIN IMMEDIATE"):
            yield

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[None]:
        with self._told():
            try:
                self._db.execute(begin)
                yield
                self._db.execute("COMMIT")
            finally:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")

    # --- rows ---

    def next_id(self) -> int:
        """One more than the highest there ever was."""
        row = self._db.execute("SELECT seq FROM sqlite_sequence WHERE name = 'memories'").fetchone()
        return 1 + (int(row[0]) if row else 0)

    def insert(self, memory: MemoryItem) -> None:
        """Add a memory and its words."""
        values = [getattr(memory, name) for name in MemoryItem.__struct_fields__]
        marks = ", ".join("?" * (len(values) + 1))
        self._db.execute(
            f"INSERT INTO memories ({FIELDS}, digest) VALUES ({marks})",
            (*values, identity(memory)),
        )
        self._words.add(memory.id, memory.text)

    def update(self, before: MemoryItem, after: MemoryItem) -> None:
        """Change a memory's expiry and links."""
        self._db.execute(
            "UPDATE memories SET expires = ?, replaces = ?, replaced_by = ? WHERE id = ?",
            (after.expires, after.replaces, after.replaced_by, after.id),
        )
        if after.replaced_by and not before.replaced_by:
            self._unfind(before)

    def delete(self, memory: MemoryItem) -> None:
        """Remove a memory, its words and its vector; `purge` follows in the same transaction."""
        self._db.execute("DELETE FROM memories WHERE id = ?", (memory.id,))
        if not memory.replaced_by:
            self._unfind(memory)

    def purge(self, gone: Iterable[int]) -> None:
        """Rub out the terms of what was deleted."""
        self._words.merge()

    def read(self, ids: Iterable[int]) -> dict[int, MemoryItem]:
        """The memories of those ids that are there."""
        wanted = list(ids)
        found: dict[int, MemoryItem] = {}
        for at in range(0, len(wanted), MANY):
            part = wanted[at : at + MANY]
            marks = ", ".join("?" * len(part))
            found.update((m.id, m) for m in self._rows(f"WHERE id IN ({marks})", *part))
        return found

    def head(self, draft: Draft) -> MemoryItem | None:
        """The newest memory of a key and agent."""
        where = "WHERE key = ? AND key != '' AND agent = ? ORDER BY id DESC LIMIT 1"
        return next(self._rows(where, draft.key, draft.agent), None)

    def history(self, key: str) -> list[MemoryItem]:
        """All memories of a key, newest first."""
        return list(self._rows("WHERE key = ? AND key != '' ORDER BY id DESC", key))

    def twin(self, draft: Draft) -> MemoryItem | None:
        """The newest that says the same and is not superseded."""
        where = "WHERE digest = ? AND replaced_by = 0 AND agent = ? ORDER BY id DESC LIMIT 1"
        return next(self._rows(where, identity(draft), draft.agent), None)

    def due(self, now: float, most: int) -> list[MemoryItem]:
        """Memories that have expired, the first of them."""
        where = "WHERE expires > 0 AND expires <= ? ORDER BY expires, id LIMIT ?"
        return list(self._rows(where, now, most))

    def newest(self) -> Iterator[MemoryItem]:
        """Those not superseded, newest first."""
        return self._rows("WHERE replaced_by = 0 ORDER BY id DESC")

    def ranked(self, wanted: MemoryQuery) -> Iterator[tuple[int, float]]:
        """(id, bm25), best first."""
        return self._words.ranked(wanted)

    def count(self) -> int:
        """How many memories there are."""
        return int(self._db.execute("SELECT count(*) FROM memories").fetchone()[0])

    # --- vectors ---

    def vectors(self, embedder: str) -> tuple[list[int], bytes]:
        """Ids with a vector of this embedder, and the vectors on end."""
        if self._state("embedder") != embedder:
            return [], b""
        rows = self._db.execute("SELECT id, vector FROM vectors ORDER BY id").fetchall()
        return [id for id, _ in rows], b"".join(vector for _, vector in rows)

    def keep_vectors(self, embedder: str, vectors: Iterable[tuple[int, bytes]]) -> None:
        """Keep vectors of memories that are there."""
        if self._state("embedder") != embedder:
            self._db.execute("DELETE FROM vectors")
            self._db.execute("UPDATE state SET value = ? WHERE name = 'embedder'", (embedder,))
        self._db.executemany(
            "INSERT OR REPLACE INTO vectors SELECT ?, ? FROM memories"
            " WHERE id = ?1 AND replaced_by = 0",
            vectors,
        )

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    # --- below ---

    def _prepare(self) -> None:
        """Make the tables where there is nothing; refuse what is not ours to read."""
        with self.reading():
            made = is_made(self._db, self.path)
        for setting in SETTINGS:
            with self._told():
                self._db.execute(f"PRAGMA {setting}").fetchone()
        if not made:
            with self.writing():
                if not is_made(self._db, self.path):  # another may have been first
                    make(self._db)
        with self.reading():
            stale = self._state("terms") != str(TERMS)
        if stale:
            # Where it may only be read, old terms find most of what new ones do.
            with suppress(ReadOnlyStore), self.writing():
                self._index_anew()

    def _index_anew(self) -> None:
        """Index every memory with the terms this version of Loom makes of it."""
        self._words.clear()
        for memory in self.newest():
            self._words.add(memory.id, memory.text)
        self._db.execute("UPDATE state SET value = ? WHERE name = 'terms'", (str(TERMS),))

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise told(error, self.path, self._wait) from error

    def _state(self, name: str) -> str:
        row = self._db.execute("SELECT value FROM state WHERE name = ?", (name,)).fetchone()
        if row is None:
            raise CorruptStore(self.path, f"its state has no {name!r}")
        return str(row[0])

    def _unfind(self, memory: MemoryItem) -> None:
        self._words.remove(memory.id, memory.text)
        self._db.execute("DELETE FROM vectors WHERE id = ?", (memory.id,))

    def _rows(self, where: str, *values: object) -> Iterator[MemoryItem]:
        for *fields, digest in self._db.execute(f"{ROWS} {where}", values):
            memory = MemoryItem(*fields)
            if identity(memory) != digest:
                raise CorruptStore(self.path, f"memory {memory.id} is not what was saved")
            yield memory
