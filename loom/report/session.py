"""One agent's session as rows: its journal is folded once, from the first line.

At each request the window stands as it was sent of, and at each cut as it was before and after. So
all that a report tells is read off windows, by the same functions the other commands use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from msgspec.structs import replace

from loom.engine.archive.decode import records_of
from loom.engine.archive.reading import UNREADABLE, stand_in
from loom.engine.archive.tally import entry_counts, kept_pages
from loom.engine.archive.workspace import Workspace
from loom.engine.meter import counted_exactly, model_of
from loom.engine.pressure import sent_size
from loom.engine.turn import Turn
from loom.inspect.plain import PlainSizes
from loom.inspect.requests import RequestFold, RequestRow, billed, plain_run
from loom.inspect.sent_again import RequestsAgain
from loom.providers.counts import counter_for
from loom.providers.prices import Prices, prices_of
from loom.providers.render.render import newest
from loom.replay.cost import Bill
from loom.report import cuts
from loom.report.cuts import EntryScores
from loom.report.data import AgentRow, CutRow, PriceRow, SumsRow, TurnRow
from loom.report.lanes import LaneLife, Lanes, of_step, of_user
from loom.report.texts import ReportMessages, ReportTexts, behind, placed
from loom_paging import Commit
from loom_partitions import records as r
from loom_partitions.message import Text
from loom_partitions.window import Window, apply

DECIDED = (r.Turned, r.Compressed, r.Renewed, r.Enclosed, r.Expanded, r.Prefetched)


class SessionFold:
    """The journal of a workspace while it is folded into rows."""

    def __init__(self, workspace: Workspace, texts: ReportTexts, messages: ReportMessages) -> None:
        self.workspace = workspace
        self.window = Window()
        self.turns: list[TurnRow] = []
        self.cuts: list[CutRow] = []
        self.differ: list[int] = []
        self.lanes = Lanes()
        self._texts, self._messages = texts, messages
        self._again = RequestsAgain(workspace)
        self._scores = EntryScores(workspace)
        self._plain = PlainSizes(workspace)
        self._sizes = RequestFold(self._plain)
        self._titles: dict[int, str] = {}
        self._ids: list[int] = []  # messages of the last request
        self._tools, self._version, self._sent, self._items = -1, -1, 0, 0
        self._pending: list[int] = []  # cuts since the last request
        self._by_entry: dict[int, int] = {}  # the last of them that touched an entry

    def folding(self) -> Iterator[int]:
        """Read the journal to its end; yields the number of each commit behind it."""
        for commit in self.workspace.journal.scan():
            records = records_of(commit)
            if any(isinstance(record, DECIDED) for record in records):
                self._scores.take_in(self.window)
            for record in records:
                self._take(commit, record)
            yield commit.number
        if self.turns:
            self.lanes.end(self.turns[-1].turn)

    def _take(self, commit: Commit, record: r.Record) -> None:
        before = self.window
        self.window = after = apply(before, record)
        self._sizes.take(commit, record, after)
        if isinstance(record, cuts.AnyCut):
            self._cut(commit.number, record, before, after)
        elif isinstance(record, r.Turned):
            self._turn(commit, record, before)
        elif note := NOTED.get(type(record)):
            note(self, record)

    def _cut(self, commit: int, record: cuts.AnyCut, before: Window, after: Window) -> None:
        changes = cuts.changes_of(before, after)
        ids = {cuts.entry_id(change.name) for _, change in changes}
        scores = (
            self._scores.at(before, ids) if isinstance(record, r.Compressed | r.Renewed) else {}
        )
        left = []
        for partition, change in changes:
            id = cuts.entry_id(change.name)
            self._by_entry[id] = len(self.cuts)
            titled = self._titles.get(id, "")
            own = self.lanes.of_entry(id)
            left.append(cuts.left_row(partition, change, titled, own, scores.get(id)))
        if left or not isinstance(record, r.Repaired):
            self._pending.append(len(self.cuts))
            self.cuts.append(cuts.cut_row(record, commit, before, after, left))

    def _turn(self, commit: Commit, record: r.Turned, before: Window) -> None:
        window = self.window
        made = self._again.turn(window, record.sha256)
        if record.sha256 not in ("", made.sha256):
            self.differ.append(record.turn)
        shared, same = self._shared(made)
        last = self._pending[-1] if self._pending else -1
        self.lanes.stand(window, record.turn, self._by_entry, last)
        self.turns.append(
            TurnRow(
                turn=record.turn,
                commit=commit.number,
                at=commit.at,
                tokens=window.tokens,
                capacity=window.limits.capacity,
                rho=sent_size(window).rho,
                level=window.sent.acted,
                cuts=tuple(self._pending),
                messages=len(self._ids),
                shared=shared,
                new=tuple(self._ids[shared:]),
                tools=self._tools,
                sent=self._sent,
                reused=same,
                reusable=0,
                plain=0,
                total=0,
                sha256=record.sha256,
                found=made.sha256,
                undone=self.workspace.index.is_left(commit.number),
            )
        )
        self._pending, self._by_entry = [], {}

    def _shared(self, made: Turn) -> tuple[int, int]:
        """(messages at the front that the request before has too, bytes that begin both)."""
        rows, tools = self._messages.rows, self._messages.toolset(made.tools)
        sizes = sum(len(document.encode()) for document in made.tools)
        stream, goes_on = self.window.history.stream, made.version == self._version
        known = len(self._ids) if goes_on else 0
        # What is new is rendered by itself, and takes its places by itself.
        more = newest(stream, len(stream) - self._items)
        places = behind(more, self.window.limits.run) if goes_on else placed(self.window)
        ids = self._ids[:known]
        fresh = zip(islice(made.messages, known, None), places, strict=True)
        ids += [self._messages.add(message, at) for message, at in fresh]
        self._items = len(stream)
        shared = known or next(
            (at for at, (old, new) in enumerate(zip(self._ids, ids, strict=False)) if old != new),
            min(len(self._ids), len(ids)),
        )
        same = sizes + sum(rows[id].bytes for id in ids[:shared]) if tools == self._tools else 0
        self._sent = sizes + sum(rows[id].bytes for id in ids)
        self._ids, self._tools, self._version = ids, tools, made.version
        return shared, same

    # What other records tell

    def heard(self, record: r.Heard | r.Belated | r.Prefetched) -> None:
        """A message came in, or what was read ahead."""
        self._titles[record.turn.id] = of_user(record.turn).title
        self.lanes.heard(record.turn)

    def replied(self, record: r.Replied) -> None:
        """A reply came in."""
        self._titles[record.step.id] = of_step(record.step).title

    def returned(self, record: r.Returned) -> None:
        """A result came in."""
        step = self.window.history.step(record.step)
        self.lanes.returned(step, record.outcome, record.outcome.text.body or "")

    def faulted(self, record: r.Faulted) -> None:
        """Something was brought back, for the step whose calls wait."""
        history = self.window.history
        self.lanes.faulted(record, history.waiting or history.next_id - 1)

    # The rows

    def row(self, base: AgentRow) -> AgentRow:
        """The session as a row; `base` says whose it is."""
        workspace, window = self.workspace, self.window
        lanes = tuple(
            lane.row(self._whole(lane), lane.text.tokens + self._plain.more(lane.text))
            for lane in self.lanes.lanes
        )
        facts, sizes = _facts(workspace, window, base.model), self._sizes.rows
        plain = plain_run(sizes)
        return replace(
            base,
            **facts,
            sums=_sums(billed(sizes), plain.bill, prices_of(facts["model"])),
            plain_over=self.turns[plain.overflow - 1].turn if plain.overflow else 0,
            differ=tuple(self.differ),
            turns=tuple(map(_sized, self.turns, sizes)),
            cuts=tuple(cuts.returned(cut, lanes) for cut in self.cuts),
            lanes=lanes,
        )

    def _whole(self, lane: LaneLife) -> int:
        """The number of the whole text of a lane."""
        return self._texts.add(whole_text(self.workspace, lane.text, lane.page, self.window))


def whole_text(workspace: Workspace, text: Text, page: str, window: Window) -> str:
    """Every character of a text, from its page where it has one; else what stands for it."""
    if not page or (text.body is not None and not text.page):
        return text.body or ""
    try:
        return workspace.read(page)
    except UNREADABLE as error:
        return str(stand_in(page, error, window))


def _facts(workspace: Workspace, window: Window, recorded: str) -> dict[str, Any]:
    """What a workspace is as a whole; `recorded` is the model where it names none."""
    model = model_of(window) or recorded
    goal, kept = window.working.goal, kept_pages(workspace)
    counter = counter_for(window.config.model, window.config.encoding)
    return {
        "goal": (goal.body or "") if goal else "",
        "model": model,
        "prices": _prices(model),
        "policy": str(window.config.policy.get("preset", "")),
        "window": window.limits.window + window.sent.held,
        "reply": window.limits.reply,
        "encoding": counter.encoding,
        "exact": counted_exactly(window, counter),
        "generation": window.sent.generation,
        "commits": workspace.commits,
        "began": workspace.folded.began,
        "ended": workspace.at,
        "steps": entry_counts(workspace).steps,
        "pages": kept.pages,
        "page_bytes": kept.bytes,
        "outcome": window.working.outcome,
    }


def _sized(row: TurnRow, sized: RequestRow) -> TurnRow:
    """The row of a request with its size, which the provider may have told behind it."""
    size = sized.size
    return replace(
        row,
        capacity=size.capacity,
        rho=size.rho,
        reusable=sized.reused,
        plain=sized.plain,
        total=size.total,
        client=size.beside,
        reported=size.reported > 0,
        replied=sized.replied,
        times=size.times,
    )


def _sums(sent: Bill, plain: Bill, prices: Prices) -> SumsRow:
    return SumsRow(
        sent.calls, sent.sent, sent.reused, sent.peak, sent.cost(prices),
        plain.sent, plain.cost(prices),
    )  # fmt: skip


def _prices(model: str) -> PriceRow:
    made = prices_of(model)
    return PriceRow(made.model, made.read, made.write, made.as_of, made.known)


NOTED: dict[type, Callable[[SessionFold, Any], None]] = {
    r.Heard: SessionFold.heard,
    r.Belated: SessionFold.heard,
    r.Prefetched: SessionFold.heard,
    r.Replied: SessionFold.replied,
    r.Returned: SessionFold.returned,
    r.Faulted: SessionFold.faulted,
}
