"""An index of the journal: which commits made an entry or an item of a surface, and when each page
was last used.

A page is used when a commit names it, when it or its entry is paged in, and when lines of it are
read ahead. So the age of a page is known without reading the journal again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

from msgspec import Struct, field

from loom.session.archive.file_changes import FileHistory, Seal
from loom_partitions import records as r
from loom_partitions.message import Said, Text


class IndexRows(Struct, array_like=True):
    """Rows to add to a `JournalIndex`, each list in the order of the journal."""

    entries: list[tuple[int, int]] = field(default_factory=list)  # entry, commit
    items: list[tuple[str, str, int]] = field(default_factory=list)  # surface, id, commit
    requests: list[tuple[int, int]] = field(default_factory=list)  # request, commit
    calls: list[tuple[str, int]] = field(default_factory=list)  # call, step
    goals: list[Text] = field(default_factory=list)
    spawned: list[r.Spawned] = field(default_factory=list)
    joined: list[r.HandedOver] = field(default_factory=list)
    # commit, request gone back to, commit gone back to (0 for the request's)
    undone: list[tuple[int, int, int]] = field(default_factory=list)
    keys: list[tuple[str, int]] = field(default_factory=list)  # of a message, entry
    named: list[tuple[str, int, int]] = field(default_factory=list)  # page, commit, milliseconds
    asked: list[tuple[str, int, int]] = field(default_factory=list)  # page or entry, …
    owned: list[tuple[int, str]] = field(default_factory=list)  # entry, page of it
    typed: list[str] = field(default_factory=list)  # pages


class JournalIndex:
    """An index of the journal. `fresh` holds the rows that are in no checkpoint yet.

    `commits`: entry id → the commits that made the entry, oldest first. `items`: (surface, id) →
    the last commit that wrote the item. `requests`: request number → commit. `calls`: call id →
    step. `keys`: a host's key for a message → entry. `goals`: all goals ever set. `spawned`,
    `joined`: an agent's name → the record of its start, of its return. `undone`: (the undo's
    commit, the request it went back to, the commit it went back to). `used`: page → (commit, time)
    of its last use. `pages`: entry → pages. `owner`: page → the last entry that named the page.
    `typed`: the pages of texts that the user gave."""

    def __init__(self) -> None:
        self.commits: dict[int, tuple[int, ...]] = {}
        self.items: dict[tuple[str, str], int] = {}
        self.requests: dict[int, int] = {}
        self.calls: dict[str, int] = {}
        self.keys: dict[str, int] = {}
        self.goals: list[Text] = []
        self.spawned: dict[str, r.Spawned] = {}
        self.joined: dict[str, r.HandedOver] = {}
        self.undone: list[tuple[int, int, int]] = []
        self.used: dict[str, tuple[int, int]] = {}
        self.pages: dict[int, tuple[str, ...]] = {}
        self.owner: dict[str, int] = {}
        self.typed: dict[str, None] = {}
        self.file_history = FileHistory()
        self.steps = self.turns = 0
        self.fresh = IndexRows()  # what no checkpoint holds yet

    def note(
        self, number: int, at: int, records: Sequence[r.Record], pages: Iterable[str], seal: Seal
    ) -> None:
        """Add the `records` of commit `number` to the index. `at` is the commit's time in
        milliseconds since the epoch. `seal` takes a page's name and returns a hash of the page's
        bytes."""
        rows = IndexRows(named=[(page, number, at) for page in pages])
        for record in records:
            if isinstance(record, r.Returned | r.Heard):
                self.file_history.note(record, seal)
            self.turns += isinstance(record, r.Heard)
            self.steps += isinstance(record, r.Replied)
            _add_row(rows, record, number)
            if isinstance(record, r.Faulted | r.Brought) and record.ref:
                rows.asked.append((record.ref, number, at))
            own = [page for page in dict.fromkeys(_record_pages(record)) if page]
            rows.owned += [(record_entry(record), page) for page in own]
            rows.named += [(page, number, at) for page in own if page in self.owner]
            if isinstance(record, r.Heard) and not (record.turn.voice or record.call):
                rows.typed += own
        self.enter(rows)
        for name in IndexRows.__struct_fields__:
            getattr(self.fresh, name).extend(getattr(rows, name))

    def enter(self, rows: IndexRows) -> None:
        """Add rows that come from a commit or from a checkpoint."""
        for entry, number in rows.entries:
            told = self.commits.get(entry, ())
            if number not in told[-1:]:
                self.commits[entry] = (*told, number)
        self.items.update(((surface, id), number) for surface, id, number in rows.items)
        self.requests.update(rows.requests)
        self.calls.update(rows.calls)
        self.keys.update(rows.keys)
        self.goals += rows.goals
        self.spawned.update((one.child, one) for one in rows.spawned)
        self.joined.update((one.child, one) for one in rows.joined)
        self.undone += rows.undone
        for entry, page in rows.owned:
            self.owner[page] = entry
            held = self.pages.get(entry, ())
            if page not in held:
                self.pages[entry] = (*held, page)
        self.typed.update(dict.fromkeys(rows.typed))
        # A commit names a page before anything can ask for it.
        asked = (
            (page, number, at) for ref, number, at in rows.asked for page in self._pages_by_ref(ref)
        )
        for page, number, at in chain(rows.named, asked):
            known = self.used.get(page, (0, 0))
            self.used[page] = max(known[0], number), max(known[1], at)

    def _pages_by_ref(self, ref: str) -> Sequence[str]:
        """Return the page with the name `ref`, or the pages of the entry with the name `ref`
        (`step_0007`, `history/step_0007.json`). Return () for an unknown name."""
        if ref in self.used:
            return (ref,)
        kind, _, number = ref.rpartition("/")[2].partition(".")[0].rpartition("_")
        named = kind in ("step", "user") and number.isdecimal()
        return self.pages.get(int(number), ()) if named else ()

    def is_undone(self, entry: int) -> bool:
        """True for an entry that an undo removed and that no later undo brought back."""
        return self.is_commit_undone(self.commits.get(entry, [0])[0])

    def is_commit_undone(self, made: int, at: int | None = None) -> bool:
        """True when commit `made` is undone, as of commit `at` or, for None, as of now."""
        upto = at
        # An undo may go back to a commit that was undone before, which then counts again.
        for commit, request, at in reversed(self.undone):
            if upto is not None and commit > upto:
                continue  # it had not happened yet
            if made >= commit:
                break
            upto = at or self.request_commit(request)
        return upto is not None and made > upto

    def request_commit(self, request: int) -> int:
        """Return the number of the commit that made a request; for request 0, the number of the
        last commit before the first entry."""
        if request == 0:
            return next(iter(self.commits.values()), [1])[0] - 1
        return self.requests[request]

    def commit_before_undone(self, record: r.Undone) -> int:
        """Return the number of the commit to which an undo went back."""
        return record.at or self.request_commit(record.to)

    def __contains__(self, entry: int) -> bool:
        """True when the journal holds the entry with this id."""
        return entry in self.commits


def _add_row(rows: IndexRows, record: r.Record, number: int) -> None:
    """Add what a record of commit `number` says to `rows`."""
    if entry := record_entry(record):
        rows.entries.append((entry, number))
    if isinstance(record, r.Heard):
        if record.key:
            rows.keys.append((record.key, record.turn.id))
    elif isinstance(record, r.Replied):
        rows.calls += [(call.id, record.step.id) for call in record.step.calls]
    elif isinstance(record, r.Turned):
        rows.requests.append((record.turn, number))
    elif isinstance(record, r.Spawned):
        rows.spawned.append(record)
    elif isinstance(record, r.HandedOver) and record.child:
        rows.joined.append(record)
    elif isinstance(record, r.Undone):
        rows.undone.append((number, record.to, record.at))
    elif isinstance(record, r.Tasked):
        rows.goals.append(record.goal)
    elif item := record_item(record):
        rows.items.append((*item, number))


def record_entry(record: r.Record) -> int:
    """Return the id of the entry that a record makes or changes, 0 for any other record."""
    if isinstance(record, r.Heard | r.Brought):
        return record.turn.id if record.turn else 0
    if isinstance(record, r.Replied):
        return record.step.id
    return record.step if isinstance(record, r.Returned) else 0


def records_by_entry(records: Iterable[r.Record]) -> dict[int, list[r.Record]]:
    """Return the records that concern an entry, grouped by entry id."""
    made: dict[int, list[r.Record]] = {}
    for record in records:
        if entry := record_entry(record):
            made.setdefault(entry, []).append(record)
    return made


def record_item(record: r.Record) -> tuple[str, str] | None:
    """Return (surface, id) of the item that a record puts on a surface; None for other records."""
    if isinstance(record, r.Signalled):
        return "events", record.event.ids[0]
    if isinstance(record, r.Questioned) and record.text:
        return "questions", record.id
    if isinstance(record, r.Evidenced):
        return "evidence", record.evidence.id
    if isinstance(record, r.Acknowledged):
        return "decisions", record.id
    return None


def _record_pages(record: r.Record) -> Iterable[str]:
    """Return the names of the pages that a record gives to its entry, "" for a pageless text."""
    if isinstance(record, r.Heard | r.Brought):
        return (record.turn.text.page,) if record.turn else ()
    if isinstance(record, r.Replied):
        said = (part.text.page for part in record.step.parts if isinstance(part, Said))
        return (record.step.page, *said)
    if isinstance(record, r.Returned):
        return (record.outcome.text.page, record.outcome.reduction.outcome_ref or "")
    return ()
