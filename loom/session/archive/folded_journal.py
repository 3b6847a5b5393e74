"""The state that a journal leads to when its records are applied ("folded") in order: the window,
an index and counters. Also how the records of a commit are written, and read from any older
version.

A checkpoint (`loom_paging.checkpoint`) holds that state in two parts, so that only the commits
after it are folded. The first part (window, counters) is small, and each checkpoint replaces it.
The second part, the index, grows with history: each checkpoint adds rows for what came in since the
checkpoint before. Both hold Loom's own types, so a checkpoint counts only for the version of Loom,
the schema and the types that wrote it. Any others fold the journal from its first line."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from hashlib import sha256

from msgspec import MsgspecError, Struct, convert, field, json, msgpack
from msgspec.json import schema_components
from msgspec.structs import replace

from loom.errors import LoomError, NewerWorkspace, bad_record
from loom.session.archive.file_changes import FileRow
from loom.session.archive.host_list import HostList, HostListRow
from loom.session.archive.journal_index import IndexRows, JournalIndex
from loom.version import VERSION
from loom_paging import Commit, Journal, Pager, PageRef, PagingError, Store, check_disk
from loom_paging.checkpoint import Checkpoint, load, save
from loom_paging.segments import Sealed
from loom_partitions.migrations import SCHEMA, migrate_records
from loom_partitions.records import Finished, Record, Renewed, Sifted, Synced, Turned, Undone
from loom_partitions.window import Window, fold
from loom_partitions.working import Working


class FoldedState(Struct, frozen=True, array_like=True):
    """The part of a checkpoint that replaces the same part of the previous checkpoint.

    `commits`, `pages`, `steps` (the model's replies) and `turns` (the user's messages) are counts.
    `began` and `at` are the times of the first and the last commit."""

    window: Window
    commits: int
    pages: int
    began: int
    at: int
    snapshotted: tuple[int, str, Working] | None
    steps: int
    turns: int
    told: tuple[int, int]  # of `FileHistory`


class FoldedPart(Struct, frozen=True, array_like=True):
    """The rows that a checkpoint adds to earlier checkpoints. `decided` are the records that kept
    or retired pages. `host` are the changes of the host's message list."""

    pages: list[PageRef] = field(default_factory=list)
    index: IndexRows = field(default_factory=IndexRows)
    decided: list[Sifted] = field(default_factory=list)  # in the order it was
    files: list[FileRow] = field(default_factory=list)
    host: list[HostListRow] = field(default_factory=list)


MADE = 3  # raised when the same records make another index: older checkpoints are passed over
RECENT = 64  # windows of requests that stay in memory: going back to one of them folds nothing
TAIL = 1_000  # commits in a segment before it is sealed: opening reads about as many
# What is raised for a value JSON cannot hold, or not this deep.
UNWRITABLE = (TypeError, ValueError, OverflowError, RecursionError, BufferError)
_DECODER = json.Decoder(list[Record])
_STATE, _PART = msgpack.Decoder(FoldedState), msgpack.Decoder(FoldedPart)


