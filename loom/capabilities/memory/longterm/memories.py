"""Long-term memory over any backend: what supersedes what, what is not stored twice, what is found.

Two invariants hold after every transaction. Of the memories of one key and agent at most one is not
superseded, and it is the newest: the one their next save supersedes, expired or not. And a link
`replaced_by` leads to a memory that was not superseded when the link was made, so chains end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from threading import RLock
from typing import Self

from msgspec import structs

from loom.capabilities.memory.longterm.errors import ClosedStore
from loom.capabilities.memory.longterm.memory_item import (
    LAST_ID,
    Draft,
    MemoryItem,
    Scored,
    checked,
    time_of,
)
from loom.capabilities.memory.longterm.ranking import best, similar
from loom.capabilities.memory.longterm.stores.sqlite import Sqlite
from loom.capabilities.memory.longterm.stores.words import MemoryQuery
from loom.search.rank import newest_first, summed
from loom.search.semantic import Embedder
from loom.search.terms import asked
from loom.text import printable

CANDIDATES = 500  # lexical hits that are summed with cosines


class LongTerm:
    """An open store of memories that outlive sessions. `now` is unix seconds by the caller's clock.

    Any call may raise LongTermError: ClosedStore, BusyStore, CorruptStore, FailedStore; those that
    write also ReadOnlyStore. A call that raises has changed nothing. Safe to share between threads.
    """

    def __init__(self, backend: Sqlite) -> None:
        self._backend = backend
        self._closed = False
        self._lock = RLock()  # one connection, which threads take in turns
        self._embedder: Embedder | None = None

    # --- writing ---

    def save(
        self,
        text: str,
        *,
        key: str = "",
        kind: str = "fact",
        source: str = "",
        agent: str = "",
        now: float,
        ttl: float = 0.0,
    ) -> MemoryItem:
        """Keep a memory; it is durable when this returns.

        It supersedes what has the same `key`, which is no longer found but can be read by id. A
        live memory of equal text, key and kind is not stored again: it is returned, with the later
        expiry of the two, its source as it was. Each `agent` has its own memories and keys:
        another's are neither superseded nor taken for equal. Raises BadMemory for a text that is
        blank or larger than TEXT_BYTES, and for a bad time.
        """
        return self.save_many([Draft(text, now, key, kind, source, agent, ttl)])[0]

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
            return bool(_remove(backend, gone))

    def expire(self, now: float, most: int = LAST_ID) -> int:
        """Remove for good, as `forget` does, what has expired at `now`; returns how many.

        With `most`, no more than so many, those that expired first.
        """
        at = time_of("now", now)
        with self.reading() as backend:
            if not backend.due(at, 1):
                return 0
        with self.writing() as backend:
            return _remove(backend, backend.due(at, most))

    # --- reading ---

    def query(
        self, words: str, limit: int = 5, *, now: float, kind: str = "", agent: str = ""
    ) -> list[Scored]:
        """The live memories that hold the words best, best first, nearly equal ones newest first.

        A blank query gives the newest; "" as `kind` or `agent` means any, also those of no agent.
        """
        at, words = time_of("now", now), printable(words)
        wanted = MemoryQuery(asked(words), at, limit, printable(kind), printable(agent))
        if limit <= 0:
            return []
        if not words.strip():
            with self.reading() as backend:
                found = filter(wanted.fits, backend.newest())
                return [Scored(memory, 0.0) for memory in islice(found, limit)]
        embedder = self._embedder
        near = similar(self.reading, self.writing, embedder, words) if embedder is not None else {}
        most = max(limit, CANDIDATES) if near else limit
        with self.reading() as backend:
            ranked = backend.ranked(structs.replace(wanted, limit=most))
            if near:
                both = summed(dict(islice(ranked, CANDIDATES)), near)
                ranked = iter([(id, both[id]) for id in newest_first(both)])
            return best(ranked, backend.read, wanted.fits, limit)

    def get(self, id: int, *, now: float = 0.0) -> MemoryItem | None:
        """The memory of that id, a superseded one too; None when there is none.

        With `now`, none that has expired by then; without, those that were not swept yet too.
        """
        with self.reading() as backend:
            found = backend.read(_ids(id)).get(id)
        return found if found is not None and not found.expired(now) else None

    def history(self, key: str, *, now: float = 0.0) -> list[MemoryItem]:
        """All memories of a key, of any agent, newest first; of "" there are none. See `get`."""
        with self.reading() as backend:
            found = backend.history(printable(key)) if key else []
        return [one for one in found if not one.expired(now)]

    def __len__(self) -> int:
        """How many memories are stored, live and dead."""
        with self.reading() as backend:
            return backend.count()

    def use_embedder(self, embedder: Embedder | None) -> None:
        """Let queries score by meaning too; with None, by words alone."""
        self._embedder = embedder

    # --- doors ---

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
            raise ClosedStore(self._backend.path)


def _ids(id: int) -> list[int]:
    return [id] if 0 < id <= LAST_ID else []


def _save(backend: Sqlite, draft: Draft) -> MemoryItem:
    """Save one draft: the memory that says the same already, living longer, or a new one."""
    known = backend.twin(draft)
    if known is not None and known.alive(draft.now):
        later = max(known.expires, draft.expires) if known.expires and draft.expires else 0.0
        after = structs.replace(known, expires=later)
        if after != known:
            backend.update(known, after)
        return after
    head = backend.head(draft) if draft.key else None
    old = head if head is not None and not head.replaced_by else None
    made = draft.memory(backend.next_id(), old.id if old is not None else 0)
    if old is not None:
        backend.update(old, structs.replace(old, replaced_by=made.id))
    backend.insert(made)
    return made


def _remove(backend: Sqlite, gone: list[MemoryItem]) -> int:
    for memory in gone:
        backend.delete(memory)
    if gone:
        backend.purge(memory.id for memory in gone)
    return len(gone)
