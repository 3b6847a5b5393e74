"""Clean a store of long-term memory from secrets. A new store is built from the memories in the old
one.

So the new files hold no deleted or overwritten text, which an old page, log or table may still
hold."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from loom.capabilities.memory.kept_memories import FILE
from loom.capabilities.memory.longterm.memories import ENGINES, WAIT
from loom.capabilities.memory.longterm.memory_item import LABELS, MemoryItem
from loom.errors import BadInput
from loom.rewrite.secrets import Secrets
from loom_paging.rewriting import is_staged


def sqlite_files(path: Path) -> list[Path]:
    """Return the paths of the files that SQLite may keep beside the database at `path`."""
    return [Path(f"{path}-{what}") for what in ("journal", "wal", "shm")]


def rebuild_without_secrets(
    path: Path, engine: str, secrets: Secrets, found: Callable[[str], None]
) -> Callable[[Path], None] | None:
    """Return a function `build(target)` that writes a copy of the store at `path`, without secrets,
    to the path `target`. Return None if the store holds no secret. `engine` is the kind of store,
    such as "sqlite". `found` is called with "memory ID" for each memory that holds a secret.

    Raises PagingError, and BadInput if another process is writing to the store."""
    if engine == "sqlite":
        try:
            with closing(sqlite3.connect(path, timeout=0)) as db:
                db.execute("BEGIN EXCLUSIVE")
                db.execute("ROLLBACK")
        except sqlite3.OperationalError as error:
            raise BadInput(f"{path} is in use ({error}): close it first") from error
    with closing(ENGINES[engine](path, WAIT)) as store, store.read_transaction():
        last = store.next_id() - 1
        rows = store.read(range(1, last + 1))
    made, changed = [], False
    keys: set[tuple[str, str]] = set()
    for id in sorted(rows, reverse=True):  # the newest of a key is the one that stands
        old = rows[id]
        texts = {
            name: secrets.clean_text(getattr(old, name)) for name in ("text", "agent", *LABELS)
        }
        new = replace(old, **texts)
        if new != old:
            changed = True
            found(f"memory {id}")
        if new.key and not new.replaced_by:
            if (new.key, new.agent) in keys:
                new = replace(new, key="")  # two keys have become one
            keys.add((new.key, new.agent))
        made.append(new)
    return partial(_build_store, engine, made[::-1], last) if changed else None


def _build_store(engine: str, memories: list[MemoryItem], last: int, path: Path) -> None:
    """Make a store of `memories` at `path`. The next memory saved there gets the id `last + 1`."""
    store = ENGINES[engine](path, WAIT)
    with closing(store), store.write_transaction():
        for memory in memories:
            store.restore(memory)
        if not memories or memories[-1].id < last:
            spare = MemoryItem(last, "-")
            store.insert(spare)
            store.delete(spare)
    if engine == "sqlite":
        with closing(sqlite3.connect(path)) as db:
            db.execute("VACUUM")


def memory_stores(folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield a pair (path, kind of store such as "sqlite") for each store of long-term memory below
    a folder."""
    for engine in ENGINES:
        for path in sorted(folder.rglob(f"{FILE}.{engine}")):
            begun = path.exists() and (path.is_dir() or path.stat().st_size)
            if begun and not path.is_symlink() and not is_staged(path):
                yield path, engine
