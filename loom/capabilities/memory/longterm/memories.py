"""Long-term memory over any store: which memory supersedes which, what is not stored twice, what a
query finds.

Two invariants hold after every transaction. Of the memories of one key at most one is not
superseded, and it is the newest: the one that the next save of the key supersedes, expired or not.
And a link `replaced_by` leads to a memory that was not superseded when the link was made, so chains
end.

A query ranks by words, and with an embedder also by meaning. Scores are rounded to hundredths of
the best score (GRADES); within a grade the newest memory stands first. So a newer memory passes an
older one only where the scores hardly differ. No transaction is open while an embedder works, which
may take half a minute: others go on saving, and a memory deleted meanwhile gets no vector."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Self

from msgspec import structs

from loom.capabilities.memory.longterm import NAMES
from loom.capabilities.memory.longterm.memory_item import (
    LAST_ID,
    MemoryItem,
    Scored,
    checked_seconds,
    memory_digest,
)
from loom.capabilities.memory.longterm.rocks import Rocks
from loom.capabilities.memory.longterm.sqlite import LIVE, Sqlite, id_list
from loom.errors import StoreLocked, StoreUnreachable
from loom.search.rank import ids_by_score, sum_scores
from loom.search.semantic import BATCH, MOST, Embedder, embedder_name
from loom.search.terms import sought_terms
from loom.text import encodable

WAIT = 10.0  # seconds for another process to end its transaction, or to close its RocksDB
ENGINES: dict[str, Callable[[Path, float], Sqlite]] = dict(zip(NAMES, (Sqlite, Rocks), strict=True))
CANDIDATES = 500  # lexical hits that are summed with cosines
GRADES = 100
POOL = 64  # hits that are graded, when fewer are asked for


def open_longterm(
    path: str | os.PathLike[str], engine: str = "sqlite", *, wait: float = WAIT
) -> LongTerm:
    """Open the long-term memory at `path`, created when missing: a file ("sqlite"), or a folder
    ("rocksdb").

    `wait` is how many seconds a call waits for another process. Raises StoreLocked, NewerWorkspace,
    PagingError; ImportError when the engine is not installed."""
    return LongTerm(ENGINES[engine](Path(path), wait))


class LongTerm:
    """An open store of memories that outlive sessions, for one thread at a time.

    `now` is unix seconds by the caller's clock. Any call may raise StoreLocked, PagingError; a call
    that writes also StoreUnreachable. A call that raises has changed nothing."""

    def __init__(self, store: Sqlite) -> None:
        self.store = store
        self._embedder: Embedder | None = None

    def save(self, memory: MemoryItem) -> MemoryItem:
        """Store a memory that `new_memory` made, and return it as stored; durable on return.

        It supersedes the old memory of the same `key`, which no query finds any more but `get`
        returns by id. Where a live memory has equal text, key and kind, nothing is stored: the live
        memory is returned, with the later expiry of the two and its own source."""
        return self.save_many([memory])[0]

    def save_many(self, memories: Iterable[MemoryItem]) -> list[MemoryItem]:
        """Save memories one after the other, all or none: one transaction, one sync."""
        with self.store.write_transaction():
            return [_save_one(self.store, memory) for memory in memories]

    def expire(self, now: float, most: int = LAST_ID) -> int:
        """Delete the memories that have expired at `now`, from the disk too; return how many.

        At most `most` are deleted, those that expired first. Their words leave the store's own
        files; not copies, backups, or blocks that the file system has freed."""
        at = checked_seconds("now", now)
        due = "expires > 0 AND expires <= ? ORDER BY expires, id LIMIT ?"
        with self.store.read_transaction():
            if next(self.store.rows(due, at, 1), None) is None:
                return 0
        with self.store.write_transaction():
            gone = list(self.store.rows(due, at, most))
            for memory in gone:
                self.store.delete(memory)
            return len(gone)

    def query(self, words: str, limit: int = 5, *, now: float, kind: str = "") -> list[Scored]:
        """Return the live memories that fit the words best, best first, nearly equal ones newest
        first.

        A blank query returns the newest; "" as `kind` means any."""
        at, words, kind = checked_seconds("now", now), encodable(words), encodable(kind)
        if limit <= 0:
            return []
        if not words.strip():
            with self.store.read_transaction():
                newest = self.store.rows(f"{LIVE} ORDER BY id DESC LIMIT ?3", at, kind, limit)
                return [Scored(memory, 0.0) for memory in newest]
        near = self._similarities(words, at, kind)
        with self.store.read_transaction():
            held = dict(
                self.store.ranked_ids(sought_terms(words), max(limit, CANDIDATES), at, kind)
            )
            scores = sum_scores(held, near)
            pool = ids_by_score(scores)[: max(limit, POOL)]
            found = [Scored(one, scores[one.id]) for one in self.store.read(pool).values()]
        top = max((one.score for one in found), default=0.0)

        def order(one: Scored) -> tuple[int, float, int]:
            grade = round(one.score / top * GRADES) if top > 0 else 0
            return -grade, -one.memory.saved, -one.memory.id

        return sorted(found, key=order)[:limit]

    def get(self, id: int, *, now: float = 0.0) -> MemoryItem | None:
        """Return the memory of an id, a superseded one too; None when there is none.

        With `now`, None also for a memory that has expired by then. Without, it is returned as long
        as it is not deleted."""
        with self.store.read_transaction():
            found = self.store.read([id] if 0 < id <= LAST_ID else []).get(id)
        return found if found is not None and not found.expired(now) else None

    def use_embedder(self, embedder: Embedder | None) -> None:
        """Let queries score by meaning too; with None, by words alone."""
        self._embedder = embedder

    def _similarities(self, words: str, now: float, kind: str) -> Mapping[int, float]:
        """Return, by id, the cosine between `words` and every live memory of the `kind` that has a
        vector.

        First the newest MOST of the memories without a vector are given one. Where these vectors
        cannot be stored, because the store is read-only or another process writes, they count for
        this query alone."""
        embedder, store = self._embedder, self.store
        if embedder is None:
            return {}
        import numpy as np

        name, live = embedder_name(embedder), (now, kind)
        wanted = np.nan_to_num(np.asarray(embedder.embed([words]), np.float32)[0])
        with store.read_transaction():
            kept = store.vectors(name, *live)
            # One of that name may have had other dimensions: its vectors say nothing to this one.
            held = {id: vector for id, vector in kept if len(vector) == 2 * len(wanted)}
            unknown = f"{LIVE} AND id NOT IN (SELECT value FROM json_each(?3))"
            missing = store.rows(f"{unknown} ORDER BY id DESC LIMIT ?4", *live, id_list(held), MOST)
            left = list(missing)
        for at in range(0, len(left), BATCH):
            batch = left[at : at + BATCH]
            made = np.nan_to_num(np.asarray(embedder.embed([m.text for m in batch]), np.float16))
            new = {m.id: row.tobytes() for m, row in zip(batch, made, strict=True)}
            with suppress(StoreUnreachable, StoreLocked), store.write_transaction():
                store.keep_vectors(name, new)
            held |= new
        if not held:
            return {}
        matrix = np.frombuffer(b"".join(held.values()), np.float16).reshape(len(held), -1)
        cosines = np.nan_to_num(matrix.astype(np.float32)) @ wanted
        return dict(zip(held, cosines.tolist(), strict=True))

    def close(self) -> None:
        """Close the store; does nothing when it is closed."""
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()


def _save_one(store: Sqlite, new: MemoryItem) -> MemoryItem:
    """Save a memory and return it as stored. Where a live memory has equal text, key and kind,
    return that memory instead, with the later expiry of the two."""
    same = "digest = ? AND replaced_by = 0 ORDER BY id DESC LIMIT 1"
    known = next(store.rows(same, memory_digest(new)), None)
    if known is not None and known.alive(new.saved):
        later = max(known.expires, new.expires) if known.expires and new.expires else 0.0
        after = structs.replace(known, expires=later)
        if after != known:
            store.update(known, after)
        return after
    newest = "key = ? AND key != '' ORDER BY id DESC LIMIT 1"
    old = next(store.rows(newest, new.key), None)
    replaces = old.id if old is not None and not old.replaced_by else 0
    made = structs.replace(new, id=store.next_id(), replaces=replaces)
    if old is not None and replaces:
        store.update(old, structs.replace(old, replaced_by=made.id))
    store.insert(made)
    return made
