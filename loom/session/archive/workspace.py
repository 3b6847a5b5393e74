"""A workspace on disk and the state its journal leads to: the one place where a record is made
durable and then visible.

Order of every public call: pages, then one journal line, then the window. A failure before the line
leaves at most a page nobody names.

A call that does not return has not happened. It may be interrupted anywhere, even after its line
was written, and its caller will make it again. So a line counts only once its call was acknowledged
(`acknowledge`), the last thing a call does. When the next call begins, lines that are not
acknowledged are cut off the journal (`undo_unacknowledged`), and the state is read anew from
disk, because an interrupt may have left it half changed. `shown` is the window as of the last
acknowledgement. Files of pages that were retired by then are removed when the next call commits,
and at the end."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from loom.errors import BadInput, Closed, LoomError
from loom.providers.media import is_payload_page
from loom.session.archive.folded_journal import (
    FoldedJournal,
    count_output_pages,
    encode_records,
    records_of,
)
from loom.session.archive.half_purged import check_readable, finish_purge
from loom.session.archive.journal_index import JournalIndex, records_by_entry
from loom.session.archive.packing import RetiredFiles
from loom.text import encodable
from loom_paging import FileStore, Journal, Lock, Pager, PageRef, PagingError, Store
from loom_paging.errors import forked_error
from loom_paging.page import save_snapshot
from loom_paging.segments import JournalEnd
from loom_partitions.migrations import SCHEMA
from loom_partitions.records import Record
from loom_partitions.window import Window, records_for_journal

OTHERS = ("agents", "forks", "bus", "memory")  # folders of a workspace that others write


def milliseconds_now() -> int:
    """Return the milliseconds since the epoch."""
    return time.time_ns() // 1_000_000


class Workspace:
    """The store, journal, pages and window of one agent. `write=False` takes no lock and writes
    nothing. `checkpoint=False` reads the whole journal and no checkpoint."""

    def __init__(
        self,
        store: Store,
        *,
        write: bool,
        lock: Lock | None = None,
        now: Callable[[], int] = milliseconds_now,
        checkpoint: bool = True,
    ) -> None:
        self.store = store
        self.closed = False
        self._lock = lock
        self._process = os.getpid() if write else 0
        self.clock = now
        self.on_sealed: Callable[[], None] = lambda: None  # told after a checkpoint
        self._pending: list[PageRef] = []  # put, and named by the next commit
        self._named: list[PageRef] = []  # named by commits that are not acknowledged
        self._mark: JournalEnd | None = (
            None  # the journal's end when the last call returned, in doubt
        )
        self._grouped: tuple[int, dict[int, list[Record]]] = (0, {})  # the commit looked into last
        self.folded = FoldedJournal.newest(store) if checkpoint else FoldedJournal(store)
        each, sealed = self.folded.take, self.folded.sealed
        self.journal = Journal.open(store, write=write, each=each, schema=SCHEMA, sealed=sealed)
        self.shown = self.window
        self.retired_files = RetiredFiles(store)
        if write:
            self.retired_files.remove_leftovers(self.pager, self.journal)

    @classmethod
    def at_path(
        cls, path: Path, *, write: bool = True, durable: bool = True, checkpoint: bool = True
    ) -> Workspace:
        """Open the workspace in the folder `path`. With `write` a missing folder is created.

        Raises StoreLocked when another process has the workspace open for writing, CorruptJournal,
        PagingError and, without `write`, FileNotFoundError when there is no workspace."""
        if not write:
            check_readable(path, others=OTHERS)
            store = FileStore(path, durable=durable, create=False, others=OTHERS)
            return cls(store, write=False, checkpoint=checkpoint)
        if path.exists() and not path.is_dir():
            raise LoomError(f"{path} is a file: a workspace is a folder; name another place")
        store = FileStore(path, durable=durable, others=OTHERS)  # it makes the folder, to last
        lock = Lock(path)
        try:
            lock.acquire()
            finish_purge(path, others=OTHERS)
            store.sweep()
            return cls(store, write=True, lock=lock, checkpoint=checkpoint)
        except BaseException:  # whoever catches it may still hold the lock object by its traceback
            lock.release()
            store.close()
            raise

    @property
    def pager(self) -> Pager:
        """The pager, which stores and reads the pages. Raises Closed for a closed workspace."""
        if self.closed:
            raise Closed()
        return self.folded.pager

    @property
    def index(self) -> JournalIndex:
        """The index of the journal. It knows which commits made which entries and items."""
        return self.folded.index

    @property
    def window(self) -> Window:
        """The window as of the last commit."""
        return self.folded.window

    @property
    def commits(self) -> int:
        """The number of the last commit."""
        return self.folded.commits

    @property
    def at(self) -> int:
        """The time of the last commit, in milliseconds since the epoch."""
        return self.folded.at

    @property
    def pages(self) -> int:
        """The number of pages of outputs, including those that the next commit will name."""
        return self.folded.pages + count_output_pages(self._pending)

    def put_page(self, kind: str, extension: str, data: bytes) -> str:
        """Store a page for the next commit and return its name, which begins with `kind`: `read` →
        `outputs/read_0007.txt`. Raises Closed."""
        self._check_open()
        ref = self.pager.put(kind, extension, data, self.folded.is_page_of_undone_entry)
        self._pending += [ref] if ref.name not in self.index.used else []
        return ref.name

    def adopt(self, name: str, data: bytes) -> None:
        """Store a page of another workspace, under the same name, for the next commit. Raises
        Closed."""
        self._check_open()
        self._pending.append(self.pager.adopt(name, data))

    def snapshot(self, number: int, data: bytes) -> str:
        """Store a snapshot for the next commit and return the snapshot's name. Raises Closed."""
        self._check_open()
        ref = save_snapshot(self.store, number, data, self.pager.retired)
        self._pending.append(ref)
        return ref.name

    def read(self, name: str) -> str:
        """Return the text of a page without lone surrogates; for an image or document, the line
        that describes it."""
        text = ""
        with suppress(BadInput):
            text = self.pager.text(name)
        if text and not is_payload_page(name):
            return encodable(text)
        from loom.session.attachments import page_description

        line = page_description(name, data := self.pager.get(name))
        return encodable(data.decode("utf-8", "surrogateescape")) if line is None else line

    def whole(self, name: str) -> str:
        """Return the exact text of a page, decoded from UTF-8 with `surrogateescape`."""
        try:
            return self.pager.text(name)
        except BadInput:
            return self.pager.get(name).decode("utf-8", "surrogateescape")

    def payload(self, name: str) -> bytes:
        """Return the bytes of a page, given its full or short name (`read_0007`). Raises
        MissingPage, CorruptPage."""
        return self.pager.get(self.pager.resolve(name).name)

    def commit(self, records: Sequence[Record], after: Window) -> None:
        """Write records to the journal as one line, and make `after`, the window that the records
        lead to, the current window. Raises Closed, and BadInput for a value that could not be read
        back."""
        self._check_open()
        data, at = encode_records(records_for_journal(self.window, records)), self.clock()
        self.mark_unacknowledged()
        self._named = self._named + self._pending
        number = self.journal.commit(data, self._pending, at)
        named, self._pending = self._pending, []
        self.folded.enter(number, at, records, named, after)

    def acknowledge(self) -> None:
        """Confirm all commits so far: `undo_unacknowledged` then keeps them."""
        if self._mark is not None:
            self._named = []
            self.shown, self._mark = self.window, None

    @property
    def has_unacknowledged(self) -> bool:
        """True when there are changes that `undo_unacknowledged` would undo."""
        return self._mark is not None

    def mark_unacknowledged(self) -> None:
        """Remember the end of the journal as the point to which `undo_unacknowledged` goes back.
        Until the next acknowledgement, later calls do nothing."""
        if self._mark is None:  # all of it was acknowledged
            if self.folded.keep(self.journal):
                self.on_sealed()
            if self.retired_files.removed < len(self.pager.retired):
                self.retired_files.remove(self.pager.retired)
            self._mark = self.journal.end

    def undo_unacknowledged(self) -> bool:
        """Undo every commit that is not acknowledged. Return True when anything was undone. Raises
        the errors of the store; a later call tries again."""
        if (mark := self._mark) is None:
            return False
        self._check_open()
        self.journal.back_to(mark)
        pages = {ref.name: ref for ref in (*self._named, *self._pending)}
        folded = FoldedJournal.newest(self.store)
        for commit in self.journal.scan(folded.commits):
            folded.take(commit)
        folded.pager.register(pages.values())
        folded.window = self.shown
        self.folded, self._grouped = folded, (0, {})
        self._pending, self._named, self._mark = list(pages.values()), [], None
        return True

    def _check_open(self) -> None:
        """Raise Closed for a closed workspace, StoreReplaced in a child process or when another
        folder has replaced the workspace's folder."""
        if self.closed:
            raise Closed()
        self.check_process()
        if self._lock is not None:
            self._lock.check()

    def check_process(self) -> None:
        """Raise StoreReplaced in a child of the process that opened the workspace for writing."""
        if self._process and self._process != os.getpid():
            raise forked_error(str(getattr(self.store, "root", "this workspace")), self._process)

    def records(self, number: int) -> list[Record]:
        """Return the records of commit `number`, read from disk. Raises Closed."""
        if self.closed:
            raise Closed()
        return records_of(self.journal.read(number))

    def about(self, entry: int) -> Iterator[Record]:
        """Yield the records that made the entry with the id `entry`, in order, read from disk;
        nothing for an unknown entry."""
        for number in self.index.commits.get(entry, ()):
            if self._grouped[0] != number:
                self._grouped = number, records_by_entry(self.records(number))
            yield from self._grouped[1].get(entry, ())

    def close(self) -> None:
        """Close the store and release the lock, after undoing commits that are not acknowledged. If
        the call is interrupted, call it again."""
        if not self.closed:
            with suppress(OSError, PagingError):
                if self._mark is not None:
                    self._check_open()
                    self.journal.back_to(self._mark)
                elif self._process:
                    self._check_open()
                    self.folded.keep(self.journal)
                    self.retired_files.remove(self.pager.retired, most=None)
                self.journal.make_durable()
                self.journal.note_extent()
            self.closed = True
        try:
            getattr(self.store, "close", lambda: None)()
        finally:
            if self._lock is not None:
                self._lock.release()
                self._lock = None
