"""The search index: which units hold which terms, in one SQLite file that can be deleted at any
time.

Theory of operation. A unit is a slice of a page, message or step that is found as a whole. Terms go
into a contentless FTS5 table of two columns, names and words, so the file holds no text: a hit's
text is read from its page or entry. `done` is how many commits of the journal are indexed, `mark`
identifies the journal. Both change in the transaction that adds the units, so a crash leaves the
old index. The file needs no sync: one damaged by a power cut is thrown away.

Nothing read from the file is trusted: tables that are not those of SCHEMA, another number of rows
than `state` says, and values of other types raise an SQLite error like any other.

The tokenizer is `porter ascii`: `loom.search.terms` has folded and split the text already, and
characters beyond ASCII stay as they are. `detail=full` because bm25 ranks nothing without it. The
journal mode is the rollback journal, not a write-ahead log: one writer, and readers copy it."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing
from functools import cache
from pathlib import Path
from typing import Annotated, Self, TypeVar

from msgspec import Meta, Struct, ValidationError, convert, json
from msgspec.structs import astuple

from loom.disk import open_private_file
from loom.search.query import (
    SCORED,
    TermCounts,
    common_threshold,
    fts_expression,
    terms_with_columns,
)
from loom.search.terms import Terms, index_terms

PATIENCE = 60.0  # seconds another writer of the file is waited for; it writes in small parts
VERSION = 2  # of the schema and of what `terms` makes of a text
NEWEST = 3 * SCORED  # units that are scored, at most
NEAREST = 16  # units of an entry that stand beside a hit, the first ones
SCHEMA = """
    CREATE TABLE state (
        done INTEGER NOT NULL, mark TEXT NOT NULL, embedder TEXT NOT NULL, units INTEGER NOT NULL
    );
    INSERT INTO state VALUES (0, '', '', 0);
    CREATE TABLE units (
        id INTEGER PRIMARY KEY, name TEXT NOT NULL, source TEXT NOT NULL, entry INTEGER NOT NULL,
        start INTEGER NOT NULL, "end" INTEGER NOT NULL,
        first INTEGER NOT NULL, last INTEGER NOT NULL
    );
    CREATE INDEX by_entry ON units (entry);
    CREATE VIRTUAL TABLE held USING fts5 (
        names, words, content='', tokenize='porter ascii', detail=full
    );
    CREATE TABLE vectors (id INTEGER PRIMARY KEY, vector BLOB NOT NULL);
