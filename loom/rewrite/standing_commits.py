"""The commits of a damaged journal that can be kept. Each is applied to the window that the commits
before it led to.

Theory of operation. Up to the first gap every record is kept. After a gap the window differs from
the one the records were made for, so each record is checked against the window it would change. A
record of something that came from outside can mostly be kept: an entry if its id is not taken, a
result if its call waits for it. A decision of the engine (a cut, a request) was made for a window
that is gone, so it is left out: the next turn decides anew. Every record left out is reported.
Entries keep their ids, so `step_0042` still means the same. Commits keep their numbers: an empty
commit takes the place of a lost one.

If a reply follows calls whose results are lost, each of these calls gets a short text as its
result, as `ctx.abandon` gives it. A commit keeps its pages even if the records that brought them
are left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec import json
from msgspec.structs import replace

from loom.context.open_calls import stand_in_result
from loom.errors import NewerWorkspace
from loom.lazy import lazy_re
from loom.providers.counts import MessageSizes, counter_for, is_encoding
from loom.providers.render.wording import LOST_RESULT
from loom.reduce.arguments import call_behind_gateway
from loom.reduce.rules import call_in_brief
from loom.rewrite.reports import LeftOut
from loom.session.archive.folded_journal import encode_records, records_of
from loom.session.archive.journal_index import record_entry
from loom.session.window_room import LEAST_RESULT
from loom_paging import PageRef
from loom_paging.line import encode
from loom_paging.salvage import FoundCommit
from loom_partitions import laws
from loom_partitions import records as r
from loom_partitions.message import Digest, Notice, name_of
from loom_partitions.migrations import SCHEMA
from loom_partitions.window import Window, apply

ENTRIES = (r.Heard, r.Replied)
PAGE = lazy_re(rb'"page":"(outputs/[^"\\]+)"')
# Decided of a window, and decided anew.
DECISIONS = (
    r.Compressed, r.Renewed, r.Turned, r.SentAgain,
    r.Informed, r.Brought, r.Faulted,
)  # fmt: skip
LAWS = (laws.paired, laws.counted, laws.ordered)  # that every window keeps


class StandingCommits:
    """The commits of a damaged journal that can be kept, and the window they lead to.

    `lines` are the lines of the new journal as pairs (name of its journal file, bytes); line n is
    commit n. `first` is a function that makes the Opened record for a journal that lost it."""

    def __init__(self, first: Callable[[], r.Opened]) -> None:
        self.window = Window()
        self.lines: list[tuple[str, bytes]] = []
        self.kept = 0  # of the old commits
        self.missing: list[int] = []
        self.left_out: list[LeftOut] = []
        self.results: list[str] = []
        self.entries: set[int] = set()
        self.pages: dict[str, PageRef] = {}
        self.spawned: dict[str, r.Spawned] = {}
        self.joined: dict[str, r.HandedOver] = {}
        self.retired: set[str] = set()
        self.delivered: str | None = None  # the sha256 of the agent's result, once it gave one
        self.requests: set[int] = set()  # numbers of those that stand
        self.last_request = 0  # the highest number a request may have had: a lost commit may hold 1
        self._told_request = 0  # the highest number a record tells of
        self._made: dict[int, int] = {}  # requests, and the commits that made them, left out or not
        self._first: list[r.Record] = []  # of the next commit
        self._at = 0  # when the last commit was made
        self._gap = False
        self._unanswered: set[int] = set()  # steps, a result of which is gone
        self._begin = first

    def take_commit(self, found: FoundCommit) -> None:
        """Add the next commit of the old journal, without the records that cannot be kept. Raises
        NewerWorkspace."""
        number = gone = found.commit.number
        records: list[r.Record] = []
        try:
            records = records_of(found.commit)
            gone -= 1
        except NewerWorkspace as error:
            if error.schema:
                raise
            self.left_out.append(LeftOut(number, "commit", 0, str(error), decision=False))
        begins = number == 1 and any(isinstance(one, r.Opened) for one in records)
        if not (self.lines or begins):
            self._first, self._gap = [self._begin()], True
            self.window = apply(self.window, self._first[0])
        self.mark_missing(gone, found.segment)
        if gone == number:
            return
        for record in records:
            if isinstance(record, r.Turned | r.Repaired):
                self.last_request = self._told_request = max(self._told_request, record.turn)
            if isinstance(record, r.Turned):
                self._made[record.turn] = number
        self._keep_standing(found, records)
        self._at = found.commit.at

    def mark_missing(self, number: int, segment: str = "") -> None:
        """Note all commits from the next number up to `number` as lost, and add an empty commit to
        the journal file `segment` for each."""
        for each in range(len(self.lines) + 1, number + 1):
            self._gap = True
            self.last_request += 1
            self.missing.append(each)
            if self.lines or self._first:  # else there is nothing a journal could begin with
                self._write_line(segment, self._at, (), self._first)

    def add_commit(self, records: list[r.Record], segment: str = "") -> None:
        """Add a commit made by the repair itself to the journal file `segment`."""
        for record in records:
            self.window = apply(self.window, record)
            self._note_record(record)
        self._write_line(segment, self._at, (), records)

    @property
    def unaccounted_requests(self) -> tuple[int, ...]:
        """The request numbers, up to `last_request`, that belong to no kept request and that no
        earlier repair recorded."""
        return tuple(n for n in range(1, self.last_request + 1) if n not in self.requests)

    @property
    def lost_requests(self) -> tuple[int, ...]:
        """The numbers of requests that are known to have been made and are lost."""
        return tuple(n for n in self.unaccounted_requests if n <= self._told_request)

    @property
    def missing_entries(self) -> tuple[int, ...]:
        """The ids of lost entries: all ids below the highest kept id that no kept entry has. The
        first id counted is the lowest kept id, or 1 if the first commit is lost."""
        if not (self.missing and self.entries):
            return ()
        # A session that was carried on from another has no first entries of its own.
        least = 1 if self.missing[0] == 1 else min(self.entries)
        return tuple(id for id in range(least, max(self.entries)) if id not in self.entries)

    def _write_line(
        self, segment: str, at: int, pages: tuple[PageRef, ...], records: list[r.Record]
    ) -> None:
        """Add a line with a commit of these pages and records to `lines`. `at` is its time in
        milliseconds. An empty `segment` means the journal file of the line before."""
        line = encode(len(self.lines) + 1, at, pages, encode_records(records), SCHEMA)
        self.lines.append((segment or self.lines[-1][0], line))
        self._first = []

    def _keep_standing(self, found: FoundCommit, records: list[r.Record]) -> None:
        """Add a line with those records of a commit that can be kept."""
        commit = found.commit
        pages = tuple(ref for ref in commit.pages if self.pages.get(ref.name, ref) == ref)
        self.pages.update((ref.name, ref) for ref in pages)
        kept: list[r.Record] = list(self._first)
        for record in records:
            if self._gap and isinstance(record, r.Undone) and not record.at:  # it may be left out
                record = replace(record, at=self._made.get(record.to, 0))
            if self._gap and isinstance(record, r.Replied):
                kept += self._stand_ins()
            after = self._window_after(record)
            if isinstance(after, str):
                kind, decision = type(record).__name__, isinstance(record, DECISIONS)
                left = LeftOut(commit.number, kind, record_entry(record), after, decision=decision)
                self.left_out.append(left)
                continue
            self.window = after
            self._note_record(record)
            kept.append(record)
        whole = kept == records and pages == commit.pages
        self.kept += whole or bool(kept or pages)
        if whole:
            self.lines.append((found.segment, found.data))
        else:
            self._write_line(found.segment, commit.at, pages, kept)

    def _note_record(self, record: r.Record) -> None:
        """Note the entry, request, child, result or removed pages that a kept record names."""
        if entry := record_entry(record):
            self.entries.add(entry)
        if isinstance(record, r.Turned):
            self.requests.add(record.turn)
        elif isinstance(record, r.Repaired):
            self.requests.update(record.requests)
        elif isinstance(record, r.Spawned):
            self.spawned[record.child] = record
        elif isinstance(record, r.HandedOver):
            if record.child:
                self.joined[record.child] = record
            else:
                self.delivered = record.sha256
        elif isinstance(record, r.Sifted) and record.why != "kept":
            self.retired.update(record.pages)

    def _stand_ins(self) -> Iterator[r.Record]:
        """Yield a Returned record with a short text for each call of the last reply whose result is
        lost."""
        step = self.window.history.waiting_step
        if step is None:
            return
        mark, sizes = self.window.config.mark, _token_sizes(self.window)
        said = LOST_RESULT.format(mark=mark)
        for id in step.open:
            standing = self.window.history.step(step.id)
            returned = stand_in_result(sizes, mark, standing, id, (said,), LEAST_RESULT)
            self.window = apply(self.window, returned)
            tool = call_behind_gateway(
                *next((call.name, call.arguments) for call in step.calls if call.id == id)
            )
            brief = call_in_brief(tool[0], returned.outcome.reduction)
            self.results.append(f"{id} of {name_of(step)}: {brief}")
            self._unanswered.add(step.id)
            yield returned

    def _window_after(self, record: r.Record) -> Window | str:
        """Return the window after `record`, or the reason (a str) why the record cannot be kept."""
        if not self._gap:
            try:
                return apply(self.window, record)
            except Exception:  # of another journal, whose lines verify too
                self._gap = True
        if against := next(self._objections(record), ""):
            return against
        try:
            after = apply(self.window, record)
        except Exception as error:  # whatever a fold says of a record that was made elsewhere
            return f"it does not fold ({type(error).__name__}: {error})"
        return next((what for law in LAWS for what in law(after)), after)

    def _objections(self, record: r.Record) -> Iterator[str]:
        """Yield each reason (a str) not to keep a record that has not been applied yet."""
        window = self.window
        if isinstance(record, r.Opened) and window != Window():
            yield "a workspace is opened for the first time once"
        if isinstance(record, ENTRIES) and record_entry(record) < window.history.next_id:
            yield "its id was given before"
        if isinstance(record, r.Returned):
            step = window.history.waiting_step
            if step is None or step.id != record.step:
                yield "the reply whose call it answers is gone"
            elif record.outcome.call_id not in step.open:
                yield "its call was answered before"
        if isinstance(record, DECISIONS) or (isinstance(record, r.Repaired) and record.edits):
            yield "it was made of a window that is gone"
        if isinstance(record, r.Undone):
            yield from self._undo_gaps(record)
        if isinstance(record, r.Synced):
            yield from self._host_list_gaps(record)

    def _host_list_gaps(self, record: r.Synced) -> Iterator[str]:
        """Yield each reason not to keep the record of a host's message list: lost entries or
        results."""
        told = [one for one in record.messages if one.entry]
        if any(one.entry not in self.entries for one in told):
            yield "an entry of the host's list is gone"
        step = self.window.history.waiting_step
        lost = self._unanswered | ({step.id} if step else set())
        if any(one.role == "tool" and one.entry in lost for one in told):
            yield "a result of the host's list is gone"

    def _undo_gaps(self, record: r.Undone) -> Iterator[str]:
        """Yield each reason not to keep an undo: lost entries, pages or requests of the window to
        which the undo goes back."""
        if record.to and not record.at:
            yield f"request {record.to} is gone"
        for item in record.window.history.stream:
            if not isinstance(item, Notice | Digest) and item.id not in self.entries:
                yield f"entry {item.id} of its window is gone"
        for page in set(PAGE.findall(json.encode(record))):
            if page.decode() not in self.pages:
                yield f"{page.decode()} of its window is gone"


def _token_sizes(window: Window) -> MessageSizes:
    """Return the MessageSizes for the token counter that the window was opened with. A capability's
    counter is replaced by the usual counter of the model."""
    counter = counter_for(window.config.model, window.config.encoding)
    if not (counter.exact or is_encoding(counter.encoding)):
        counter = counter_for(window.config.model)
    return MessageSizes(counter)
