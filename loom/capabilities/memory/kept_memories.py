"""Memories of other sessions: where they are kept, and how one is shown.

A store is opened when it is first used, and expired memories are then deleted. A recalled memory is
shown marked, on one bounded line, so that a text that shows a memory is never saved as a new one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from loom.disk import make_private_folders
from loom.errors import BadInput, LoomError
from loom.lazy import lazy_re
from loom.reduce.clauses import beginning_or_notice
from loom.session.archive.workspace import Workspace
from loom.text import one_line

if TYPE_CHECKING:
    from loom.capabilities.memory.longterm.memories import LongTerm
    from loom.capabilities.memory.longterm.memory_item import MemoryItem

FILE = "memories"  # in its folder
LINE_CHARS = 400
HEADING = "from earlier sessions:"
_MARK = lazy_re(r"\[memory (\d+), [^\]\n]*\]")
SWEPT = 256  # expired memories that one sweep removes, so that its work is bounded


class KeptMemories:
    """The store of a context's saved memories in `folder`, opened on first use; None means no
    store. `engine` is "sqlite" or "rocksdb". `now` returns unix seconds."""

    def __init__(
        self,
        engine: Literal["sqlite", "rocksdb"],
        now: Callable[[], float],
        folder: Path | None = None,
        workspace: Workspace | None = None,
    ) -> None:
        self.now = now
        self._path = folder / f"{FILE}.{engine}" if folder is not None else None
        self._engine = engine
        self._workspace = workspace
        self.store: LongTerm | None = None  # where one was opened

    @property
    def begun(self) -> bool:
        """Return True if the store exists on disk."""
        return self._path is not None and self._path.exists()

    def open(self) -> LongTerm:
        """Return the store, opened or created if needed. Raises BadInput if there is no folder."""
        from loom.capabilities.memory.longterm.memories import open_longterm
        from loom.session.archive.recall_index import index_state

        if self._path is None or self._workspace is None:
            raise BadInput(
                "no long-term memory: the workspace is no folder; give loom.open one for memories,"
                " capabilities=[loom.Memory(folder)]"
            )
        if self.store is None:
            make_private_folders(self._path.parent)
            self.store = open_longterm(self._path, self._engine)
            self.store.use_embedder(index_state(self._workspace).embedder)
            self.sweep(self.store)
        return self.store

    def sweep(self, store: LongTerm) -> None:
        """Delete up to SWEPT expired memories from the store. Its LoomErrors are ignored."""
        with suppress(LoomError):
            store.expire(self.now(), SWEPT)

    def sweep_at_opening(self) -> None:
        """If the store exists, open it, delete expired memories and close it."""
        if self._path is not None and self.begun:
            from loom.capabilities.memory.longterm.memories import open_longterm

            with (
                suppress(LoomError, ImportError),
                open_longterm(self._path, self._engine, wait=0) as store,
            ):
                self.sweep(store)

    def close(self) -> None:
        """Close the store, if it is open."""
        if self.store is not None:
            self.store.close()
            self.store = None


def recalled_lines(memories: Iterable[MemoryItem]) -> str:
    """Return a heading and a line for each memory: "[memory 3, 2026-01-31, from source] text"."""
    lines = [HEADING]
    for one in memories:
        day = datetime.fromtimestamp(one.saved, UTC).date().isoformat()
        source = f", from {one_line(one.source, 80)}" if one.source else ""
        lines.append(
            beginning_or_notice(f"[memory {one.id}, {day}{source}] {one.text}", LINE_CHARS)
        )
    return "\n".join(lines)


def without_recalled_lines(text: str) -> tuple[str, tuple[int, ...]]:
    """Return `text` without the lines of `recalled_lines`, and the ids of the memories in them."""
    kept = (line for line in text.split("\n") if line != HEADING and not _MARK.match(line))
    return "\n".join(kept).strip("\n"), tuple(dict.fromkeys(map(int, _MARK.findall(text))))
