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
    """Open the store of memories at `path` and return it. A missing store is created: a file for
    "sqlite", a folder for "rocksdb". Calls wait up to `wait` seconds for other processes.

    Raises StoreLocked, NewerWorkspace, PagingError, and ImportError without the engine's package.
    """
    return LongTerm(ENGINES[engine](Path(path), wait))


class LongTerm:
    """An open store of memories for later sessions. Only one thread at a time may use it.

    `now` is always unix seconds. Any call may raise StoreLocked or PagingError, writing calls also
    StoreUnreachable. A call that raises has changed nothing. A memory is live if it is neither
    replaced nor expired."""

    def __init__(self, store: Sqlite) -> None:
        self.store = store
        self._embedder: Embedder | None = None

    def save(self, memory: MemoryItem) -> MemoryItem:
        """Store a memory made by `new_memory`, and return it with its id when it is on disk.

        A live memory with the same text, key and kind is kept and returned instead, with the later
        of both expiry times. Any other older memory of the same `key` is replaced: queries no
        longer find it, but `get` returns it."""
        return self.save_many([memory])[0]

    def save_many(self, memories: Iterable[MemoryItem]) -> list[MemoryItem]:
        """Save all memories, or none if one fails. Return them as `save` does."""
        with self.store.write_transaction():
            return [_save_one(self.store, memory) for memory in memories]

    def expire(self, now: float, most: int = LAST_ID) -> int:
        """Delete at most `most` memories expired at `now`, the earliest first, and return how many.
        Deleted words leave the store's files, but not copies, backups and freed disk blocks."""
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
        """Return at most `limit` live memories that fit `words`, best first, the newer first if two
        fit almost equally. Blank `words` return the newest memories. `kind` "" means every kind."""
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
        """Return the memory with this id, even if replaced; None if there is none, or if the memory
        has expired at `now` (0.0 ignores expiry)."""
        with self.store.read_transaction():
            found = self.store.read([id] if 0 < id <= LAST_ID else []).get(id)
        return found if found is not None and not found.expired(now) else None

    def use_embedder(self, embedder: Embedder | None) -> None:
        """Let queries compare meanings as well as words. None compares words only."""
        self._embedder = embedder

    def _similarities(self, words: str, now: float, kind: str) -> Mapping[int, float]:
        """Return the cosine similarity of `words` to each live memory of the `kind` that has a
        vector, by memory id. First make missing vectors for up to MOST of the newest memories;
        vectors that cannot be stored are used for this query only."""
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
        """Close the store. Closing twice is allowed."""
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()


def _save_one(store: Sqlite, new: MemoryItem) -> MemoryItem:
    """Store a memory and return it with its id. A live memory with equal text, key and kind is kept
    and returned instead, with the later of both expiry times."""
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
