"""Long-term memory without secrets: a store made anew beside the old one, from its rows.

What was deleted, or changed, is in no page, log or table of the new files.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from loom.capabilities.memory.kept_memories import FILE
from loom.capabilities.memory.longterm.memories import ENGINES, WAIT
from loom.capabilities.memory.longterm.memory_item import LABELS, MemoryItem
from loom.errors import BadInput
from loom.rewrite.secrets import Secrets
from loom_paging.rewriting import is_staged


class CleanStore(Struct, frozen=True):
    """The state of a store now: its memories, the last id there was, and whether any changed."""

    engine: str
    memories: tuple[MemoryItem, ...]
    last: int
    changed: bool

    def build(self, path: Path) -> None:
        """Make it at a path; its next memory gets the id after the last."""
        store = ENGINES[self.engine](path, WAIT)
        with closing(store), store.writing():
            for memory in self.memories:
                store.restore(memory)
            if not self.memories or self.memories[-1].id < self.last:
                spare = MemoryItem(self.last, "-")
                store.insert(spare)
                store.delete(spare)
        if self.engine == "sqlite":
            with closing(sqlite3.connect(path)) as db:
                db.execute("VACUUM")


def sqlite_files(path: Path) -> list[Path]:
    """The files SQLite keeps beside a store."""
    return [Path(f"{path}-{what}") for what in ("journal", "wal", "shm")]


def cleaned(path: Path, engine: str, secrets: Secrets, found: Callable[[str], None]) -> CleanStore:
    """A store without secrets; `found` is told of each memory that changes.

    Raises PagingError, and BadInput when another process is writing to a store of SQLite.
    """
    if engine == "sqlite":
        try:
            with closing(sqlite3.connect(path, timeout=0)) as db:
                db.execute("BEGIN EXCLUSIVE")
                db.execute("ROLLBACK")
        except sqlite3.OperationalError as error:
            raise BadInput(f"{path} is in use ({error}): close it first") from error
    with closing(ENGINES[engine](path, WAIT)) as store, store.reading():
        last = store.next_id() - 1
        rows = store.read(range(1, last + 1))
    made, changed = [], False
    keys: set[tuple[str, str]] = set()
    for id in sorted(rows, reverse=True):  # the newest of a key is the one that stands
        old = rows[id]
        new = replace(
            old, **{name: secrets.text(getattr(old, name)) for name in ("text", "agent", *LABELS)}
        )
        if new != old:
            changed = True
            found(f"memory {id}")
        if new.key and not new.replaced_by:
            if (new.key, new.agent) in keys:
                new = replace(new, key="")  # two keys have become one
            keys.add((new.key, new.agent))
        made.append(new)
    return CleanStore(engine, tuple(made[::-1]), last, changed)


def stores_in(folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield every store below a folder, and its engine."""
    for engine in ENGINES:
        for path in sorted(folder.rglob(f"{FILE}.{engine}")):
            begun = path.exists() and (path.is_dir() or path.stat().st_size)
            if begun and not path.is_symlink() and not is_staged(path):
                yield path, engine
