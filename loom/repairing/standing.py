"""Which commits of a damaged journal still stand, folded one after the other.

Theory of operation. Up to the first gap a journal folds as it always did. Behind a gap the window
is another one than the records were made for, so each of them is held against the window it would
change. What came from outside is an entry or a line of its own and mostly stands: an entry needs an
id that was not given yet, a result the call that waits for it. What the engine decided was decided
of a window that is gone: a cut stands where its certificate counts the window that is here, token
for token, a request where the window fits. What does not stand is left out, and told; the next
turn decides anew. Ids of entries stay as they were, so `step_0042` goes on meaning the same.

Where a reply or a request follows calls whose results are gone, each of them is given a stand-in,
as `ctx.abandon` does. Pages outlive the records that brought them: a commit keeps its pages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from msgspec import Raw, Struct, json

from loom.context.open_calls import stand_in
from loom.engine.archive.decode import encoded, records_of
from loom.engine.archive.index import entry_of
from loom.engine.room import LEAST_RESULT
from loom.errors import UnreadableCommit
from loom.providers.counts import Sizes
from loom.providers.render.wording import LOST_RESULT
from loom.reduce import called, meant
from loom.repairing.numbers import CommitNumbers, RequestNumbers
from loom.repairing.report import LeftOut
from loom_paging import PageRef
from loom_paging.salvage import FoundCommit
from loom_partitions import laws
from loom_partitions import records as r
from loom_partitions.message import Digest, Notice, name_of
from loom_partitions.migrations import SCHEMA
from loom_partitions.window import Window, apply

ENTRIES = (r.Heard, r.Belated, r.Prefetched, r.Replied)
CUTS = (r.Compressed, r.Renewed)
ANSWERED = (r.Replied, r.Turned, *CUTS)  # made when no call waits
DECISIONS = (
    *CUTS, r.Turned, r.SentAgain, r.Undone, r.Repaired,
    r.Informed, r.Enclosed, r.Expanded, r.Prefetched, r.Faulted,
)  # fmt: skip


class NewCommit(Struct, frozen=True):
    """A commit of the new journal. `line` is that of the old one where it stands as it stood."""

    segment: str
    at: int
    pages: tuple[PageRef, ...]
    records: Raw
    schema: int
    line: bytes = b""


class Standing:
    """The commits that stand, and the window they fold to; made by `take`, commit by commit.

    `sizes` gives the sizes of texts in a window. With `strict` the laws are asked after every
    record, not of what each kind needs alone.
    """

    def __init__(self, sizes: Callable[[Window], Sizes], *, strict: bool = False) -> None:
        self.window = Window()
        self.commits: list[NewCommit] = []
        self.kept = 0  # of the old ones
        self.missing: list[int] = []
        self.left_out: list[LeftOut] = []
        self.results: list[str] = []
        self.entries: set[int] = set()
        self.pages: dict[str, PageRef] = {}
        self.spawned: dict[str, r.Spawned] = {}
        self.joined: dict[str, r.Joined] = {}
        self.retired: set[str] = set()
        self.delivered: str | None = None  # the sha256 of the agent's result, once it gave one
        self.last = 0  # number of the last commit seen
        self._gap = False
        self._unanswered: set[int] = set()  # steps, a result of which is gone
        self._numbers = CommitNumbers()
        self.requests = RequestNumbers()
        self.sizes, self._strict = sizes, strict

    def begin(self, opened: r.Opened, segment: str, at: int) -> None:
        """Begin with a first record that is not the journal's own, which is lost."""
        self._gap = True
        self.add([opened], segment, at)

    def take(self, found: FoundCommit) -> None:
        """Take the next commit in, as much of it as stands. Raises NewerWorkspace."""
        self.reach(found.commit.number - 1)
        self.last = found.commit.number
        try:
            records = records_of(found.commit)
        except UnreadableCommit as error:
            self._lost(found.commit.number)
            self.left_out.append(LeftOut(self.last, "commit", 0, str(error), decision=False))
            return
        self.requests.found(records)
        if self._gap or not self._whole(found, records):
            self._gap = True
            self._in_part(found, records)

    def reach(self, number: int) -> None:
        """Commits through `number` that were not taken are gone."""
        for each in range(self.last + 1, number + 1):
            self._lost(each)
        self.last = max(self.last, number)

    def add(self, records: list[r.Record], segment: str, at: int) -> None:
        """Add a commit the old journal does not have."""
        for record in records:
            self.window = apply(self.window, record)
            self._note(record)
        self.commits.append(NewCommit(segment, at, (), Raw(encoded(records)), SCHEMA))
        self._numbers.added()

    def _lost(self, number: int) -> None:
        self._gap = True
        self.requests.commit_lost()
        self.missing.append(number)

    def _whole(self, found: FoundCommit, records: list[r.Record]) -> bool:
        """Take a commit in as it is; False where it does not fold, though nothing was missing."""
        window = self.window
        try:
            for record in records:
                window = apply(window, record)
        except Exception:  # of another journal, whose lines verify too
            return False
        self.window = window
        self._keep(found, found.commit.pages, found.commit.records, found.commit.schema)
        for record in records:
            self._note(record)
        return True

    def _in_part(self, found: FoundCommit, records: list[r.Record]) -> None:
        """Take in what stands of a commit behind a gap."""
        commit = found.commit
        pages = tuple(ref for ref in commit.pages if self.pages.get(ref.name, ref) == ref)
        self.pages.update((ref.name, ref) for ref in pages)
        kept: list[r.Record] = []
        for record in map(self._numbers.renumbered, records):
            if isinstance(record, ANSWERED):
                kept += self._stand_ins()
            after = self._after(record)
            if isinstance(after, str):
                self.left_out.append(_left(commit.number, record, after))
                continue
            self.window = after
            self._note(record)
            kept.append(record)
        if kept == records and pages == commit.pages:
            self._keep(found, pages, commit.records, commit.schema)
        elif kept or pages:
            self._keep(found, pages, Raw(encoded(kept)), SCHEMA)

    def _keep(
        self, found: FoundCommit, pages: tuple[PageRef, ...], records: Raw, schema: int
    ) -> None:
        same = found.commit.number == len(self.commits) + 1
        same = same and records is found.commit.records
        line = found.data if same and pages == found.commit.pages else b""
        made = NewCommit(found.segment, found.commit.at, pages, records, schema, line)
        self.pages.update((ref.name, ref) for ref in pages)
        self.commits.append(made)
        self._numbers.kept(found.commit.number)
        self.kept += 1

    def _note(self, record: r.Record) -> None:
        if entry := entry_of(record):
            self.entries.add(entry)
        if isinstance(record, r.Turned | r.Repaired):
            self.requests.kept(record)
        elif isinstance(record, r.Spawned):
            self.spawned[record.child] = record
        elif isinstance(record, r.Joined):
            self.joined[record.child] = record
        elif isinstance(record, r.Retired):
            self.retired.update(record.pages)
        elif isinstance(record, r.Delivered):
            self.delivered = record.sha256

    def _stand_ins(self) -> Iterator[r.Record]:
        """Answer the calls that wait: what they brought is gone."""
        step = self.window.history.waiting_step
        if step is None:
            return
        mark = self.window.config.mark
        said = LOST_RESULT.format(mark=mark)
        for id in step.open:
            standing = self.window.history.step(step.id)
            returned = stand_in(self.sizes(self.window), mark, standing, id, (said,), LEAST_RESULT)
            self.window = apply(self.window, returned)
            tool = meant(*next((call.name, call.arguments) for call in step.calls if call.id == id))
            brief = called(tool[0], returned.outcome.reduction)
            self.results.append(f"{id} of {name_of(step)}: {brief}")
            self._unanswered.add(step.id)
            yield returned

    def _after(self, record: r.Record) -> Window | str:
        """The window after a record that stands, or why it does not."""
        if against := next(self._against(record), ""):
            return against
        try:
            after = apply(self.window, record)
        except Exception as error:  # whatever a fold says of a record that was made elsewhere
            return f"it does not fold ({type(error).__name__}: {error})"
        return next(iter(self._unlawful(record, after)), after)

    def _against(self, record: r.Record) -> Iterator[str]:
        """Yield what stands against a record before it is applied."""
        window = self.window
        if isinstance(record, r.Opened) and self.commits:
            yield "a workspace is opened for the first time once"
        if isinstance(record, ENTRIES) and entry_of(record) < window.history.next_id:
            yield "its id was given before"
        if isinstance(record, r.Returned):
            step = window.history.waiting_step
            if step is None or step.id != record.step:
                yield "the reply whose call it answers is gone"
            elif record.outcome.call_id not in step.open:
                yield "its call was answered before"
        if isinstance(record, CUTS) and not _certified(record.certificate, window):
            yield "it was made of a window that is gone"
        if isinstance(record, r.Repaired) and record.edits:
            yield "it was made of a window that is gone"
        if isinstance(record, r.Undone):
            yield from self._strange(record)
        if isinstance(record, r.Synced):
            yield from self._unlisted(record)
        if isinstance(record, r.Enclosed | r.Expanded):
            page = record.paged.text.page if isinstance(record, r.Enclosed) else record.text.page
            if page and page not in self.pages:
                yield f"{page} is gone"

    def _unlisted(self, record: r.Synced) -> Iterator[str]:
        """Yield what is gone of the messages of a host's list: it is to give them again."""
        told = [one for one in record.messages if one.entry]
        if any(one.entry not in self.entries for one in told):
            yield "an entry of the host's list is gone"
        step = self.window.history.waiting_step
        lost = self._unanswered | ({step.id} if step else set())
        if any(one.role == "tool" and one.entry in lost for one in told):
            yield "a result of the host's list is gone"

    def _strange(self, record: r.Undone) -> Iterator[str]:
        """Yield what the window of a going back holds that the journal does not."""
        if record.to and record.to not in self.requests.stand:
            yield f"request {record.to} is gone"
        for item in record.window.history.stream:
            if not isinstance(item, Notice | Digest) and item.id not in self.entries:
                yield f"entry {item.id} of its window is gone"
        for page in _pages(record):
            if page not in self.pages:
                yield f"{page} of its window is gone"

    def _unlawful(self, record: r.Record, after: Window) -> Iterable[str]:
        """What is wrong with the window after a record."""
        if isinstance(record, CUTS) and record.certificate.after != after.tokens:
            return ["it leads to another window than it was made for"]
        if isinstance(record, r.Turned):
            return laws.bounded(after)
        if self._strict or isinstance(record, r.Undone | r.CarriedOn):
            return lawless(after)
        return ()


def _left(commit: int, record: r.Record, why: str) -> LeftOut:
    kind, decision = type(record).__name__, isinstance(record, DECISIONS)
    return LeftOut(commit, kind, entry_of(record), why, decision=decision)


def _certified(certificate: r.Certificate, window: Window) -> bool:
    """True when a cut was made of this very window: its tokens, and all that no cut changes."""
    if certificate.before != window.tokens:
        return False
    held = laws.fingerprints(window)
    return all(held.get(name) == known for name, known in certificate.protected.items())


def lawless(window: Window) -> list[str]:
    """What the laws every window keeps find broken."""
    return [*laws.paired(window), *laws.counted(window), *laws.ordered(window)]


def _pages(record: r.Record) -> Iterator[str]:
    """Yield the pages a decision names; in one of Loom's own every such member is a page."""
    waiting = [json.decode(json.encode(record))]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            page = value.get("page")
            if isinstance(page, str) and page.startswith("outputs/"):
                yield page
        waiting += value.values() if isinstance(value, dict) else []
        waiting += value if isinstance(value, list) else []
