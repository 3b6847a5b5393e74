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
    """What an agent remembers: its project's guides (AGENTS.md files), its notes, and memories
    saved by earlier sessions.

    `folder` outlives the workspace. The model keeps notes in `folder` with the tool `memory`; saved
    memories are stored in `folder` too, in SQLite, or with `engine="rocksdb"` in RocksDB. Without a
    folder there are no notes, and memories are stored in the workspace.

    `clock` returns unix seconds. A memory saved with a `ttl` expires after that time: no query
    finds it, and its key is free. Expired texts are deleted from disk when the context is opened,
    when the store is first used, and at each save, up to 256 memories a time.

    With a project, its guides are put into the memory partition and read again when they change.
    Guides of another user, and a repository of another user above the project, are refused with a
    warning, except at or below the paths in `trust` ("*": everywhere), as with git's
    `safe.directory`. Raises BadInput for an unknown engine.

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
        """Put a text into the memory partition under `key`, in place of an older text there. Raises
        OverCapacity."""
        put_text(self.engine, "memory", key, text)

    def forget(self, key: str) -> None:
        """Remove the text under `key` from the memory partition, if there is one."""
        drop_text(self.engine, "memory", key)

    @property
    def notes(self) -> Notes | None:
        """Return the agent's notes; None if no folder was given for them."""
        return self._notes

    @property
    def merged(self) -> MergedGuides:
        """Return the project's guides (AGENTS.md files) as last read: `own` are the project's,
        `late` were found while the agent worked."""
        from loom.capabilities.memory.guide import MergedGuides

        return self._guides.project.merged if self._guides else MergedGuides()

    @property
    def text(self) -> str:
        """Return the text of all guides, joined: the project's root first, the closest last."""
        return self.merged.text

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return a line for each guide file that was not read, with the reason."""
        return self._guides.project.warnings if self._guides else ()

    @property
    def refused(self) -> tuple[str, ...]:  # type: ignore[override]
        """Return those lines of `warnings` that concern files that must not be read."""
        return self._guides.project.refused if self._guides else ()

    # What outlives the session

    def save(
        self, text: str, *, key: str = "", kind: str = "fact", ttl: float = 0.0, source: str = ""
    ) -> MemoryItem:
        """Save a memory for later sessions and return it. It is on disk when the call returns.

        An older memory of the same `key` is replaced. `ttl` is the lifetime in seconds (0: for
        ever). `source` says where the text came from; "" stands for the newest entry. Lines of
        `text` that `recall` had shown are left out; if nothing else is left, the recalled memory is
        returned. Raises BadInput, and PagingError when the store fails."""
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
        """Return the memories that fit a query, best first, at most `limit`. A blank query returns
        the newest memories. `kind` limits the search to one kind; "" is all.

        Words are compared; with an embedder (`use_embedder`) meanings are compared too."""
        with self.engine.lock, self.engine.atomic:
            kind = self.engine.ingest.clean(kind)
            found = self._kept.open().query(query, limit, now=self._clock(), kind=kind)
            if found:
                self.engine.commit(r.Remembered(tuple(one.memory.id for one in found)))
            return found

    def use_embedder(self, embedder: Embedder | None) -> None:
        """Let `recall` and `query` compare meanings as well as words, until the context is closed.
        None compares words only. Each text is embedded once and its vector is stored. For making an
        embedder see `loom.search.semantic`."""
        from loom.session.archive.recall_index import index_state

        with self.engine.lock, self.engine.atomic:
            index_state(self.engine.workspace).embedder = embedder
            if self._kept.store is not None:
                self._kept.store.use_embedder(embedder)

    # As a capability

    @property
    def tools(self) -> Sequence[OwnTool]:
        """Return the tool `memory`, with which the model reads and writes its notes."""
        return (memory_tool(self._notes),)

    def attached(self, context: Loop) -> None:
        """Prepare the notes and the place of the store for a context. Opens no file."""
        own = self.engine.folder / OWN if self.engine.folder is not None else None
        folder, workspace = self._folder or own, self.engine.workspace
        self._kept = KeptMemories(self._kept_in, self._clock, folder, workspace)
        if self._folder is not None:
            self._notes = Notes(self._folder / "notes", self.engine.redactor.patterns)

    def opened(self) -> None:
        """Delete expired memories. Read the project's guides and put them into the window."""
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
        """Before a request, update the guides from their files. Warn once of each refused file."""
        if self._guides is not None:
            self._guides.look()
            if new := [one for one in self.refused if one not in self._warned]:
                from loom.capabilities.refused_files import host_stacklevel, not_loaded_warning

                self._warned.update(new)  # first: a warning may be raised
                told = not_loaded_warning(fspath(self.engine.project or ""), new)
                warnings.warn(told, stacklevel=host_stacklevel())

    def before_renewal(self) -> None:
        """Choose anew what is shown of each guide."""
        if self._guides is not None:
            self._guides.refit()

    def recalled(self, query: str) -> Answer | None:
        """Return the saved memories that fit a query of the tool `recall`, as an Answer. None if no
        memory fits or the store cannot be read."""
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
        """Return True if notes were changed and the change can still be undone."""
        return self._notes is not None and self._notes.revocable

    def keep_or_undo(self, kept: bool) -> None:
        """Make the changes of notes final if `kept` is True, else undo them."""
        if self._notes is not None:
            self._notes.keep() if kept else self._notes.undo()

    def closing(self) -> None:
        """Close the store of memories, if it is open."""
        self._kept.close()
