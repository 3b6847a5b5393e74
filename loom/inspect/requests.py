"""The requests of a workspace, read from its journal in one pass, for every command that tells of
them.

How much of a request a provider's cache can serve is known from the journal alone. Between cuts a
request begins with the whole request before it; after a cut, the cut's certificate says how many
tokens of that are left. What a client sends by itself is in front of both, and counts as unchanged
while its number of tokens is the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from loom.inspect.sent_size import SentSize, sent_size
from loom.providers.counts import counter_for
from loom.replay.cost import Bill, PlainRun
from loom.session.archive.folded_journal import records_of
from loom.session.archive.page_reader import UNREADABLE
from loom.session.archive.workspace import Workspace
from loom.session.tools.own_tools import CORE
from loom_paging import Commit
from loom_partitions import records as r
from loom_partitions.message import Text
from loom_partitions.window import Window, apply


class BetweenRequests(Struct):
    """The events between two requests.

    `cuts` are the levels of the cuts, in order; "renewal", "undo" and "repair" may be among the
    levels. `steps` and `messages` count the entries that came in. `back_to` is the request to which
    an undo went back, 0 for none. `compacted` is True if the client compacted its list. `anew` is
    the earlier request to which the client went back for the compaction, -1 for none."""

    cuts: tuple[str, ...] = ()
    steps: int = 0
    messages: int = 0
    back_to: int = 0
    compacted: bool = False
    anew: int = -1


class RequestRow(Struct, frozen=True):
    """One request, as the journal has it. `turn` is its number, `commit` its commit, `at` the
    time in milliseconds since the epoch, `size` its size as sent, `level` the level of the cut made
    for the request ("" for none), `since` what happened after the previous request. `sha256` is ""
    in older journals.

    In tokens as Loom counts: `kept` were also at the front of the previous request, `listed` would
    be in a plain list of all messages (0 if not counted), `replied` are in the reply. `anew` is
    True if the client later went back to before this request and gave its entries again."""

    turn: int
    commit: int
    at: int
    size: SentSize
    level: str
    sha256: str
    since: BetweenRequests
    kept: int = 0
    listed: int = 0
    replied: int = 0
    anew: bool = False

    @property
    def reused(self) -> int:
        """The tokens shared with the front of the previous request, as `size.total` counts."""
        return self.size.scaled(self.kept)

    @property
    def plain(self) -> int:
        """The tokens that a plain list of all messages would have, as `size.total` counts."""
        return self.size.scaled(self.listed)


class CutPoint(Struct, frozen=True):
    """A cut that was made for the request `turn`. `before` and `after` are the window's tokens.
    `reusable` are the tokens at the front that a provider's cache still holds.

    `level` is "renewal" for a renewal. `generation` counts the fresh windows, 0 for any other cut.
    """

    turn: int
    level: str
    before: int
    after: int
    reusable: int
    edits: int
    generation: int = 0

    @property
    def reuse(self) -> float:
        """The share (0 to 1) of the new request that a provider's cache still holds."""
        return self.reusable / self.after if self.after else 0.0


OWN = frozenset(tool.schema.name for tool in CORE)


class PlainListSizes:
    """Counts the tokens of a plain list of all messages, as a client without Loom would send it.

    A shortened entry counts in full, if its page can be read. Notices, dashboards, digests, text
    that was read ahead and Loom's own tools are not counted."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        window = workspace.window
        self._count = counter_for(window.config.model, window.config.encoding)
        self._entries: dict[int, int] = {}
        self._sum = 0

    def note(self, record: r.Record) -> None:
        """Add the tokens of the entry that a record brings, or subtract the tokens of undone
        entries."""
        match record:
            case r.Heard():
                self._add_tokens(
                    record.turn.id, record.turn.tokens + self.unshown_tokens(record.turn.text)
                )
            case r.Replied():
                self._add_tokens(record.step.id, record.step.tokens)
            case r.Returned():
                self._add_tokens(
                    record.step, record.tokens + self.unshown_tokens(record.outcome.text)
                )
            case r.Undone():
                stand = {entry.id for entry in record.window.history.stream.entries}
                for entry in {*range(record.first, record.last + 1)} - stand:
                    self._sum -= self._entries.pop(entry, 0)

    def tokens(self, window: Window) -> int:
        """Return the tokens of the plain list now: all entries so far, and the window's
        instructions, memory, skills and tools."""
        own = sum(held.text.tokens for held in window.skill.tools.shown if held.key in OWN)
        return window.head_tokens - window.limits.head - own + self._sum

    def unshown_tokens(self, text: Text) -> int:
        """Return how many tokens a preview leaves out; 0 for a full or an unreadable text."""
        if text.whole or text.media is not None:
            return 0
        try:
            whole = self._workspace.read(text.page)
        except UNREADABLE:
            return 0
        return max(self._count(whole) - text.tokens, 0)

    def _add_tokens(self, entry: int, tokens: int) -> None:
        """Add `tokens` to an entry's tokens and to the sum of all entries."""
        self._entries[entry] = self._entries.get(entry, 0) + tokens
        self._sum += tokens


