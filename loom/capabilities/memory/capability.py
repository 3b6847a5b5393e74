"""`ctx.memory`: the AGENTS.md files of a project, the agent's notes, and what outlives the session.

The three tiers are the window (working), the workspace with its pages and steps (short-term), and a
store beside the workspace (long-term, `loom.capabilities.memory.longterm`). What moves between
tiers is recorded. A recalled memory is marked where shown, and never saved as a new memory."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from loom.capabilities.memory.kept_memories import (
    KeptMemories,
    recalled_lines,
    without_recalled_lines,
)
from loom.capabilities.memory.longterm import NAMES
from loom.capabilities.memory.notes import Notes
from loom.capabilities.memory.notes_tool import memory_tool
from loom.capability import Answer, Capability, OwnTool
from loom.context import Loop
from loom.errors import BadInput, LoomError
from loom.session.head import drop_text, put_text
from loom.session.tools.answer import answer_reduction
from loom.typed import check_arguments
from loom_partitions import records as r

if TYPE_CHECKING:
    from loom.capabilities.file_owners import Trust
    from loom.capabilities.memory.followed_guides import FollowedGuides
    from loom.capabilities.memory.guide import MergedGuides
    from loom.capabilities.memory.longterm.memory_item import MemoryItem, Scored
    from loom.search.semantic import Embedder

OWN = "memory"  # the folder of a workspace whose host gave no other
NOT_LOADED = "guides not loaded"  # what earlier versions told the model of them
RECALLED = 3  # memories of earlier sessions, told with what this one holds


@check_arguments
class Memory(Capability):
    """What an agent remembers: guides of its project, own notes, memories of earlier sessions.

    `folder` outlives the workspace: its `notes` hold the files that the model keeps with the tool
    `memory`, and what is saved for later sessions rests in it too, in SQLite or
    (`engine="rocksdb"`) in RocksDB. Without a folder there are no notes, and saved memories rest in
    the workspace: only later openings of this workspace find them.

    `clock` gives unix seconds. A memory saved with a `ttl` is gone when that time is over: nothing
    finds it, its key is free, and its text leaves the files of the store when the context is
    opened, when the store is first used, and with each save, up to 256 memories a time. With a
    project, its AGENTS.md files stand in the memory partition and are read again when they change.
    Files of another user, and a repository of another user above the project, are refused with a
    warning, except at and below the paths in `trust` ("*": everywhere), as with git's
    `safe.directory`. Raises BadInput for another engine.

        >>> with loom.open("memory://remembered") as ctx:
        ...     ctx.memory.remember("style", "Write British English.")
        ...     ctx.window.memory.get("style").tokens > 0
        True"""

    name = "memory"

    def __init__(
        self,
        folder: str | PathLike[str] | None = None,
        engine: Literal["sqlite", "rocksdb"] = "sqlite",
        *,
        clock: Callable[[], float] = time.time,
        trust: Trust = (),
    ) -> None:
        if engine not in NAMES:
            raise BadInput(f"memory: no engine {engine!r}; there are {', '.join(NAMES)}")
        self._folder = Path(folder) if folder is not None else None
        self._trust = trust
        self._notes: Notes | None = None
        self._guides: FollowedGuides | None = None
        self._warned: set[str] = set()  # files that were refused, and told of
        self._kept_in, self._clock = engine, clock
        self._kept = KeptMemories(engine, clock)

    def __repr__(self) -> str:
        return f"<ctx.memory: {len(self.text):,} characters of guides, folder {self._folder}>"

    # The texts of the partition

    def remember(self, key: str, text: str) -> None:
        """Put a text into the memory partition under `key`, when changed. Raises OverCapacity."""
        put_text(self.engine, "memory", key, text)

    def forget(self, key: str) -> None:
        """Take the text under `key` out of the memory partition, if there is one."""
        drop_text(self.engine, "memory", key)

    @property
    def notes(self) -> Notes | None:
        """Return the agent's own notes, None where there is no folder for them."""
        return self._notes

    @property
    def merged(self) -> MergedGuides:
        """Return the project's guides (AGENTS.md files) as they were last read."""
        from loom.capabilities.memory.guide import MergedGuides

        return self._guides.project.merged if self._guides else MergedGuides()

    @property
    def text(self) -> str:
        """Return the text of all guides, from that of the project's root to the closest."""
        return self.merged.text

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return a line for each file not read, other users' included, with the reason."""
        return self._guides.project.warnings if self._guides else ()

    @property
    def refused(self) -> tuple[str, ...]:  # type: ignore[override]
        """Return those of the `warnings` that are about files that must not be read."""
        return self._guides.project.refused if self._guides else ()

    # What outlives the session

    def save(
        self, text: str, *, key: str = "", kind: str = "fact", ttl: float = 0.0, source: str = ""
    ) -> MemoryItem:
        """Keep a memory for later sessions and return it; durable on return.

        A memory of the same `key` is superseded. `ttl` is its lifetime in seconds (0: for ever);
        `source` says where it came from, "" for the newest entry. Lines of `text` that show a
        recalled memory are not saved again; where no other line is left, the recalled memory is
        returned. Raises BadInput, and PagingError for what cannot be kept."""
        with self.engine.lock, self.engine.atomic:
            from loom.capabilities.memory.longterm.memory_item import new_memory

            store, now, clean = self._kept.open(), self._clock(), self.engine.ingest.clean
            said, shown = without_recalled_lines(clean(text))
            if not said.strip():
                for memory in (store.get(id, now=now) for id in shown):
                    if memory is not None:
                        return memory
            self._kept.sweep(store)
            window = self.engine.window
            where = clean(source) or f"{window.config.key}/entry {window.history.next_id - 1}"
            made = store.save(new_memory(said, now, clean(key), clean(kind), where, ttl))
            self.engine.commit(r.Remembered((made.id,), made.key, where))
            return made

    def query(self, query: str, limit: int = 5, *, kind: str = "") -> list[Scored]:
        """Return the memories that answer a query best, best first, at most `limit`; a blank query
        gives the newest.

        Memories are compared by words, and with an embedder (`use_embedder`) by meaning too."""
        with self.engine.lock, self.engine.atomic:
            kind = self.engine.ingest.clean(kind)
            found = self._kept.open().query(query, limit, now=self._clock(), kind=kind)
            if found:
                self.engine.commit(r.Remembered(tuple(one.memory.id for one in found)))
            return found

    def use_embedder(self, embedder: Embedder | None) -> None:
        """Let recall and `query` compare meanings too, not words alone; see `loom.search.semantic`.

        A text is embedded once, and its vector is kept beside it. The embedder serves until the
        context is closed. With None, words alone are compared again."""
        from loom.session.archive.recall_index import index_state

        with self.engine.lock, self.engine.atomic:
            index_state(self.engine.workspace).embedder = embedder
            if self._kept.store is not None:
                self._kept.store.use_embedder(embedder)

    # As a capability

    @property
    def tools(self) -> Sequence[OwnTool]:
        """Return the tool `memory` for the notes."""
        return (memory_tool(self._notes),)

    def attached(self, context: Loop) -> None:
        """Set up the notes, and the folder in which memories are saved."""
        own = self.engine.folder / OWN if self.engine.folder is not None else None
        folder, workspace = self._folder or own, self.engine.workspace
        self._kept = KeptMemories(self._kept_in, self._clock, folder, workspace)
        if self._folder is not None:
            self._notes = Notes(self._folder / "notes", self.engine.redactor.patterns)

    def opened(self) -> None:
        """Begin to follow the guides of the project; delete memories that have expired."""
        self._kept.sweep_at_opening()
        if self.engine.project is not None:
            from loom.capabilities.memory.followed_guides import FollowedGuides
            from loom.capabilities.memory.project_guides import ProjectGuides

            self.forget(NOT_LOADED)
            project = ProjectGuides(self.engine.project, trust=self._trust)
            self._guides = FollowedGuides(self.engine, project)
            self._guides.begin()
            self._warned = {*self.refused}

    def before_turn(self) -> None:
        """Look at the project's files; warn of each file that must not be read, once."""
        if self._guides is not None:
            self._guides.look()
            if new := [one for one in self.refused if one not in self._warned]:
                from loom.capabilities.refused_files import host_stacklevel, not_loaded_warning

                self._warned.update(new)  # first: a warning may be raised
                told = not_loaded_warning(fspath(self.engine.project or ""), new)
                warnings.warn(told, stacklevel=host_stacklevel())

    def before_renewal(self) -> None:
        """Make every excerpt of a guide anew, as a renewal writes the memory partition anew."""
        if self._guides is not None:
            self._guides.refit()

    def recalled(self, query: str) -> Answer | None:
        """Return the memories of earlier sessions that answer a query of the tool `recall`. None
        where there are none, and where they cannot be read, so that `recall` does not fail."""
        if not self._kept.begun or not query.strip():
            return None
        try:
            store, now = self._kept.open(), self._clock()
            found = [one.memory for one in store.query(query, RECALLED, now=now)]
        except (LoomError, OSError):
            return None
        if not found:
            return None
        ids = tuple(memory.id for memory in found)
        told = answer_reduction("recall", {}, "")
        return Answer(recalled_lines(found), told, records=(r.Remembered(ids),))

    @property
    def has_open_change(self) -> bool:  # type: ignore[override]
        """Return True while a change of a note is neither kept nor undone."""
        return self._notes is not None and self._notes.revocable

    def keep_or_undo(self, kept: bool) -> None:
        """Keep the changes of notes, or (`kept` False) undo them."""
        if self._notes is not None:
            self._notes.keep() if kept else self._notes.undo()

    def closing(self) -> None:
        """Close the store, when it was opened."""
        self._kept.close()
