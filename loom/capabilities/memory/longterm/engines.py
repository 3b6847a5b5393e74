"""The stores there are, by the name of their engine."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from loom.capabilities.memory.longterm.errors import LongTermError
from loom.capabilities.memory.longterm.memories import LongTerm
from loom.capabilities.memory.longterm.stores.rocks import Rocks
from loom.capabilities.memory.longterm.stores.sqlite import Sqlite

WAIT = 10.0  # seconds for another process to end its transaction, or to close its RocksDB
ENGINES: dict[str, Callable[[Path, float], Sqlite]] = {"sqlite": Sqlite, "rocksdb": Rocks}


def open_longterm(
    path: str | os.PathLike[str], engine: str = "sqlite", *, wait: float = WAIT
) -> LongTerm:
    """Open the long-term memory at `path`, made when missing: a file, or a folder of RocksDB.

    `wait` is how many seconds a call waits for another process. Raises LongTermError: BusyStore,
    CorruptStore, NewerStore, FailedStore; ImportError when the engine is not installed.
    """
    if engine not in ENGINES:
        raise LongTermError(f"no engine {engine!r}; there are {', '.join(ENGINES)}")
    return LongTerm(ENGINES[engine](Path(path), wait))
