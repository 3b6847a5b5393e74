"""Long-term memory in one SQLite file, for any number of processes at once: rows, and their words.

Theory of operation. A rollback journal, not a write-ahead log. Releases of
SQLite before 3.51.3 have a race in the log: when one connection checkpoints while another commits,
pages can be lost. The journal also leaves one file, which can be copied and read from a disk that
cannot be written, and what is deleted is not left standing in a log. The price is two or three
syncs more a commit. `synchronous = EXTRA` syncs the folder after the journal is unlinked: with FULL
a power cut could bring the journal back, and with it undo a commit that was acknowledged. Writers
take the lock at once (BEGIN IMMEDIATE).

Each row carries the digest of its content, and is checked when read: SQLite has no checksums.
`secure_delete` writes zeros over what is deleted; FTS5 keeps the terms of deleted rows until its
segments are merged, which a transaction that deletes does last. The words stand in a contentless
FTS5 table, good only for the version of `terms` that the table was made with."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from msgspec import json
from msgspec.structs import replace

from loom.capabilities.memory.longterm.database import (
    HELD,
    SCHEMA,
    SETTINGS,
    busy_store,
    connect,
    corrupt_store,
    failed_store,
    has_tables,
    read_only_store,
)
from loom.capabilities.memory.longterm.memory_item import MemoryItem, memory_digest
from loom.errors import PagingError, StoreUnreachable
from loom.search.index import VERSION as TERMS
from loom.search.query import fts_query
from loom.search.terms import Terms, index_terms

FIELDS = ", ".join(MemoryItem.__struct_fields__)
LIVE = "replaced_by = 0 AND (expires = 0 OR expires > ?1) AND ?2 IN ('', kind)"
# `+` keeps SQLite from asking FTS5 for each id anew.
RANKED = f"""SELECT held.rowid, -bm25(held) AS score FROM held, memories
    WHERE held MATCH ?3 AND id = +held.rowid AND {LIVE}
    ORDER BY score DESC, held.rowid DESC LIMIT ?4"""
AMONG = "id IN (SELECT value FROM json_each(?))"
# A statement of ours that does not compile, or breaks a constraint, met tables that are not as they
# were made.
PRIMARY = 0xFF  # the part of SQLite's extended codes that says what kind of fault it is
BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
CORRUPT = {
    sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CONSTRAINT,
    sqlite3.SQLITE_MISMATCH,
}  # fmt: skip


class Sqlite:
    """A store of memories in the SQLite file `path`, which is created if missing. Calls wait up to
    `wait` seconds for other processes. Call all methods but `close` inside `read_transaction` or
    `write_transaction`."""

    def __init__(self, path: Path, wait: float, db: sqlite3.Connection | None = None) -> None:
        self.path, self._wait = str(path), wait
        self._db = db or connect(path, wait)
        self._changed: set[int] = set()  # ids of the rows a transaction wrote
        self._gone: set[int] = set()  # and of those it removed
        try:
            self._prepare_tables()
        except BaseException:
            self._db.close()
            raise

    @contextmanager
    def read_transaction(self) -> Iterator[None]:
        """Run the block on the state that was committed before the block began."""
        with self._transaction("BEGIN"):
            yield

    @contextmanager
    def write_transaction(self) -> Iterator[None]:
        """Run the block as the only writer; an exception undoes its changes."""
        self._changed, self._gone = set(), set()
        with self._transaction("BEGIN IMMEDIATE"):
            yield
            self._finish_writing()

    def _finish_writing(self) -> None:
        """After deletions, rewrite the full-text table, whose file still holds deleted words."""
        if self._gone:
            self._db.execute("INSERT INTO held (held) VALUES ('optimize')")

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[None]:
        """Run the block in a transaction begun by the SQL `begin`; an exception undoes it."""
        with self._translate_errors():
            try:
                self._db.execute(begin)
                yield
                self._db.execute("COMMIT")
            finally:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        """Run the block. Replace an exception of SQLite by an error of Loom."""
        try:
            yield
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & PRIMARY
            raise self._store_error(code, str(error)) from error

    def _store_error(self, code: int, said: str) -> PagingError:
        """Return the error of Loom for an SQLite error `code`; `said` is SQLite's message."""
        if code in BUSY:
            return busy_store(self.path, self._wait)
        if code == sqlite3.SQLITE_READONLY:
            return read_only_store(self.path)
        return (corrupt_store if code in CORRUPT else failed_store)(self.path, said)

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def rows(self, where: str, *values: object) -> Iterator[MemoryItem]:
        """Yield the memories that fulfil the SQL condition `where`, with `values` for its "?"."""
        statement = f"SELECT {FIELDS}, digest FROM memories WHERE {where}"
        for *fields, digest in self._db.execute(statement, values):
            memory = MemoryItem(*fields)
            if memory_digest(memory) != digest:
                raise corrupt_store(self.path, f"memory {memory.id} is not what was saved")
            yield memory

    def read(self, ids: Iterable[int]) -> dict[int, MemoryItem]:
        """Return memories by id. Ids that do not exist are left out."""
        return {one.id: one for one in self.rows(AMONG, id_list(ids))}

    def next_id(self) -> int:
        """Return the id for the next memory: one more than the highest ever used."""
        row = self._db.execute("SELECT seq FROM sqlite_sequence WHERE name = 'memories'").fetchone()
        return 1 + (int(row[0]) if row else 0)

    def insert(self, memory: MemoryItem) -> None:
        """Store a memory and add its words to the full-text table."""
        values = [getattr(memory, name) for name in MemoryItem.__struct_fields__]
        marks = ", ".join("?" * (len(values) + 1))
        self._db.execute(
            f"INSERT INTO memories ({FIELDS}, digest) VALUES ({marks})",
            (*values, memory_digest(memory)),
        )
        self._index_words(memory)
        self._changed.add(memory.id)

    def update(self, before: MemoryItem, after: MemoryItem) -> None:
        """Store the new `expires`, `replaces` and `replaced_by` of a memory. `before` is the memory
        as stored. If `after` is replaced, its words leave the full-text table."""
        self._db.execute(
            "UPDATE memories SET expires = ?, replaces = ?, replaced_by = ? WHERE id = ?",
            (after.expires, after.replaces, after.replaced_by, after.id),
        )
        if after.replaced_by and not before.replaced_by:
            self._unindex(before)
        self._changed.add(after.id)

    def restore(self, memory: MemoryItem) -> None:
        """Store a memory read from elsewhere, with its id."""
        bare = replace(memory, replaced_by=0)
        self.insert(bare)
        if memory.replaced_by:
            self.update(bare, memory)

    def delete(self, memory: MemoryItem) -> None:
        """Delete a memory, its words and its vector."""
        self._db.execute("DELETE FROM memories WHERE id = ?", (memory.id,))
        if not memory.replaced_by:
            self._unindex(memory)
        self._changed.add(memory.id)
        self._gone.add(memory.id)

    def _index_words(self, memory: MemoryItem) -> None:
        """Add a memory's words to the full-text table."""
        row = (memory.id, *_index_columns(memory.text))
        self._db.execute("INSERT INTO held (rowid, names, words) VALUES (?, ?, ?)", row)

    def _unindex(self, memory: MemoryItem) -> None:
        """Delete a memory's words from the full-text table, and its vector."""
        delete = "INSERT INTO held (held, rowid, names, words) VALUES ('delete', ?, ?, ?)"
        self._db.execute(delete, (memory.id, *_index_columns(memory.text)))
        self._db.execute("DELETE FROM vectors WHERE id = ?", (memory.id,))

    def ranked_ids(
        self, asked: Terms, limit: int, now: float, kind: str = ""
    ) -> list[tuple[int, float]]:
        """Return at most `limit` (id, bm25 score) of live memories that hold any term of `asked`,
        best first, then newest first. `kind` "" means every kind."""
        match = fts_query(asked)
        found = (now, kind, match, limit)
        return self._db.execute(RANKED, found).fetchall() if match else []

    def vectors(self, embedder: str, now: float, kind: str) -> list[tuple[int, bytes]]:
        """Return (id, vector) of live memories of `kind` with a vector made by `embedder`."""
        if self._state_value("embedder") != embedder:
            return []
        found = f"SELECT id, vector FROM vectors JOIN memories USING (id) WHERE {LIVE} ORDER BY id"
        return self._db.execute(found, (now, kind)).fetchall()

    def keep_vectors(self, embedder: str, vectors: Mapping[int, bytes]) -> None:
        """Store vectors by memory id, and delete vectors of other embedders."""
        if self._state_value("embedder") != embedder:
            self._changed.update(id for (id,) in self._db.execute("SELECT id FROM vectors"))
            self._db.execute("DELETE FROM vectors")
            self._db.execute("UPDATE state SET value = ? WHERE name = 'embedder'", (embedder,))
        self._changed.update(vectors)
        self._db.executemany(
            "INSERT OR REPLACE INTO vectors SELECT ?, ? FROM memories"
            " WHERE id = ?1 AND replaced_by = 0",
            vectors.items(),
        )

    def _prepare_tables(self) -> None:
        """Create the tables in an empty file. If Loom's way to split words has changed, index all
        memories again. Raises the error for a file of a newer Loom or of another program."""
        with self.read_transaction():
            made = has_tables(self._db, self.path)
        for setting in SETTINGS:
            with self._translate_errors():
                self._db.execute(f"PRAGMA {setting}").fetchone()
        if not made:
            with self.write_transaction():
                if not has_tables(self._db, self.path):  # another may have been first
                    for statement in SCHEMA:
                        self._db.execute(statement)
        with self.read_transaction():
            stale = self._state_value("terms") != str(TERMS)
        if stale:
            # Where it may only be read, old terms find most of what new ones do.
            with suppress(StoreUnreachable), self.write_transaction():
                self._db.execute("DROP TABLE IF EXISTS held")
                self._db.execute(HELD)
                for memory in self.rows("replaced_by = 0"):
                    self._index_words(memory)
                self._db.execute("UPDATE state SET value = ? WHERE name = 'terms'", (str(TERMS),))

    def _state_value(self, name: str) -> str:
        """Return the value under `name` in the table `state`. Raises PagingError if missing."""
        row = self._db.execute("SELECT value FROM state WHERE name = ?", (name,)).fetchone()
        if row is None:
            raise corrupt_store(self.path, f"its state has no {name!r}")
        return str(row[0])


def id_list(ids: Iterable[int]) -> str:
    """Return ids as a JSON list, for SQL's `json_each`: "[1,2]"."""
    return json.encode(list(ids)).decode()


def _index_columns(text: str) -> tuple[str, str]:
    """Return two texts for the full-text table: the names in `text` and its words, spaced."""
    found = index_terms(text)
    return " ".join(found.names), " ".join(found.words)