class RequestFold:
    """What a journal tells of requests: the window, a row for each request, the cuts. With `plain`,
    each row has the size of a plain list of all messages. `replied` sums the tokens of all replies.
    """

    def __init__(self, plain: PlainListSizes | None = None) -> None:
        self.window = Window()
        self.rows: list[RequestRow] = []
        self.cuts: list[CutPoint] = []
        self.replied = 0
        self.plain = plain
        self._since = BetweenRequests()
        self._front = self._beside = 0  # at the front of the next request; the client's part

    def read(self, commit: Commit) -> None:
        """Add what the next commit of the journal tells. Raises the errors of `records_of`."""
        for record in records_of(commit):
            self.take(commit, record)

    def take(self, commit: Commit, record: r.Record) -> None:
        """Add what the next record, which is in `commit`, tells."""
        self.window = window = apply(self.window, record)
        if self.plain is not None:
            self.plain.note(record)
        since = self._since
        match record:
            case r.Turned():
                self._note_request(commit, record)
            case r.Heard():
                since.messages += 1
            case r.Replied():
                since.steps += 1
                self.replied += record.step.tokens
                if self.rows:
                    replied = self.rows[-1].replied + record.step.tokens
                    self.rows[-1] = replace(self.rows[-1], replied=replied)
            case r.Compressed() | r.Renewed():
                self._note_cut(record)
            case r.Undone():
                self._front = min(self._front, record.window.tokens.total)
                since.cuts, since.back_to = (*since.cuts, "undo"), record.to
            case r.Repaired() if record.edits:
                since.cuts = (*since.cuts, "repair")
            case r.Synced() if record.kept >= 0:
                since.compacted = True
                if "undo" in since.cuts:  # no undo: the client goes back to compact once more
                    since.cuts = tuple(one for one in since.cuts if one != "undo")
                    since.back_to, since.anew = 0, since.back_to
            case r.Metered() | r.Overflowed() | r.SentAgain() if self.rows:
                self.rows[-1] = replace(self.rows[-1], size=sent_size(window))  # told later

    @property
    def levels(self) -> dict[str, int]:
        """The number of cuts by level: level → number."""
        names = [cut.level for cut in self.cuts]
        return {name: names.count(name) for name in sorted({*names})}

    def _note_request(self, commit: Commit, record: r.Turned) -> None:
        """Add a row for a request. `record` is its record, `commit` the commit that has it."""
        size, since = sent_size(self.window), self._since
        if since.anew >= 0:
            self.rows = [replace(row, anew=row.anew or row.turn > since.anew) for row in self.rows]
        kept = min(self._front, size.tokens.total)
        kept += size.beside if size.beside == self._beside else 0
        listed = self.plain.tokens(self.window) + size.beside if self.plain else 0
        level = self.window.sent.last_cut_level
        self.rows.append(
            RequestRow(
                record.turn, commit.number, commit.at, size, level, record.sha256, since, kept,
                listed,
            )
        )  # fmt: skip
        self._front, self._beside, self._since = size.tokens.total, size.beside, BetweenRequests()

    def _note_cut(self, record: r.Compressed | r.Renewed) -> None:
        """Add a cut, which limits what the next request shares with the last request."""
        renewed, certificate = isinstance(record, r.Renewed), record.certificate
        level = "renewal" if isinstance(record, r.Renewed) else record.level
        self._front = min(self._front, certificate.reusable)
        self._since.cuts = (*self._since.cuts, level)
        self.cuts.append(
            CutPoint(
                turn=self.window.sent.turn + 1,
                level=level,
                before=certificate.before.total,
                after=certificate.after.total,
                reusable=certificate.reusable,
                edits=len(record.edits),
                generation=self.window.sent.generation if renewed else 0,
            )
        )


def folded_requests(workspace: Workspace, *, plain: bool = False) -> RequestFold:
    """Return what a workspace's whole journal tells of requests, with `plain` also the sizes of
    plain lists."""
    fold = RequestFold(PlainListSizes(workspace) if plain else None)
    for commit in workspace.journal.scan():
        fold.read(commit)
    return fold


def request_bill(rows: Iterable[RequestRow]) -> Bill:
    """Return the token counts for pricing requests as they were sent, without refused requests."""
    bill = Bill()
    for row in rows:
        size = row.size
        if size.times:
            reused = size.reused(row.kept)
            bill.add(Bill(size.times, size.sent, reused, peak=size.total, hourly=size.hourly))
    return bill


def plain_list_run(rows: Sequence[RequestRow]) -> PlainRun:
    """Return the token counts for the same requests from a client that sends its whole list of
    messages each time and reads the previous request from the prompt cache."""
    bill, lawful, overflow, before = Bill(), Bill(), 0, 0
    for number, row in enumerate(rows, 1):
        if row.plain > row.size.capacity and not overflow:
            lawful, overflow = replace(bill), number
        if not row.size.times:
            continue  # refused: in no sum
        reused = min(before, row.plain)
        more = Bill(calls=1, sent=row.plain, reused=reused, peak=row.plain)
        more.hourly = more.written if row.size.hourly else 0  # its cache lasts as long
        bill.add(more)
        before = row.plain
    return PlainRun(bill, lawful if overflow else replace(bill), overflow)
