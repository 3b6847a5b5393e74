"""The words of memories, in an FTS5 table of any SQLite database, a file's or one in memory.

The table is contentless, as that of `loom.search.index`: it holds terms, and the text rests in the
memory. To take a memory out, FTS5 must be given the same terms that were put in, so a table is
good only for the version of `terms` it was made with (TERMS).

Beside it stands a table `memories`, which says who may be found: that of the store, or of a table
in memory the few columns of it that are asked for.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator
from typing import Self

from loom.capabilities.memory.longterm.memory_item import MemoryItem
from loom.capabilities.memory.longterm.stores.backend import MemoryQuery
from loom.search.index import VERSION as TERMS
from loom.search.terms import terms

__all__ = ["TABLE", "TERMS", "Words"]

TABLE = """CREATE VIRTUAL TABLE held USING fts5 (
    names, words, content='', tokenize='porter ascii', detail=full
)"""
BESIDE = """CREATE TABLE memories (
    id INTEGER PRIMARY KEY, expires REAL NOT NULL, kind TEXT NOT NULL, agent TEXT NOT NULL
)"""
# `+` keeps SQLite from asking FTS5 for each id anew.
HOLDING = """SELECT held.rowid FROM held, memories
    WHERE held MATCH :match AND id = +held.rowid AND (expires = 0 OR expires > :now)
    AND :kind IN ('', kind) AND :agent IN ('', agent)
    ORDER BY held.rowid DESC LIMIT :most"""
SCORED = """SELECT rowid, -bm25(held) AS score FROM held
    WHERE held MATCH ? AND rowid BETWEEN ? AND ? AND +rowid IN (SELECT value FROM json_each(?))
    ORDER BY score DESC, rowid DESC"""
STRIPES = 8  # parts of the ids in which a term's share is measured
STRIPE = 250  # ids of each

Change = tuple[MemoryItem | None, MemoryItem | None]  # before and after; None where it is not found


class Words:
    """The table `held` of an open database; its transactions are the caller's."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    @classmethod
    def in_memory(cls, memories: Iterable[MemoryItem]) -> Self:
        """Tables in memory of those that may be found; whoever made them closes them."""
        db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        made = cls(db)
        try:
            db.execute(TABLE)
            db.execute(BESIDE)
            made.change((None, one) for one in memories)
        except BaseException:
            db.close()
            raise
        return made

    def change(self, changes: Iterable[Change]) -> None:
        """Bring tables in memory up to date, in one transaction."""
        self._db.execute("BEGIN")
        for before, after in changes:
            if after is not None:
                row = (after.id, after.expires, after.kind, after.agent)
                self._db.execute("INSERT OR REPLACE INTO memories VALUES (?, ?, ?, ?)", row)
                if before is None:
                    self.add(after.id, after.text)
            elif before is not None:
                self._db.execute("DELETE FROM memories WHERE id = ?", (before.id,))
                self.remove(before.id, before.text)
        self._db.execute("COMMIT")

    # --- writing ---

    def add(self, id: int, text: str) -> None:
        """Let a memory be found by the terms of its text."""
        found = terms(text)
        self._db.execute(
            "INSERT INTO held (rowid, names, words) VALUES (?, ?, ?)",
            (id, " ".join(found.names), " ".join(found.words)),
        )

    def remove(self, id: int, text: str) -> None:
        """Let it be found no more; `text` is what it was added with."""
        found = terms(text)
        self._db.execute(
            "INSERT INTO held (held, rowid, names, words) VALUES ('delete', ?, ?, ?)",
            (id, " ".join(found.names), " ".join(found.words)),
        )

    def merge(self) -> None:
        """Write the table anew without what was removed: until then its terms are still there."""
        self._db.execute("INSERT INTO held (held) VALUES ('optimize')")

    def clear(self) -> None:
        """Make the table anew, empty."""
        self._db.execute("DROP TABLE IF EXISTS held")
        self._db.execute(TABLE)

    # --- reading; `match` is an expression of FTS5 ---

    def counted(self, match: str, most: int) -> int:
        """How many memories match; `most` where there are more."""
        rows = "SELECT count(*) FROM (SELECT 1 FROM held WHERE held MATCH ? LIMIT ?)"
        return int(self._db.execute(rows, (match, most)).fetchone()[0])

    def share(self, match: str) -> float:
        """Which share of the memories match, above 0 and at most 1, as the stripes have it."""
        (last,) = self._db.execute("SELECT ifnull(max(id), 0) FROM memories").fetchone()
        hits, all = 0, 0
        for at in range(STRIPES):
            stripe = (last * at // STRIPES + 1, last * at // STRIPES + STRIPE)
            hits += self._number(
                "held WHERE held MATCH ? AND rowid BETWEEN ? AND ?", match, *stripe
            )
            all += self._number("held_docsize WHERE id BETWEEN ? AND ?", *stripe)
        return (hits + 1) / (all + 1)

    def holding(self, match: str, wanted: MemoryQuery, most: int) -> list[int]:
        """Ids of the newest `most` that match and may be found."""
        given = {"match": match, "now": wanted.now, "kind": wanted.kind, "agent": wanted.agent}
        return [id for (id,) in self._db.execute(HOLDING, given | {"most": most})]

    def scored(self, match: str, ids: Collection[int]) -> Iterator[tuple[int, float]]:
        """(id, bm25) of those memories, more is better: best first, of equal ones the newest."""
        if not ids:
            return iter(())
        listed = f"[{','.join(map(str, ids))}]"
        return self._db.execute(SCORED, (match, min(ids), max(ids), listed))

    def close(self) -> None:
        """Close the database; for tables in memory."""
        self._db.close()

    def _number(self, rows: str, *values: object) -> int:
        return int(self._db.execute(f"SELECT count(*) FROM {rows}", values).fetchone()[0])
