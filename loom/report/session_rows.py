"""Makes the rows of one agent's session in one pass through its journal.

The records are applied in order. This gives the window of each request and the windows before and
after each cut. All rows are made from these windows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from loom.inspect.remade_requests import RemadeRequests
from loom.inspect.requests import (
    PlainListSizes,
    RequestFold,
    RequestRow,
    plain_list_run,
    request_bill,
)
from loom.inspect.tally import entry_counts, page_tally
from loom.providers.counts import counter_for
from loom.providers.prices import prices_of
from loom.providers.render.render import last_items
from loom.reduce.client_notes import typed_text
from loom.report.cut_rows import AnyCut, EntryScores, cut_row, entry_id, with_returns
from loom.report.data import AgentRow, CutRow, PriceRow, ReportData, SumsRow, TurnRow
from loom.report.lanes import WORDS, LaneBuilder, Lanes, message_name, step_name
from loom.report.numbered_texts import ReportMessages, message_places, stream_places
from loom.session.archive.folded_journal import records_of
from loom.session.archive.page_reader import UNREADABLE, stand_in
from loom.session.archive.workspace import Workspace
from loom.session.meter import is_counted_exactly, model_of
from loom.session.turn import Turn
from loom.text import encodable, one_line
from loom.version import VERSION
from loom_paging import Commit
from loom_partitions import records as r
from loom_partitions.window import Window

DECIDED = (r.Turned, r.Compressed, r.Renewed, r.Brought)


class SessionFold:
    """Turns a workspace's journal, read one commit at a time, into the rows of a report."""

    def __init__(self, workspace: Workspace, messages: ReportMessages) -> None:
        self._workspace, self._messages = workspace, messages
        self._lanes = Lanes()
        self._again = RemadeRequests(workspace)
        self._scores = EntryScores(workspace)
        self._plain = PlainListSizes(workspace)
        self._fold = RequestFold(self._plain)
        self._turns: list[dict[str, Any]] = []  # what no later record tells of each request
        self._cuts: list[CutRow] = []
        self._titles: dict[int, str] = {}
        self._title = ""
        self._ids: list[int] = []  # messages of the last request
        self._tools, self._version, self._sent, self._items = -1, -1, 0, 0
        self._pending: list[int] = []  # cuts since the last request
        self._by_entry: dict[int, int] = {}  # the last of them that touched an entry

    def read(self, commit: Commit) -> None:
        """Process the next commit of the journal."""
        records = records_of(commit)
        if any(isinstance(record, DECIDED) for record in records):
            self._scores.take_in(self._fold.window)
        for record in records:
            before = self._fold.window
            self._fold.take(commit, record)
            self._note_record(commit.number, record, before)

    def _note_record(self, commit: int, record: r.Record, before: Window) -> None:
        """Process a record that was just applied. `commit` is the number of its commit, `before`
        the window before the record."""
        history = self._fold.window.history
        match record:
            case r.Turned():
                self._note_request(record)
            case r.Compressed() | r.Renewed() | r.Undone() | r.Repaired():
                self._note_cut(commit, record, before)
            case r.Heard() | r.Brought() if record.turn:
                self._titles[record.turn.id] = message_name(record.turn).title
                self._lanes.begin_message(record.turn)
                if not self._title and record.turn.typed:
                    self._title = one_line(typed_text(record.turn.text.body or ""), WORDS)
            case r.Replied():
                self._titles[record.step.id] = step_name(record.step).title
            case r.Returned():
                step, told = history.step(record.step), record.outcome.text.body or ""
                self._lanes.begin_result(step, record.outcome, told)
            case r.Faulted():  # for the step whose calls wait
                self._lanes.note_fault(record, history.waiting or history.next_id - 1)

    def _note_cut(self, commit: int, record: AnyCut, before: Window) -> None:
        """Add the row of a cut. `before` is the window before the cut."""
        row = cut_row(
            record, commit, before, self._fold.window, self._titles, self._lanes, self._scores
        )
        ids = {entry_id(left.entry) for left in row.left}
        self._by_entry |= dict.fromkeys(ids, len(self._cuts))
        if row.left or not isinstance(record, r.Repaired):
            self._pending.append(len(self._cuts))
            self._cuts.append(row)

    def _note_request(self, record: r.Turned) -> None:
        """Store what is known of a request when it is made."""
        window = self._fold.window
        made = self._again.turn(window, record.sha256)
        shared, same = self._shared_front(made)
        last = self._pending[-1] if self._pending else -1
        self._lanes.note_presence(window, record.turn, self._by_entry, last)
        self._turns.append(
            {
                "tokens": window.tokens,
                "bands": self._band_tokens(window),
                "cuts": tuple(self._pending),
                "messages": len(self._ids),
                "shared": shared,
                "new": tuple(self._ids[shared:]),
                "tools": self._tools,
                "sent": self._sent,
                "reused": same,
                "found": made.sha256,
            }
        )
        self._pending, self._by_entry = [], {}

    def _shared_front(self, made: Turn) -> tuple[int, int]:
        """Return (number of messages, number of bytes) that begin both the request and the previous
        request."""
        rows, tools = self._messages.messages.rows, self._messages.toolset(made.tools)
        sizes = sum(len(document.encode()) for document in made.tools)
        window, goes_on = self._fold.window, made.version == self._version
        stream, known = window.history.stream, len(self._ids) if goes_on else 0
        # What is new is rendered by itself, and takes its places by itself.
        more = last_items(stream, len(stream) - self._items)
        places = stream_places(more, window.limits.run) if goes_on else message_places(window)
        ids = self._ids[:known]
        fresh = zip(islice(made.messages, known, None), places, strict=True)
        ids += [self._messages.message(message, at) for message, at in fresh]
        self._items = len(stream)
        shared = known or next(
            (at for at, (old, new) in enumerate(zip(self._ids, ids, strict=False)) if old != new),
            min(len(self._ids), len(ids)),
        )
        same = sizes + sum(rows[id].bytes for id in ids[:shared]) if tools == self._tools else 0
        self._sent = sizes + sum(rows[id].bytes for id in ids)
        self._ids, self._tools, self._version = ids, tools, made.version
        return shared, same

    def _band_tokens(self, window: Window) -> dict[str, int]:
        """Return a dict from band (kind of content) to the number of its tokens in the window."""
        tokens, tools = window.tokens, window.skill.tools.tokens
        bands = Counter(instructions=tokens.system + tools, notes=tokens.memory)
        bands += Counter(skills=tokens.skill - tools, working=tokens.working)
        for message in (self._messages.messages.rows[id] for id in self._ids):
            bands[message.band] += message.tokens if message.partition == "history" else 0
        return {name: held for name, held in bands.items() if held}

    def row(self, base: AgentRow) -> AgentRow:
        """Return `base`, the row of the agent, with all fields of its session filled in."""
        workspace, window, sizes = self._workspace, self._fold.window, self._fold.rows
        if sizes:
            self._lanes.end(sizes[-1].turn)
        lanes = tuple(
            lane.row(
                self._whole_text_number(lane),
                lane.text.tokens + self._plain.unshown_tokens(lane.text),
            )
            for lane in self._lanes.lanes
        )
        model = model_of(window) or base.model
        prices = prices_of(model)
        goal, kept, config = window.working.goal, page_tally(workspace), window.config
        counter = counter_for(config.model, config.encoding)
        plain, sent = plain_list_run(sizes), request_bill(sizes)
        made = zip(self._turns, sizes, strict=True)
        turns = tuple(self._turn_row(size, known) for known, size in made)
        return replace(
            base,
            goal=(goal.body or "") if goal else "",
            title=encodable(self._title),
            model=model,
            prices=PriceRow(prices.model, prices.read, prices.write, prices.as_of, prices.known),
            policy=str(config.policy.get("preset", "")),
            window=window.limits.window + window.sent.held,
            reply=window.limits.reply,
            encoding=counter.encoding,
            exact=is_counted_exactly(window, counter),
            generation=window.sent.generation,
            commits=workspace.commits,
            began=workspace.folded.began,
            ended=workspace.at,
            steps=entry_counts(workspace).steps,
            pages=kept.pages,
            page_bytes=kept.bytes,
            outcome=window.working.outcome,
            sums=SumsRow(
                sent.calls, sent.sent, sent.reused, sent.peak, sent.cost(prices),
                plain.bill.sent, plain.bill.cost(prices),
            ),
            plain_over=sizes[plain.overflow - 1].turn if plain.overflow else 0,
            differ=tuple(turn.turn for turn in turns if turn.sha256 not in ("", turn.found)),
            turns=turns,
            cuts=tuple(with_returns(cut, lanes) for cut in self._cuts),
            lanes=lanes,
        )  # fmt: skip

    def _turn_row(self, row: RequestRow, known: dict[str, Any]) -> TurnRow:
        """Return a request as a row. `known` has the fields that were known when the request was
        made, `row` its size."""
        size = row.size
        return TurnRow(
            **known,
            turn=row.turn,
            commit=row.commit,
            at=row.at,
            level=row.level,
            sha256=row.sha256,
            capacity=size.capacity,
            rho=size.rho,
            reusable=row.reused,
            plain=row.plain,
            total=size.total,
            client=size.beside,
            reported=size.reported > 0,
            replied=row.replied,
            times=size.times,
            undone=self._workspace.index.is_commit_undone(row.commit),
        )

    def _whole_text_number(self, lane: LaneBuilder) -> int:
        """Return the number of a lane's whole text. The text of an unreadable page is a line that
        says that the page cannot be read."""
        text, page = lane.text, lane.page
        if not page or (text.body is not None and not text.page):
            return self._messages.text(text.body or "")
        try:
            return self._messages.text(self._workspace.read(page))
        except UNREADABLE as error:
            return self._messages.text(str(stand_in(page, error, self._fold.window)))


Watch = Callable[[str, int, int], None]  # an agent's name, commits read of it, and all of them


class AgentPlace(Struct, frozen=True):
    """An agent in a report, and the folder of its workspace or None."""

    row: AgentRow
    folder: Path | None


def collect_report(places: Sequence[AgentPlace], source: str, watch: Watch) -> ReportData:
    """Return the report on some agents, read from their workspaces. An agent must come before the
    agents that it started. `watch` is called after each commit."""
    messages = ReportMessages()
    rows: list[AgentRow] = []
    for place in places:
        row = place.row
        if place.folder is not None:
            workspace = Workspace.at_path(place.folder, write=False)
            fold = SessionFold(workspace, messages)
            for commit in workspace.journal.scan():
                fold.read(commit)
                watch(row.name, commit.number, workspace.commits)
            row = fold.row(row)
        rows.append(row)
    return ReportData(
        VERSION,
        source,
        tuple(rows),
        tuple(messages.messages.rows),
        tuple(messages.tools.rows),
        tuple(messages.texts.rows),
        messages.lengths,
    )
