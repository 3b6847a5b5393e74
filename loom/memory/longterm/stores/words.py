"""The words of memories, in an FTS5 table of any SQLite database, a file's or one in memory.

The table is contentless, as that of `loom.search.index`: it holds terms, and the text rests in the
memory. To take a memory out, FTS5 must be given the same terms that were put in, so a table is
good only for the version of `terms` it was made with (TERMS).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from typing import Self

from loom.search.index import VERSION as TERMS
from loom.search.index import query
from loom.search.terms import Terms, terms

__all__ = ["TABLE", "TERMS", "Words"]

TABLE = """CREATE VIRTUAL TABLE held USING fts5 (
    names, words, content='', tokenize='porter ascii', detail=full
)"""


class Words:
    """The table `held` of an open database; its transactions are the caller's."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    @classmethod
    def in_memory(cls, texts: Iterable[tuple[int, str]]) -> Self:
        """A table in memory of those (id, text); whoever made it closes it."""
        db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        made = cls(db)
        try:
            db.execute(TABLE)
            made.change((True, id, text) for id, text in texts)
        except BaseException:
            db.close()
            raise
        return made

    def change(self, changes: Iterable[tuple[bool, int, str]]) -> None:
        """Add (True) and remove (False) memories, in one transaction."""
        self._db.execute("BEGIN")
        for added, id, text in changes:
            (self.add if added else self.remove)(id, text)
        self._db.execute("COMMIT")

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

    def ranked(self, wanted: Terms) -> Iterator[tuple[int, float]]:
        """(id, bm25), more is better: best first, of equal ones the newest."""
        if not (match := query(wanted)):
            return iter(())
        return self._db.execute(
            "SELECT rowid, -rank FROM held WHERE held MATCH ? ORDER BY rank, rowid DESC", (match,)
        )

    def clear(self) -> None:
        """Make the table anew, empty."""
        self._db.execute("DROP TABLE IF EXISTS held")
        self._db.execute(TABLE)

    def close(self) -> None:
        """Close the database; for a table in memory."""
        self._db.close()
