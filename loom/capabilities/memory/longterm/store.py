"""The contract of long-term memory: what every store does, whatever it rests in."""

from __future__ import annotations

from collections.abc import Iterable
from types import TracebackType
from typing import Protocol, Self

from loom.capabilities.memory.longterm.memory_item import Draft, MemoryItem, Scored
from loom.search.semantic import Embedder


class LongTerm(Protocol):
    """Memories that outlive sessions. `now` is unix seconds by the caller's clock.

    Any call may raise LongTermError: ClosedStore, BusyStore, CorruptStore, FailedStore; those that
    write also ReadOnlyStore. A call that raises has changed nothing. Safe to share between threads.
    """

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
        replaces: int = 0,
    ) -> MemoryItem:
        """Keep a memory; it is durable when this returns.

        It supersedes what has the same `key`, and the memory `replaces`: these are no longer found
        but can be read by id. A live memory of equal text, key and kind is not stored again: it is
        returned, with the later expiry of the two, its source as it was. Each `agent` has its own
        memories and keys: another's are neither superseded nor taken for equal. Raises
        BadMemory for a text that is blank or larger than TEXT_BYTES, for a bad time, and where
        `replaces` names nothing, or what was replaced already.
        """
        ...

    def save_many(self, items: Iterable[Draft]) -> list[MemoryItem]:
        """Save all of them, one after the other, or none: one transaction, one sync.

        Other writers wait for it: give thousands at a time, not a hundred thousand.
        """
        ...

    def query(
        self, words: str, limit: int = 5, *, now: float, kind: str = "", agent: str = ""
    ) -> list[Scored]:
        """The live memories that hold the words best, best first, nearly equal ones newest first.

        A blank query gives the newest; "" as `kind` or `agent` means any, also those of no agent.
        """
        ...

    def get(self, id: int) -> MemoryItem | None:
        """The memory of that id, superseded and expired ones too; None when there is none."""
        ...

    def history(self, key: str) -> list[MemoryItem]:
        """All memories of a key, of any agent, newest first; of "" there are none."""
        ...

    def forget(self, id: int) -> bool:
        """Remove a memory for good, its text and its words from the disk too.

        Whether there was one. What it replaced stays superseded. The words are rubbed out of the
        store's own files; not of copies, backups, or blocks the file system has freed.
        """
        ...

    def expire(self, now: float) -> int:
        """Remove for good, as `forget` does, whatever has expired at `now`; returns how many."""
        ...

    def use_embedder(self, embedder: Embedder | None) -> None:
        """Let queries score by meaning too; with None, by words alone."""
        ...

    def __len__(self) -> int:
        """How many memories are stored, live and dead."""
        ...

    def close(self) -> None:
        """Close the store; no-op when it is closed."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...
