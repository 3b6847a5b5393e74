"""Memories of other sessions: where they are kept, and how one is shown.

A store is opened when it is first used, and swept of the expired. What is recalled is shown marked,
on a line, bounded, so that what shows a memory is never saved as one of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from loom.disk import private_folders
from loom.errors import BadInput, LoomError
from loom.lazy import lazy_re
from loom.reduce.clauses import told
from loom.session.archive.workspace import Workspace
from loom.text import one_line

if TYPE_CHECKING:
    from loom.capabilities.memory.longterm.memories import LongTerm
    from loom.capabilities.memory.longterm.memory_item import MemoryItem
    from loom.search.semantic import Embedder

FILE = "memories"  # in its folder
LINE_CHARS = 400
HEADING = "from earlier sessions:"
_MARK = lazy_re(r"\[memory (\d+), [^\]\n]*\]")
SWEPT = 256  # expired memories that one sweep removes, so that its work is bounded


class KeptMemories:
    """The long-term memories of a context, in `kept_in`, "sqlite" or "rocksdb"; `now` gives unix
    seconds."""

    def __init__(self, kept_in: Literal["sqlite", "rocksdb"], now: Callable[[], float]) -> None:
        self.now = now
        self._kept_in = kept_in
        self._folder: Path | None = None
        self._workspace: Workspace | None = None
        self._open: LongTerm | None = None

    def place(self, folder: Path | None, workspace: Workspace) -> None:
        """Say where they are kept, None for nowhere, and whose embedder serves them."""
        self._folder, self._workspace = folder, workspace

    @property
    def begun(self) -> bool:
        """True when a store is there."""
        return self._folder is not None and self._path(self._folder).exists()

    def open(self) -> LongTerm:
        """The store, made where there is none. Raises BadInput without a folder."""
        from loom.capabilities.memory.longterm.memories import open_longterm
        from loom.session.archive.indexing import kept_of

        if self._folder is None:
            raise BadInput(
                "no long-term memory: the workspace is no folder; give loom.open one for memories,"
                " capabilities=[loom.Memory(folder)]"
            )
        if self._open is None:
            private_folders(self._folder)
            self._open = open_longterm(self._path(self._folder), self._kept_in)
            if self._workspace is not None:
                self._open.use_embedder(kept_of(self._workspace).embedder)
            self.sweep(self._open)
        return self._open

    def use_embedder(self, embedder: Embedder | None) -> None:
        """Compare meanings with it from now on; None for words alone."""
        if self._open is not None:
            self._open.use_embedder(embedder)

    def sweep(self, store: LongTerm) -> None:
        """Remove what has expired, some of it; what cannot be removed now is not found either."""
        with suppress(LoomError):
            store.expire(self.now(), SWEPT)

    def sweep_at_opening(self) -> None:
        """Sweep a store that is there, and let go of it: another process may be waiting."""
        if self._folder is None or not self.begun:
            return
        from loom.capabilities.memory.longterm.memories import open_longterm

        path = self._path(self._folder)
        with suppress(LoomError, ImportError), open_longterm(path, self._kept_in, wait=0) as it:
            self.sweep(it)

    def close(self) -> None:
        """Close the store, when it was opened."""
        if self._open is not None:
            self._open.close()
            self._open = None

    def _path(self, folder: Path) -> Path:
        return folder / f"{FILE}.{self._kept_in}"


def recalled_line(memory: MemoryItem) -> str:
    """One line for a memory: its id, its day (UTC), where it is from, and its text."""
    day = datetime.fromtimestamp(memory.saved, UTC).date().isoformat()
    source = f", from {one_line(memory.source, 80)}" if memory.source else ""
    return told(f"[memory {memory.id}, {day}{source}] {memory.text}", LINE_CHARS)


def recalled_lines(memories: Iterable[MemoryItem]) -> str:
    """Some memories, each on a line, under a heading."""
    return "\n".join([HEADING, *map(recalled_line, memories)])


def fresh(text: str) -> str:
    """A text less the lines that show a memory, and the heading above them."""
    kept = (line for line in text.split("\n") if line != HEADING and not _MARK.match(line))
    return "\n".join(kept).strip("\n")


def recalled_ids(text: str) -> tuple[int, ...]:
    """The ids of the memories a text shows, each once."""
    return tuple(dict.fromkeys(int(found) for found in _MARK.findall(text)))