class FoldedJournal:
    """The state that a journal's commits lead to: page table, index, window and counters.

    `pages` counts the pages of outputs that were not retired. The keys of `promoted` name the pages
    that are kept for good. `snapshotted` is (commit, name, C_working) of the last snapshot, or
    None."""

    def __init__(self, store: Store) -> None:
        self.pager = Pager(store)
        self.index = JournalIndex()
        self.window = Window()
        self.commits = 0
        self.pages = 0
        self.promoted: dict[str, None] = {}
        self.host = HostList()
        self.recent: deque[tuple[int, Window]] = deque(maxlen=RECENT)  # each with its commit
        self.began = self.at = 0
        self.snapshotted: tuple[int, str, Working] | None = None  # commit, name, what was held
        self._store = store
        self._written = Checkpoint()
        self._fresh: list[PageRef] = []  # named since it was written
        self._decided: list[Sifted] = []  # about pages, since it was written
        self._whole = True  # else an interrupt came while rows were crossed off as written
        # The first time it is asked: a checkpoint of an earlier version may count no more, and is
        # made anew at once. Not again where the disk takes none, or each call would seal.
        self._opened = True

    @classmethod
    def newest(cls, store: Store) -> FoldedJournal:
        """Return the state in a store's newest usable checkpoint; an empty state for none."""
        folded, found = cls(store), load(store, checkpoint_format_hash())
        if found is None:
            return folded
        try:
            state = _STATE.decode(found.state)
            parts = [_PART.decode(data) for data in found.parts]
        except MsgspecError:  # it verified, and holds something else all the same
            return folded
        for part in parts:
            folded.pager.register(part.pages)
            folded.index.enter(part.index)
            for record in part.decided:
                folded._apply_page_decision(record)
            folded.index.file_history.enter(part.files)
            for row in part.host:
                folded.host.enter(row)
        index = folded.index
        index.steps, index.turns, index.file_history.told = state.steps, state.turns, state.told
        folded.window, folded.snapshotted = state.window, state.snapshotted
        folded.commits, folded.pages = state.commits, state.pages
        folded.recent.append((state.commits, state.window))
        folded.began, folded.at = state.began, state.at
        folded._written = replace(found, state=b"", parts=())
        return folded

    @property
    def sealed(self) -> Sealed:
        """The journal segments that the last checkpoint covers."""
        return self._written.sealed

    def take(self, commit: Commit) -> None:
        """Apply the next commit of the journal to this state. Raises NewerWorkspace."""
        records = records_of(commit)
        self.pager.register(commit.pages)
        self.enter(commit.number, commit.at, records, commit.pages, fold(records, self.window))

    def enter(
        self,
        number: int,
        at: int,
        records: Sequence[Record],
        pages: Sequence[PageRef],
        after: Window,
    ) -> None:
        """Apply a commit whose `pages` are in the page table already. `after` is the window after
        the commit, `at` the commit's time in milliseconds since the epoch."""
        self.index.note(number, at, records, [ref.name for ref in pages], self._seal_of)
        self._fresh += pages
        self.pages += count_output_pages(pages)
        for record in records:
            if isinstance(record, Sifted):
                self._decided.append(record)
                self.pages -= self._apply_page_decision(record)
            elif isinstance(record, Synced | Undone):
                self.host.note(number, record, self.index.commit_before_undone)
        if any(isinstance(record, Renewed | Finished) for record in records):
            self.snapshotted = self._last_snapshot(number, records)
        self.window, self.commits = after, number
        if any(isinstance(record, Turned) for record in records):
            self.recent.append((number, after))
        self.at, self.began = at, self.began or at

    def keep(self, journal: Journal) -> bool:
        """Write a checkpoint if a segment of the journal has ended since the last checkpoint.
        Return True when a checkpoint was written.

        Call this only while every commit is acknowledged. If the disk fails, the old checkpoint
        stays."""
        try:
            late, self._opened = self._opened and journal.last - self.sealed.last >= TAIL, False
            if journal.tail and (late or journal.tail >= TAIL):
                journal.seal()
            if self._whole and not journal.tail and journal.last > self.sealed.last:
                self._save_checkpoint(journal.sealed)
                return True
        except (OSError, PagingError) as error:
            check_disk(error)
        except RecursionError:
            return False  # of a window of tens of thousands of items, which hang together, none
        return False

    def _save_checkpoint(self, sealed: Sealed) -> None:
        """Write a checkpoint of this state, which covers the `sealed` segments of the journal."""
        index, since = self.index, self.index.file_history
        state = FoldedState(
            self.window, self.commits, self.pages, self.began, self.at, self.snapshotted,
            index.steps, index.turns, since.told,
        )  # fmt: skip
        files = since.rows[since.kept :]
        part = FoldedPart(self._fresh, index.fresh, self._decided, files, self.host.fresh)
        written = save(
            self._store,
            self._written,
            checkpoint_format_hash(),
            sealed,
            msgpack.encode(state),
            msgpack.encode(part),
        )
        self._whole = False
        index.fresh, since.kept, self.host.fresh = IndexRows(), len(since.rows), []
        self._written, self._fresh, self._decided = written, [], []
        self._whole = True

    def is_page_of_undone_entry(self, page: str) -> bool:
        """True for a page whose entry was undone; a new page of equal bytes may take its name."""
        # A host that edits the beginning of its list would else get new pages for its results each
        # time.
        entry = self.index.owner.get(page, 0)
        return bool(entry) and self.index.is_undone(entry)

    def _apply_page_decision(self, record: Sifted) -> int:
        """Keep for good or retire the pages that a record names. Return the number of retired
        pages."""
        if record.why == "kept":
            self.promoted.update(dict.fromkeys(record.pages))
            return 0
        before = len(self.pager.retired)
        self.pager.retire(record.pages, record.why)
        return len(self.pager.retired) - before

    def _last_snapshot(self, number: int, records: Sequence[Record]) -> tuple[int, str, Working]:
        """Return (`number`, name, C_working) for the last snapshot among a commit's records, with
        C_working as it was before the snapshot's record."""
        at, last = max(
            (at, one) for at, one in enumerate(records) if isinstance(one, Renewed | Finished)
        )
        return number, last.snapshot, fold(records[:at], self.window).working

    def _seal_of(self, name: str) -> str:
        """Return a hash of a page's bytes, given the page's name; for an unknown page, the name."""
        ref = self.pager.table.get(name)
        return ref.sha256[:16] if ref is not None else name


