"""The check of a store: read everything, change nothing, report all damage found.

Checked are every journal line, the sequence of commit numbers, whether the journal reaches as far
as it did when it was closed, and whether every page that a commit names is there with the size and
sha256 the commit gives. Snapshots count as pages when a commit names them among its pages. Retired
pages need not be there; the caller says which pages a commit retires, since records are opaque
here. Notes are harmless: a torn tail, pages no commit names, remains of retired pages, files a
crash left half-made."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from loom_paging.errors import CorruptJournal, CorruptPage, MissingPage, PagingError
from loom_paging.files import FileStore
from loom_paging.first_pass import FirstPass, HeldCommit
from loom_paging.line import Commit
from loom_paging.page import PageRef, fetch
from loom_paging.segments import NONE_SEALED, segment_names
from loom_paging.store import ReadableStore

KINDS: dict[type, str] = {CorruptPage: "corrupt", MissingPage: "missing"}
RetiredBy = Callable[[Commit], Iterable[str]]  # the names of the pages a commit retires


class Problem(msgspec.Struct, frozen=True):
    """One finding of a check. `kind` is a word to group findings by, such as "corrupt". `where` is
    a segment and line, or a name in the store. `what` says what is wrong."""

    kind: str
    where: str
    what: str


class Report(msgspec.Struct, frozen=True):
    """The result of a check. The store is undamaged when `problems` is empty; `notes` are harmless.

    `pages`, `commits` and `snapshots` count what was checked; `retired` pages are counted apart.
    `bytes` is the total size of the verified pages, `torn` the size of the torn tail."""

    problems: tuple[Problem, ...]
    notes: tuple[Problem, ...]
    pages: int
    commits: int
    snapshots: int
    bytes: int
    torn: int
    retired: int = 0


class _RunningCheck:
    """A check in progress, with the problems and notes found so far."""

    def __init__(self, store: ReadableStore, told: RetiredBy) -> None:
        self.store = store
        self.told = told
        self.retired: set[str] = set()
        self.problems: list[Problem] = []
        self.notes: list[Problem] = []
        self.refs: dict[str, PageRef] = {}
        self.commits = self.bytes = self.torn = 0

    def check_journal(self) -> None:
        """Read every line of all segments. Damage becomes a problem, a torn tail a note."""
        segments = segment_names(self.store)
        reading = FirstPass(self.store, segments, NONE_SEALED)
        for one in reading.found():
            if isinstance(one, HeldCommit):
                self.commits += 1
                for ref in one.commit.pages:
                    self.note_page(ref, f"{segments[one.segment]}, line {one.line}")
                self.retired.update(name for name in self.told(one.commit) if name in self.refs)
            elif isinstance(one, CorruptJournal):
                where = f"{one.path}, line {one.line}" if one.line else one.path
                self.problems.append(Problem("journal", where, one.why))
            else:
                self.problems.append(Problem("unreadable", reading.at, str(one)))
        where, self.torn, why = reading.torn
        if self.torn:
            self.notes.append(Problem("torn", where, f"{self.torn} bytes: {why}"))

    def note_page(self, ref: PageRef, where: str) -> None:
        """Remember a page that the commit at `where` (segment and line) names. Add a problem if an
        earlier commit gave the page another sha256 or size."""
        held = self.refs.setdefault(ref.name, ref)
        if (held.sha256, held.size) != (ref.sha256, ref.size):
            what = f"{ref.name} is named with other bytes than before"
            self.problems.append(Problem("conflict", where, what))

    def check_pages(self) -> None:
        """Verify every page that a commit names, except retired pages. Failures become problems."""
        for ref in (ref for ref in self.refs.values() if ref.name not in self.retired):
            try:
                self.bytes += len(fetch(self.store, ref))
            except (PagingError, OSError) as error:
                kind = KINDS.get(type(error), "unreadable")
                self.problems.append(Problem(kind, ref.name, str(error)))

    def check_others(self) -> None:
        """Add a problem for each damaged pack, and a note for each file that no commit names."""
        if isinstance(self.store, FileStore):
            self.problems += [Problem("pack", *found) for found in self.store.packs.problems()]
        for name in self.store.names("outputs/"):
            if name not in self.refs:
                self.notes.append(Problem("stray", name, "no commit names this page"))
            elif name in self.retired:
                what = "this page was retired; opening for writing removes what is left of it"
                self.notes.append(Problem("retired", name, what))
        if isinstance(self.store, FileStore):
            for name in self.store.leftovers():
                what = "a write that was cut short left this; opening for writing removes it"
                self.notes.append(Problem("leftover", name, what))


def check(store: ReadableStore, retired: RetiredBy = lambda commit: ()) -> Report:
    """Return the Report of a check of the whole store. Damage is reported, never raised.
    `retired(commit)` must return the names of the pages that a commit retires."""
    running = _RunningCheck(store, retired)
    for step in (running.check_journal, running.check_pages, running.check_others):
        try:
            step()
        except OSError as error:
            running.problems.append(Problem("unreadable", "the store", str(error)))
    kept = running.refs.keys() - running.retired
    snapshots = sum(name.startswith("snapshots/") for name in kept)
    return Report(
        problems=tuple(running.problems),
        notes=tuple(running.notes),
        pages=len(kept) - snapshots,
        commits=running.commits,
        snapshots=snapshots,
        bytes=running.bytes,
        torn=running.torn,
        retired=len(running.retired),
    )
