"""The words of memories, in an FTS5 table of the store's database, and which memories are scored.

Theory of operation
-------------------
The table is contentless, as that of `loom.search.index`: it holds terms, and the text rests in the
memory. To take a memory out, FTS5 must be given the same terms that were put in, so a table is
good only for the version of `terms` it was made with (TERMS).

bm25 of every memory that holds any word asked for is exact and slow: of 100,000 memories a common
word is in tens of thousands. FTS5 walks postings twenty times faster than it scores them, so
memories are chosen first, and only those chosen are scored, by the bm25 over the whole store. What
may not be found (expired, of another kind or agent) is left out as it is walked over. Chosen are
the newest WIDE that hold a rare term, where terms are rare, from the rarest on, while WIDE memories
hold them in all; then the newest WIDE that hold every other term; and where those are fewer than
are asked for, the newest that hold any. So the answer differs from that of scoring everything only
where common words decide it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator

from msgspec import Struct

from loom.capabilities.memory.longterm.memory_item import MemoryItem
from loom.search.index import VERSION as TERMS
from loom.search.query import MOST_TERMS, query
from loom.search.terms import Terms, terms

__all__ = ["TABLE", "TERMS", "MemoryQuery", "Words"]

TABLE = """CREATE VIRTUAL TABLE held USING fts5 (
    names, words, content='', tokenize='porter ascii', detail=full
)"""
# `+` keeps SQLite from asking FTS5 for each id anew.
HOLDING = """SELECT held.rowid FROM held, memories
    WHERE held MATCH :match AND id = +held.rowid AND (expires = 0 OR expires > :now)
    AND :kind IN ('', kind) AND :agent IN ('', agent)
    ORDER BY held.rowid DESC LIMIT :most"""
SCORED = """SELECT rowid, -bm25(held) AS score FROM held
    WHERE held MATCH ? AND rowid BETWEEN ? AND ? AND +rowid IN (SELECT value FROM json_each(?))
    ORDER BY score DESC, rowid DESC"""
WIDE = 4_000  # memories that hold rare terms, or all the others


class MemoryQuery(Struct, frozen=True):
    """A query: terms, in memories alive at `now`, of a kind and an agent ("": any).

    `limit` is how many memories are asked for.
    """

    terms: Terms
    now: float
    limit: int
    kind: str = ""
    agent: str = ""

    def fits(self, memory: MemoryItem) -> bool:
        """True when a memory is alive and of the kind and agent asked for, whatever its words."""
        return (
            memory.alive(self.now)
            and self.kind in ("", memory.kind)
            and self.agent in ("", memory.agent)
        )


class Words:
    """The table `held` of an open database, beside `memories`; its transactions are the caller's.

    A `match` is an expression of FTS5.
    """

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def add(self, id: int, text: str) -> None:
        """Let a memory be found by the terms of its text."""
        self._db.execute(
            "INSERT INTO held (rowid, names, words) VALUES (?, ?, ?)", (id, *_columns(text))
        )

    def remove(self, id: int, text: str) -> None:
        """Let it be found no more; `text` is what it was added with."""
        self._db.execute(
            "INSERT INTO held (held, rowid, names, words) VALUES ('delete', ?, ?, ?)",
            (id, *_columns(text)),
        )

    def merge(self) -> None:
        """Write the table anew without what was removed: until then its terms are still there."""
        self._db.execute("INSERT INTO held (held) VALUES ('optimize')")

    def clear(self) -> None:
        """Make the table anew, empty."""
        self._db.execute("DROP TABLE IF EXISTS held")
        self._db.execute(TABLE)

    def ranked(self, wanted: MemoryQuery) -> Iterator[tuple[int, float]]:
        """Yield (id, bm25) of the memories chosen: the best first, of equal ones the newest."""
        rare, common = self._parted(wanted.terms)
        most = max(WIDE, wanted.limit)
        chosen = {*self._holding(" OR ".join(rare), wanted, most)}
        chosen.update(self._holding(" AND ".join(common), wanted, most))
        if len(chosen) < wanted.limit:
            chosen.update(self._holding(" OR ".join(common), wanted, wanted.limit))
        return self._scored(" OR ".join([*rare, *common]), chosen)

    def _parted(self, asked: Terms) -> tuple[list[str], list[str]]:
        """Return the terms that any memory holds, each as a match: the rare ones and the others."""
        single = [query(Terms((), (name,))) for name in asked.names[:MOST_TERMS]]
        single += [query(Terms((word,), ())) for word in asked.words[:MOST_TERMS]]
        counted = [(self._counted(one, WIDE + 1), f"({one})") for one in single]
        held = sorted((one for one in counted if one[0]), key=lambda one: one[0])
        total, rare = 0, 0
        for count, _ in held:
            total += count
            rare += total <= WIDE
        matches = [one for _, one in held]
        return matches[:rare], matches[rare:]

    def _counted(self, match: str, most: int) -> int:
        """Count the memories that match; `most` where there are more."""
        rows = "SELECT count(*) FROM (SELECT 1 FROM held WHERE held MATCH ? LIMIT ?)"
        return int(self._db.execute(rows, (match, most)).fetchone()[0])

    def _holding(self, match: str, wanted: MemoryQuery, most: int) -> list[int]:
        """Return ids of the newest `most` that match and may be found; none for a blank match."""
        given = {"match": match, "now": wanted.now, "kind": wanted.kind, "agent": wanted.agent}
        rows = self._db.execute(HOLDING, given | {"most": most}) if match else ()
        return [id for (id,) in rows]

    def _scored(self, match: str, ids: Collection[int]) -> Iterator[tuple[int, float]]:
        """Yield (id, bm25) of those memories, more is better: best first."""
        if not ids:
            return iter(())
        listed = f"[{','.join(map(str, ids))}]"
        return self._db.execute(SCORED, (match, min(ids), max(ids), listed))


def _columns(text: str) -> tuple[str, str]:
    """Return the names and the words of a text, as the table holds them."""
    found = terms(text)
    return " ".join(found.names), " ".join(found.words)
