"""Long-term memory over any store: what supersedes what, what is not stored twice, what is found.

Two invariants hold after every transaction. Of the memories of one key at most one is not
superseded, and it is the newest: the one their next save supersedes, expired or not. And a link
`replaced_by` leads to a memory that was not superseded when the link was made, so chains end.

A query ranks by words, and with an embedder by meaning. A score is brought to hundredths of the
best one (GRADES); within a grade the newest stands first. So a newer memory passes an older one
only where the scores hardly tell them apart. No transaction is open while an embedder works, which
may take half a minute: others go on saving, and a memory that went meanwhile gets no vector.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from threading import RLock
from typing import Self

from msgspec import structs

from loom.capabilities.memory.longterm import NAMES
from loom.capabilities.memory.longterm.memory_item import (
    LAST_ID,
    Draft,
    MemoryItem,
    Scored,
    checked,
    identity,
    time_of,
)
from loom.capabilities.memory.longterm.rocks import Rocks
from loom.capabilities.memory.longterm.sqlite import Sqlite
from loom.errors import BadInput, Closed, StoreLocked, StoreUnreachable
from loom.search.rank import newest_first, sum_scores
from loom.search.semantic import BATCH as EMBEDDED
from loom.search.semantic import MOST, Embedder, name_of
from loom.search.terms import asked
from loom.text import printable

WAIT = 10.0  # seconds for another process to end its transaction, or to close its RocksDB
ENGINES: dict[str, Callable[[Path, float], Sqlite]] = dict(zip(NAMES, (Sqlite, Rocks), strict=True))
CANDIDATES = 500  # lexical hits that are summed with cosines
GRADES = 100
POOL = 64  # hits that are graded, when fewer are asked for


def open_longterm(
    path: str | os.PathLike[str], engine: str = "sqlite", *, wait: float = WAIT
) -> LongTerm:
    """Open the long-term memory at `path`, made when missing: a file, or a folder of RocksDB.

    `wait` is how many seconds a call waits for another process. Raises StoreLocked,
    NewerWorkspace, PagingError; ImportError when the engine is not installed.
    """
    if engine not in ENGINES:
        raise BadInput(f"no engine {engine!r}; there are {', '.join(ENGINES)}")
    return LongTerm(ENGINES[engine](Path(path), wait))


class LongTerm:
    """An open store of memories that outlive sessions. `now` is unix seconds by the caller's clock.

    Any call may raise Closed, StoreLocked, PagingError; those that write also StoreUnreachable. A
    call that raises has changed nothing. Safe to share between threads.
    """

    def __init__(self, backend: Sqlite) -> None:
        self._backend = backend
        self._closed = False
        self._lock = RLock()  # one connection, which threads take in turns
        self._embedder: Embedder | None = None

    def save(
        self,
        text: str,
        *,
        key: str = "",
        kind: str = "fact",
        source: str = "",
        now: float,
        ttl: float = 0.0,
    ) -> MemoryItem:
        """Keep a memory; it is durable when this returns.

        It supersedes what has the same `key`, which is no longer found but can be read by id. A
        live memory of equal text, key and kind is not stored again: it is returned, with the later
        expiry of the two, its source as it was. Raises BadInput for a text that is blank or larger
        than TEXT_BYTES, and for a bad time.
        """
        return self.save_many([Draft(text, now, key, kind, source, ttl)])[0]

    def save_many(self, items: Iterable[Draft]) -> list[MemoryItem]:
        """Save all of them, one after the other, or none: one transaction, one sync.

        Other writers wait for it: give thousands at a time, not a hundred thousand.
        """
        drafts = [checked(draft) for draft in items]
        if not drafts:
            return []
        with self.writing() as backend:
            return [_save(backend, draft) for draft in drafts]

    def forget(self, id: int) -> bool:
        """Remove a memory for good, its text and its words from the disk too.

        Whether there was one. What it replaced stays superseded. The words are rubbed out of the
        store's own files; not of copies, backups, or blocks the file system has freed.
        """
        with self.writing() as backend:
            gone = list(backend.read(_ids(id)).values())
            for memory in gone:
                backend.delete(memory)
            return bool(gone)

    def expire(self, now: float, most: int = LAST_ID) -> int:
        """Remove for good, as `forget` does, what has expired at `now`; returns how many.

        With `most`, no more than so many, those that expired first.
        """
        at = time_of("now", now)
        due = "expires > 0 AND expires <= ? ORDER BY expires, id LIMIT ?"
        with self.reading() as backend:
            if next(backend.rows(due, at, 1), None) is None:
                return 0
        with self.writing() as backend:
            gone = list(backend.rows(due, at, most))
            for memory in gone:
                backend.delete(memory)
            return len(gone)

    def query(self, words: str, limit: int = 5, *, now: float, kind: str = "") -> list[Scored]:
        """The live memories that hold the words best, best first, nearly equal ones newest first.

        A blank query gives the newest; "" as `kind` means any.
        """
        at, words, kind = time_of("now", now), printable(words), printable(kind)
        if limit <= 0:
            return []
        if not words.strip():
            with self.reading() as backend:
                return [Scored(memory, 0.0) for memory in backend.newest(at, kind, limit)]
        near = self._similar(words)
        most = max(limit, CANDIDATES) if near else limit
        with self.reading() as backend:
            ranked = backend.ranked(asked(words), most, at, kind)
            if near:
                both = sum_scores(dict(islice(ranked, CANDIDATES)), near)
                ranked = iter([(id, both[id]) for id in newest_first(both)])
            fits = lambda one: one.alive(at) and kind in ("", one.kind)  # noqa: E731
            return best(ranked, backend.read, fits, limit)

    def get(self, id: int, *, now: float = 0.0) -> MemoryItem | None:
        """The memory of that id, a superseded one too; None when there is none.

        With `now`, none that has expired by then; without, those that were not swept yet too.
        """
        with self.reading() as backend:
            found = backend.read(_ids(id)).get(id)
        return found if found is not None and not found.expired(now) else None

    def __len__(self) -> int:
        """How many memories are stored, live and dead."""
        with self.reading() as backend:
            return backend.count()

    def use_embedder(self, embedder: Embedder | None) -> None:
        """Let queries score by meaning too; with None, by words alone."""
        self._embedder = embedder

    def _similar(self, words: str) -> dict[int, float]:
        """Cosine with the words of every memory that has a vector, by id; {} without an embedder.

        Of those without one the newest MOST are given one first. Where they cannot be kept, because
        the store is read-only or another process writes, they count for this query alone.
        """
        embedder = self._embedder
        if embedder is None:
            return {}
        import numpy as np

        name = name_of(embedder)
        with self.reading() as backend:
            ids, blob = backend.vectors(name)
            if not ids and not backend.newest(0.0, "", 1):
                return {}
        wanted = np.nan_to_num(np.asarray(embedder.embed([words]), np.float32)[0])
        if len(blob) != len(ids) * len(wanted) * np.dtype(np.float16).itemsize:
            # One of that name had other dimensions: its vectors say nothing to this one.
            ids, blob = [], b""
            self._keep("", [])
        known = set(ids)
        with self.reading() as backend:
            every = backend.rows("replaced_by = 0 ORDER BY id DESC")
            missing = list(islice((one for one in every if one.id not in known), MOST))
        parts = [np.frombuffer(blob, np.float16).reshape(len(ids), -1)] if ids else []
        for at in range(0, len(missing), EMBEDDED):
            batch = missing[at : at + EMBEDDED]
            made = np.nan_to_num(np.asarray(embedder.embed([m.text for m in batch]), np.float16))
            new = [m.id for m in batch]
            self._keep(name, zip(new, (row.tobytes() for row in made), strict=True))
            parts.append(made)
            ids += new
        if not parts:
            return {}
        matrix = np.nan_to_num(np.concatenate(parts).astype(np.float32))
        return dict(zip(ids, (matrix @ wanted).tolist(), strict=True))

    def _keep(self, embedder: str, vectors: Iterable[tuple[int, bytes]]) -> None:
        with suppress(StoreUnreachable, StoreLocked), self.writing() as backend:
            backend.keep_vectors(embedder, vectors)

    @contextmanager
    def reading(self) -> Iterator[Sqlite]:
        """The backend within a view of what is committed."""
        with self._lock:
            self._check()
            with self._backend.reading():
                yield self._backend

    @contextmanager
    def writing(self) -> Iterator[Sqlite]:
        """The backend within a transaction."""
        with self._lock:
            self._check()
            with self._backend.writing():
                yield self._backend

    def close(self) -> None:
        """Close the store; no-op when it is closed."""
        with self._lock:
            if not self._closed:
                self._closed = True
                self._backend.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def _check(self) -> None:
        if self._closed:
            raise Closed(f"{self._backend.path} is closed: open_longterm it again to go on")


def best(
    ranked: Iterable[tuple[int, float]],
    read: Callable[[Iterable[int]], Mapping[int, MemoryItem]],
    fits: Callable[[MemoryItem], bool],
    limit: int,
) -> list[Scored]:
    """The `limit` best memories that fit. `ranked` is (id, score), best first: as many memories are
    read as stand before the last one shown."""
    hits, pool = iter(ranked), list[Scored]()
    while len(pool) < max(limit, POOL) and (batch := dict(islice(hits, POOL))):
        memories = read(batch)
        found = (Scored(memories[id], batch[id]) for id in batch if id in memories)
        pool += [one for one in found if fits(one.memory)]
    top = pool[0].score if pool else 0.0

    def order(one: Scored) -> tuple[int, float, int]:
        grade = round(one.score / top * GRADES) if top > 0 else 0
        return -grade, -one.memory.saved, -one.memory.id

    return sorted(pool[: max(limit, POOL)], key=order)[:limit]


def _ids(id: int) -> list[int]:
    return [id] if 0 < id <= LAST_ID else []


def _save(backend: Sqlite, draft: Draft) -> MemoryItem:
    """Save one draft: the memory that says the same already, living longer, or a new one."""
    same = "digest = ? AND replaced_by = 0 AND agent = '' ORDER BY id DESC LIMIT 1"
    known = next(backend.rows(same, identity(draft)), None)
    if known is not None and known.alive(draft.now):
        later = max(known.expires, draft.expires) if known.expires and draft.expires else 0.0
        after = structs.replace(known, expires=later)
        if after != known:
            backend.update(known, after)
        return after
    newest = "key = ? AND key != '' AND agent = '' ORDER BY id DESC LIMIT 1"
    head = next(backend.rows(newest, draft.key), None)
    old = head if head is not None and not head.replaced_by else None
    made = draft.memory(backend.next_id(), old.id if old is not None else 0)
    if old is not None:
        backend.update(old, structs.replace(old, replaced_by=made.id))
    backend.insert(made)
    return made
