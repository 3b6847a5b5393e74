"""Long-term memory: what outlives the session, saved and found again from any other.

The three tiers are the window (working), the workspace with its pages and steps (short-term), and a
store beside it (long-term, `loom.capabilities.memory.longterm`). What moves up or down is a record.
What was recalled is marked where it is shown, and never saved again as a memory of its own.
"""

from __future__ import annotations

import time
from pathlib import Path
from threading import RLock

from loom.capabilities.memory.longterm import ENGINES, LongTerm, MemoryItem, Scored, open_longterm
from loom.capabilities.memory.recalled import fresh, recalled_ids
from loom.engine import Engine
from loom.engine.archive.lookup import fault
from loom.engine.atomic import Atomic
from loom.errors import LoomError
from loom.text import cut
from loom_partitions import records as r

FILE = "memories"  # in the folder that outlives the workspace
PROMOTED_CHARS = 16_000  # of a page or an entry: more belongs in a file that the memory names


class NoLongTerm(LoomError):
    """The context was opened without a folder for memory."""

    def __init__(self) -> None:
        super().__init__("no long-term memory: give loom.open a folder, memory=…")


class Lasting:
    """What a Context offers of memory that outlives sessions."""

    _engine: Engine
    _lock: RLock
    _atomic: Atomic
    _place: tuple[Path, str] | None = None  # the folder, and the engine of the store in it
    _longterm: LongTerm | None = None

    def last(self, folder: Path, engine: str) -> None:
        """Keep long-term memory in a folder, by a store of that name, opened when first used."""
        if engine not in ENGINES:
            raise LoomError(f"memory: no engine {engine!r}; there are {', '.join(ENGINES)}")
        with self._lock:
            self._place = folder, engine
            self._engine.at_hand.longterm = self._store

    def memory_save(
        self, text: str, *, key: str = "", kind: str = "fact", ttl: float = 0.0, source: str = ""
    ) -> MemoryItem:
        """Keep a memory for later sessions; durable when this returns.

        One of the same `key` is superseded, `ttl` is seconds (0: for ever). Lines that show a
        recalled memory are left out; where nothing else is said, that memory is returned. Raises
        NoLongTerm, and LongTermError for what cannot be kept.
        """
        with self._lock, self._atomic:
            store = self._store()
            clean = self._engine.ingest.clean
            whole = clean(text)
            said = fresh(whole)
            known = map(store.get, recalled_ids(whole)) if not said.strip() else ()
            for memory in known:
                if memory is not None:
                    return memory
            where = clean(source) or self._source(
                f"entry {self._engine.window.history.next_id - 1}"
            )
            made = store.save(
                said,
                key=clean(key),
                kind=clean(kind),
                source=where,
                now=time.time(),
                ttl=ttl,
            )
            self._engine.commit(r.Saved(made.id, made.key, where))
            return made

    def memory_promote(self, ref: str, *, key: str = "", kind: str = "fact") -> MemoryItem:
        """Make a page or an entry of this session a memory; its source is the name.

        Raises MissingPage, UnknownEntry, NoLongTerm, LongTermError.
        """
        with self._lock, self._atomic:
            text, name = fault(self._engine.workspace, ref)
            whole = cut(text.text, PROMOTED_CHARS)
            return self.memory_save(whole, key=key, kind=kind, source=self._source(name))

    def memory_query(self, query: str, limit: int = 5, *, kind: str = "") -> list[Scored]:
        """The memories that answer a query best, best first; a blank one gives the newest."""
        with self._lock, self._atomic:
            kind = self._engine.ingest.clean(kind)
            found = self._store().query(query, limit, now=time.time(), kind=kind)
            if found:
                self._engine.commit(r.Recalled(tuple(one.memory.id for one in found)))
            return found

    def _store(self) -> LongTerm:
        if self._place is None:
            raise NoLongTerm()
        if self._longterm is None:
            folder, engine = self._place
            folder.mkdir(parents=True, exist_ok=True)
            self._longterm = open_longterm(folder / f"{FILE}.{engine}", engine)
        return self._longterm

    def _let_go(self) -> None:
        """Close the store, when it was opened."""
        if self._longterm is not None:
            self._longterm.close()
            self._longterm = None

    def _source(self, name: str) -> str:
        """Where something stands, as provenance: this session's key, and the name."""
        return f"{self._engine.window.config.key}/{name}"
