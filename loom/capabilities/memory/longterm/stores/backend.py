"""The operations a store must have so that `LongTerm` can work over it.

A backend knows rows, never rules: which memory supersedes which, who is live and what is best is
decided once, in `memories` and `ranking`, so that stores cannot differ in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Protocol

from msgspec import Struct

from loom.capabilities.memory.longterm.memory_item import Draft, MemoryItem
from loom.search.terms import Terms


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


class Backend(Protocol):
    """Rows of memories. Every call below stands within `reading` or `writing`."""

    path: str

    def reading(self) -> AbstractContextManager[None]:
        """A view of what is committed, which stays the same inside."""
        ...

    def writing(self) -> AbstractContextManager[None]:
        """One transaction, the only one at a time: durable when it ends, undone by any error."""
        ...

    def next_id(self) -> int:
        """An id higher than any before, also than those of forgotten memories."""
        ...

    def insert(self, memory: MemoryItem) -> None:
        """Add a memory."""
        ...

    def update(self, before: MemoryItem, after: MemoryItem) -> None:
        """Change `expires`, `replaces` or `replaced_by` of a memory."""
        ...

    def delete(self, memory: MemoryItem) -> None:
        """Remove a memory; `purge` follows in the same transaction."""
        ...

    def purge(self, gone: Iterable[int]) -> None:
        """Rub memories that were deleted in this transaction out of the store's files."""
        ...

    def read(self, ids: Iterable[int]) -> dict[int, MemoryItem]:
        """The memories of those ids that are there."""
        ...

    def head(self, draft: Draft) -> MemoryItem | None:
        """The newest memory of that key and agent, superseded or not."""
        ...

    def history(self, key: str) -> list[MemoryItem]:
        """All memories of a key, newest first."""
        ...

    def twin(self, draft: Draft) -> MemoryItem | None:
        """The newest memory of the same identity and agent that is not superseded."""
        ...

    def due(self, now: float, most: int) -> list[MemoryItem]:
        """The first `most` that expire at `now` or before, superseded or not."""
        ...

    def newest(self) -> Iterator[MemoryItem]:
        """Memories that are not superseded, newest first."""
        ...

    def ranked(self, wanted: MemoryQuery) -> Iterator[tuple[int, float]]:
        """(id, bm25) of those `candidates` chooses: the best first, of equal ones the newest."""
        ...

    def vectors(self, embedder: str) -> tuple[list[int], bytes]:
        """Ids of memories with a vector of this embedder, and those vectors (float16) on end."""
        ...

    def keep_vectors(self, embedder: str, vectors: Iterable[tuple[int, bytes]]) -> None:
        """Keep vectors of memories that are there, and drop those of any other embedder."""
        ...

    def count(self) -> int:
        """How many memories there are."""
        ...

    def close(self) -> None:
        """Let go of the files."""
        ...
