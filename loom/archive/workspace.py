"""A workspace on disk and its fold: the one place a record becomes durable and then visible.

Order of every public call: pages, then one journal line, then the window. A failure before the
line leaves at most a page nobody names; a failure after it changes nothing, because the line is
the truth.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import ValidationError, json

from loom.archive.index import Index
from loom.attach import described_page, is_payload
from loom.errors import Closed, LoomError
from loom.text import printable
from paging import BadLookup, Commit, FileStore, Journal, Lock, Pager, PageRef, Store
from paging import snapshot as snapshots
from partitions.records import Record
from partitions.window import Window, apply

OTHERS = ("agents", "forks", "bus")  # folders of a workspace that others write
DECODER = json.Decoder(list[Record])


def clock() -> int:
    """Milliseconds since the epoch."""
    return time.time_ns() // 1_000_000


class Workspace:
    """Store, journal, pager and window of one agent. `write=False` takes no lock and no step."""

    def __init__(
        self,
        store: Store,
        *,
        write: bool,
        lock: Lock | None = None,
        now: Callable[[], int] = clock,
    ) -> None:
        self.store = store
        self.pager = Pager(store)
        self.window = Window()
        self.index = Index()
        self.closed = False
        self.commits = 0
        self.pages = 0
        self.began = 0
        self.at = 0
        self._lock = lock
        self._now = now
        self._pending: list[PageRef] = []
        self.journal = Journal.open(store, write=write, each=self._replay)

    @classmethod
    def at_path(cls, path: Path, *, write: bool = True, durable: bool = True) -> Workspace:
        """Open the folder `path` (made if missing when writing).

        Raises StoreLocked when another writer has it, CorruptJournal, and FileNotFoundError when
        there is nothing to read.
        """
        if not write:
            if not (path / "journal").is_dir():
                raise FileNotFoundError(f"{path} is no workspace: it has no journal folder")
            store = FileStore(path, durable=durable, create=False, others=OTHERS)
            return cls(store, write=False)
        if path.exists() and not path.is_dir():
            raise LoomError(f"{path} is a file: a workspace is a folder; name another place")
        store = FileStore(path, durable=durable, others=OTHERS)  # it makes the folder, to last
        lock = Lock(path)
        lock.acquire()
        try:
            store.sweep()
            return cls(store, write=True, lock=lock)
        except BaseException:
            lock.release()
            raise

    def _replay(self, commit: Commit) -> None:
        records = self._decoded(commit)
        self.pager.register(commit.pages)
        self.pages += sum(ref.name.startswith("outputs/") for ref in commit.pages)
        self.index.note(commit.number, records)
        for record in records:
            self.window = apply(self.window, record)
        self.commits, self.at = commit.number, commit.at
        self.began = self.began or commit.at

    def _decoded(self, commit: Commit) -> list[Record]:
        try:
            return DECODER.decode(commit.records)
        except ValidationError as error:
            raise LoomError(
                f"commit {commit.number} of the journal holds a record this version cannot read"
                f" ({error}); it was likely written by a newer Loom: open it with that one"
            ) from error

    def rest(self, kind: str, extension: str, data: bytes) -> str:
        """Put a page; it is named in the next commit. Returns its name. Raises Closed."""
        self._check_open()
        ref = self.pager.put(kind, extension, data)
        self.pages += 1
        self._pending.append(ref)
        return ref.name

    def snapshot(self, number: int, data: bytes) -> str:
        """Put a snapshot of C_working; it is named in the next commit."""
        ref = snapshots.save(self.store, number, data)
        self._pending.append(ref)
        return ref.name

    def read(self, name: str) -> str:
        """The text of a page as it may be shown: without lone surrogates.

        Of an image or document it is a line that describes it.
        """
        try:
            text = self.pager.text(name)
        except BadLookup:
            text = ""
        if text and not is_payload(name):
            return printable(text)
        data = self.pager.get(name)
        line = described_page(name, data)
        return printable(data.decode("utf-8", "surrogateescape")) if line is None else line

    def whole(self, name: str) -> str:
        """The text of a page; bytes that are no text come as `surrogateescape` has them."""
        try:
            return self.pager.text(name)
        except BadLookup:
            return self.pager.get(name).decode("utf-8", "surrogateescape")

    def clock(self) -> int:
        """Milliseconds since the epoch, as commits are dated."""
        return self._now()

    def payload(self, name: str) -> bytes:
        """The bytes of a page, by any name of it. Raises MissingPage, CorruptPage."""
        return self.pager.get(self.pager.resolve(name).name)

    def commit(self, records: Sequence[Record], after: Window) -> None:
        """Make records durable in one line, then show `after`, the window they fold to.

        Raises Closed.
        """
        self._check_open()
        data = json.encode(records)
        self.at = self._now()
        self.began = self.began or self.at
        number = self.journal.commit(data, self._pending, self.at)
        self._pending = []
        self.index.note(number, records)
        self.window = after
        self.commits = number

    def _check_open(self) -> None:
        """Another writer may have the workspace by now: a closed one never writes again."""
        if self.closed:
            raise Closed()

    def seal(self) -> None:
        """End the journal's segment (at a renewal)."""
        self.journal.seal()

    def records(self, number: int) -> list[Record]:
        """The records of one commit, read from disk."""
        return self._decoded(self.journal.read(number))

    def close(self) -> None:
        """Release the lock and the files; closing again does nothing."""
        if self.closed:
            return
        self.closed = True
        close = getattr(self.store, "close", None)
        if close:
            close()
        if self._lock is not None:
            self._lock.release()
            self._lock = None
