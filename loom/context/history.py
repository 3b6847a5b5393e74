"""`ctx.history`: what was ever in the window, every byte of it."""

from __future__ import annotations

from loom.engine import Engine
from loom.engine.archive.restore import Restored, UnknownEntry, check_somebodys, entry_of, restore
from loom.engine.collect import CollectedPages, collect, promote
from loom.engine.undo import undo
from loom.reduce.lines import counted
from loom.retention import Retention
from loom.typed import typed
from loom_partitions.synced import SyncedMessage


@typed
class Archive:
    """The entries and pages of a workspace, whether they stand in the window or not."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def __repr__(self) -> str:
        shown = self._engine.workspace.shown
        pages = self._engine.workspace.pages
        entries = shown.history.next_id - 1
        entries_told = "1 entry" if entries == 1 else f"{entries} entries"
        return f"<ctx.history: {entries_told}, {counted(pages, 'page')}>"

    def restore(self, entry: int | str) -> Restored:
        """An entry of the history, every byte of it. A line stands for a result whose page was let
        go. Raises UnknownEntry, also for lines that were read ahead; Expired for a message whose
        own page was let go."""
        engine = self._engine
        with engine.lock, engine.atomic:
            id = entry if isinstance(entry, int) else entry_of(entry)
            if id is None:
                raise UnknownEntry(str(entry), engine.window.history.next_id - 1)
            check_somebodys(engine.workspace, id)
            return restore(engine.workspace, id)

    @property
    def synced(self) -> tuple[SyncedMessage, ...]:
        """The list of a host as far as it is known (`Context.sync`): by message a hash, the entry
        it became (0 for none), and the id the host gave it."""
        engine = self._engine
        with engine.lock, engine.atomic:
            return (*engine.workspace.folded.host.messages,)

    def payload(self, ref: str) -> bytes:
        """The bytes of a page as they came in: an image, a document, or a text in UTF-8.

        Raises MissingPage, Expired for one that was retired, CorruptPage.
        """
        engine = self._engine
        with engine.lock, engine.atomic:
            return engine.workspace.payload(ref)

    def gc(self, retention: Retention | None = None, *, apply: bool = False) -> CollectedPages:
        """Garbage collection: the pages that nothing live names and whose time is over, or that
        stand over the quota, longest out of use first. Without `apply` nothing is changed.

        `retention` says how long pages are kept; None: as the policy has it, or `Retention()`.
        With `apply` they are retired in one commit: reading one raises Expired from then on, and
        the next call removes the files. Raises LoomError for an odd retention.
        """
        engine = self._engine
        with engine.lock, engine.atomic:
            return collect(engine, retention, apply=apply)

    def promote(self, ref: str) -> None:
        """Keep a page (`outputs/read_0007.json`, `read_0007`), or the pages of an entry
        (`step_0012`), for good: garbage collection never takes them. A snapshot is no such page:
        it is never taken.

        Raises MissingPage, UnknownEntry, and Expired for what was let go before.
        """
        engine = self._engine
        with engine.lock, engine.atomic:
            promote(engine, ref)

    def undo(self, to: int) -> None:
        """Go back to request `to` (`Turn.number`): the window is the one it was made of, for 0
        the one before any entry.

        What came since leaves the window, and is told in a notice with what it did, since no file
        or command is taken back. It can be restored as ever, and numbers go on counting. Raises
        UnknownTurn.
        """
        engine = self._engine
        with engine.lock, engine.atomic:
            undo(engine, to)