"""
TABLES = ("state", "units", "held", "vectors")
COLUMNS = 'name, source, entry, start, "end", first, last'
# FTS5 writes the tables behind `held` itself, and another release of it may do so otherwise.
MADE = "SELECT type, name, sql FROM sqlite_master WHERE name NOT GLOB 'held_*' ORDER BY name"
Number = Annotated[int, Meta(ge=0, le=1 << 53)]
Made = TypeVar("Made")


class Passage(Struct, frozen=True, array_like=True):
    """A unit of the index: a slice of a text, found as a whole. `name` is the page, message or step
    with the text; `source` is the kind of text (a page's, a user's, the model's own …). `entry` is
    the number of the text's entry, 0 for none. `start` and `end` count characters of the text;
    `first` and `last` are line numbers. A newer unit has a higher `id`."""

    name: str
    source: str
    entry: Number
    start: Number
    end: Number
    first: Number
    last: Number
    id: Number = 0


class SearchIndex(AbstractContextManager["SearchIndex"]):
    """An open search index, in a file or in memory. `added`, `read` and `weighed` count the units
    that were added, read and scored, for tests. Any method may raise sqlite3.Error."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection
        self.added = self.read = 0  # units
        self.weighed = 0  # units that were scored, once for each term they hold

    @classmethod
    def at(cls, path: Path) -> Self:
        """Open the index in a file, made if missing. Raises sqlite3.Error and OSError."""
        if path.is_symlink():
            raise OSError(f"{path} is a link, which could lead out of the workspace")
        os.close(open_private_file(path, os.O_RDWR | os.O_CREAT))
        return cls._prepare(sqlite3.connect(path, timeout=PATIENCE, check_same_thread=False))

    @classmethod
    def in_memory(cls, copied: Path | None = None) -> Self:
        """Return a new index in memory, with the content of the file `copied` if it exists."""
        db = sqlite3.connect(":memory:", check_same_thread=False)
        if copied is not None and copied.is_file():
            try:
                with closing(sqlite3.connect(f"{copied.as_uri()}?mode=ro", uri=True)) as file:
                    file.backup(db)
            except BaseException:
                db.close()
                raise
        return cls._prepare(db)

    @classmethod
    def _prepare(cls, db: sqlite3.Connection) -> Self:
        """Return the index in a database, emptied if it is of another version. For tables that are
        not those of an index, close the database and raise sqlite3.DatabaseError."""
        try:
            db.execute("PRAGMA synchronous = OFF")
            (version,) = db.execute("PRAGMA user_version").fetchone()
            if version != VERSION:
                _create_tables(db)
            if db.execute(MADE).fetchall() != _new_tables():
                raise sqlite3.DatabaseError("its tables are not those of an index")
        except UnicodeDecodeError as error:  # SQLite tells what is spoilt in the bytes it found
            db.close()
            raise sqlite3.DatabaseError(str(error)) from error
        except BaseException:
            db.close()
            raise
        return cls(db)

    @property
    def state(self) -> tuple[int, str]:
        """(number of the journal's commits that are indexed, text that identifies the journal)."""
        counts = "(SELECT count(*) FROM units), (SELECT count(*) FROM held_docsize)"
        rows = self._db.execute(f"SELECT done, mark, units, {counts} FROM state").fetchall()
        ((done, mark, units, *held),) = _checked_rows(rows, tuple[tuple[int, str, int, int, int]])
        if held != [units, units]:
            raise sqlite3.DatabaseError(f"it holds {held} units of {units}")
        return done, mark

    def clear(self) -> None:
        """Remove all units. The state becomes (0, "")."""
        _create_tables(self._db)

    def add(
        self,
        units: Iterable[tuple[Passage, str]],
        done: int,
        mark: str,
        *,
        after: int | None = None,
    ) -> None:
        """Add units with their texts, and set the state to (`done`, `mark`), in one transaction.
        With `after`, nothing is done unless exactly `after` commits are indexed now."""
        with self._db as db:
            before = self.added
            change = "UPDATE state SET done = ? WHERE done = coalesce(?, done)"
            taken = db.execute(change, (done, after))
            if not taken.rowcount:
                return
            for unit, text in units:
                found = index_terms(text)
                row = db.execute(
                    f"INSERT INTO units ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)",
                    astuple(unit)[:-1],
                )
                db.execute(
                    "INSERT INTO held (rowid, names, words) VALUES (?, ?, ?)",
                    (row.lastrowid, " ".join(found.names), " ".join(found.words)),
                )
                self.added += 1
            change = "UPDATE state SET mark = ?, units = units + ?"
            db.execute(change, (mark, self.added - before))

    def counted(self, wanted: Terms) -> TermCounts:
        """Return how many units there are, and how many hold each term of a query."""
        rows = self._db.execute("SELECT units FROM state").fetchall()
        ((units,),) = _checked_rows(rows, list[tuple[Number]])
        one = "SELECT count(*) FROM (SELECT 1 FROM held WHERE held MATCH ? LIMIT ?)"
        most = common_threshold(units)
        counts = {
            term: self._db.execute(one, (fts_expression([term]), most)).fetchone()[0]
            for term in terms_with_columns(wanted)
        }
        return TermCounts(units, counts)

    def scores(self, counted: TermCounts, most: int) -> dict[int, float]:
        """Return {unit id: bm25 score} for the `most` best units of a query, best first; higher is
        better. `counted` are the query's terms with their counts. In a large index only units with
        rarer terms, or the newest units, are scored."""
        telling, common = counted.rare_and_common()
        if not telling:
            return {}
        self.weighed += min(sum(counted.units[term] for term in telling), NEWEST)
        found = self._bm25_scores(fts_expression(telling), most)
        if common:
            found |= self._bm25_scores(
                f"({fts_expression(telling)}) AND ({fts_expression(common)})", most
            )
        return dict(sorted(found.items(), key=lambda at: (-at[1], -at[0]))[:most])

    def _bm25_scores(self, expression: str, most: int) -> dict[int, float]:
        """Return {unit id: bm25 score} for the `most` best units that match an FTS5 expression."""
        rows = self._db.execute(
            "SELECT rowid, score FROM (SELECT rowid, -bm25(held) AS score FROM held"
            f" WHERE held MATCH ? ORDER BY rowid DESC LIMIT {NEWEST})"
            " ORDER BY score DESC, rowid DESC LIMIT ?",
            (expression, most),
        )
        return dict(_checked_rows(rows.fetchall(), list[tuple[int, float]]))

    def units(self, ids: Iterable[int]) -> dict[int, Passage]:
        """Return {id: unit} for `ids`, in the order given."""
        wanted = list(ids)
        units = self._select_units("id IN (SELECT value FROM json_each(?))", wanted)
        found = {unit.id: unit for unit in units}
        if not found.keys() >= set(wanted):
            raise sqlite3.DatabaseError("it lacks units it names")
        return {id: found[id] for id in wanted}

    def beside(self, units: Iterable[Passage]) -> list[Passage]:
        """Return the first NEAREST units of each entry that holds a given unit, of the entry before
        it and of the entry after it."""
        entries = {unit.entry + step for unit in units for step in (-1, 0, 1)}
        near = (
            "id IN (SELECT near.id FROM json_each(?) AS asked, units AS near WHERE near.id IN"
            f" (SELECT id FROM units WHERE entry = asked.value ORDER BY id LIMIT {NEAREST}))"
        )
        return self._select_units(near, sorted(entries - {0}))  # 0 is what belongs to no entry

    def _select_units(self, condition: str, numbers: Sequence[int]) -> list[Passage]:
        """Return the units that fulfil an SQL condition, whose parameter is `numbers` as JSON."""
        rows = self._db.execute(
            f"SELECT {COLUMNS}, id FROM units WHERE {condition}", (json.encode(numbers).decode(),)
        ).fetchall()
        self.read += len(rows)
        return _checked_rows(rows, list[Passage])

    def ids_without_vectors(self, embedder: str, most: int) -> Iterator[list[int]]:
        """Remove vectors from other embedders. Then yield lists of at most `most` ids of units
        without a vector, newest first. The caller must store the vectors of a list before it asks
        for the next list."""
        if self._db.execute("SELECT embedder FROM state").fetchone() != (embedder,):
            with self._db as db:
                db.execute("DELETE FROM vectors")
                db.execute("UPDATE state SET embedder = ?", (embedder,))
        missing = "SELECT id FROM units WHERE id NOT IN (SELECT id FROM vectors)"
        missing += " ORDER BY id DESC LIMIT ?"
        while ids := [id for (id,) in self._db.execute(missing, (most,))]:
            yield ids

    def add_vectors(self, vectors: Iterable[tuple[int, bytes]]) -> None:
        """Store vectors, given as (unit id, bytes)."""
        with self._db as db:
            db.executemany("INSERT INTO vectors (id, vector) VALUES (?, ?)", vectors)

    def vectors(self) -> tuple[list[int], bytes]:
        """Return (unit ids, vectors) for all units that have a vector. The vectors, all of the same
        length, are joined to one bytes object in the order of the ids."""
        held = "SELECT vectors.id, vector, units.id FROM vectors LEFT JOIN units USING (id)"
        rows = _checked_rows(self._db.execute(held).fetchall(), list[tuple[int, bytes, int]])
        if len({len(vector) for _, vector, _ in rows}) > 1:
            raise sqlite3.DatabaseError("its vectors are of several lengths")
        return [id for id, _, _ in rows], b"".join(vector for _, vector, _ in rows)

    def close(self) -> None:
        """Close the database."""
        self._db.close()

    def __exit__(self, *_: object) -> None:
        self.close()


def _create_tables(db: sqlite3.Connection) -> None:
    """Drop the tables of an index, if they exist, and create them empty."""
    there = {name for (name,) in db.execute("SELECT name FROM sqlite_master")}
    drops = "".join(f"DROP TABLE {name};" for name in TABLES if name in there)
    db.executescript(f"BEGIN; {drops} {SCHEMA} PRAGMA user_version = {VERSION}; COMMIT;")


@cache
def _new_tables() -> list[tuple[str, str, str]]:
    """Return (type, name, SQL) for each table of a new index."""
    with closing(sqlite3.connect(":memory:")) as db:
        _create_tables(db)
        return db.execute(MADE).fetchall()


def _checked_rows(rows: object, kind: type[Made]) -> Made:
    """Return rows converted to `kind`. Raises sqlite3.DatabaseError for other types."""
    try:
        return convert(rows, kind, builtin_types=(bytes,))
    except ValidationError as error:
        raise sqlite3.DatabaseError(str(error)) from None