@cache
def checkpoint_format_hash() -> str:
    """Return a hash of Loom's version, the schema and the types in a checkpoint."""
    # A checkpoint that was written under another hash is not used.
    types, parts = schema_components([FoldedState, FoldedPart])
    text = json.encode([VERSION, SCHEMA, MADE, types, parts], order="deterministic")
    return sha256(text).hexdigest()


def count_output_pages(pages: Iterable[PageRef]) -> int:
    """Return how many of `pages` are pages of outputs and not of snapshots."""
    return sum(ref.name.startswith("outputs/") for ref in pages)


def encode_records(records: Sequence[Record]) -> bytes:
    """Return records as JSON bytes. Raises BadInput for a value that could not be read back."""
    try:
        data = json.encode(records)
        _DECODER.decode(data)
    except (MsgspecError, *UNWRITABLE) as error:
        raise bad_record(str(error)) from error
    return data


def records_of(commit: Commit) -> list[Record]:
    """Return a commit's records. Raises NewerWorkspace where this version cannot read them."""
    if commit.schema > SCHEMA:
        raise NewerWorkspace(
            f"commit {commit.number} of the journal is of schema {commit.schema}, and this version"
            f" reads up to {SCHEMA}: a newer Loom wrote it; open it with that one. Nothing was"
            " changed",
            commit.schema,
        )
    try:
        if commit.schema == SCHEMA:
            return _DECODER.decode(commit.records)
        return convert(migrate_records(json.decode(commit.records), commit.schema), list[Record])
    except (MsgspecError, KeyError, TypeError, AttributeError) as error:
        raise NewerWorkspace(
            f"commit {commit.number} of the journal holds a record this version cannot read"
            f" ({error}); it was written by a newer Loom, or one before 0.1.0: open it with that"
            " one. Nothing was changed"
        ) from error


def retired_pages(commit: Commit) -> Iterator[str]:
    """Yield the names of the pages that a commit retires. An unreadable commit yields none."""
    with suppress(LoomError):
        for record in records_of(commit):
            if isinstance(record, Sifted) and record.why != "kept":
                yield from record.pages
