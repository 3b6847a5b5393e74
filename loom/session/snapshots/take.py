"""Snapshots taken: C_working with its texts whole (of the scratchpad the newest), and what stands
around it.

Everything comes from the journal and its pages; the one value that is read off a clock, when the
world was last looked at, stands in the record that names the snapshot.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from msgspec.structs import replace

from loom.compress.entry_line import line
from loom.providers.render.dashboard import Dashboard
from loom.providers.render.quotes import heading
from loom.providers.render.wording import ARROW
from loom.session.archive.reading import UNREADABLE, standing
from loom.session.archive.surfaces import pinned_lines, said, scratchpad_end
from loom.session.archive.workspace import Workspace
from loom.session.snapshots.document import (
    PAGES_MOST,
    RENEWAL,
    Decided,
    DigestText,
    EventSurface,
    IndexedPage,
    KnowledgeSurface,
    OpenQuestion,
    Snapshot,
    StandingEntry,
    UnsettledEvent,
    indexed,
    names_in,
    written,
)
from loom.session.snapshots.earlier import carried_entry, folded
from loom.session.working import LINE_CHARS, STATES, part_of
from loom.text import one_line, printable
from loom_partitions.history import pinned_entries
from loom_partitions.message import Detail, Digest, Text, UserTurn, name_of
from loom_partitions.records import Acknowledged, Evidenced, Questioned, Signalled
from loom_partitions.surfaces import Evidence, PlanItem, Risk
from loom_partitions.window import Window
from loom_partitions.working import Working

SCRATCHPAD_MOST = 16_384  # characters: each renewal writes them again
PAGES = "outputs/"
PLAN_PAGE, LINE_PAGE = f"{PAGES}plan_", f"{PAGES}surface_"


def taken(
    workspace: Workspace,
    read: Callable[[str], str],
    window: Window,
    after: Window,
    dashboard: Dashboard,
    reason: str = RENEWAL,
) -> Snapshot:
    """The snapshot of a window, whose history is that of `after`, the window that goes on."""
    return Taking(workspace, read).of(window, after, dashboard, reason)


def sealed(
    workspace: Workspace,
    read: Callable[[str], str],
    window: Window,
    after: Window,
    dashboard: Dashboard,
    reason: str,
) -> bytes:
    """The bytes of that snapshot."""
    return written(taken(workspace, read, window, after, dashboard, reason))


class Taking:
    """Takes snapshots of one workspace; `read` gives the text of a page, or what stands for it."""

    def __init__(self, workspace: Workspace, read: Callable[[str], str]) -> None:
        self._workspace = workspace
        self._read = read

    def of(self, window: Window, after: Window, dashboard: Dashboard, reason: str) -> Snapshot:
        """See `taken`."""
        working, limits = window.working, window.limits
        made = Snapshot(
            reason=reason,
            generation=window.sent.generation,
            turn=window.sent.turn,
            next_id=window.history.next_id,
            model=window.config.model,
            encoding=window.config.encoding,
            window=limits.window,
            reply=limits.reply,
            dashboard=dashboard,
            goal=self._text(working.goal),
            plan=tuple(self._plan(working)),
            event_surface=EventSurface(tuple(self._events(working)), tuple(self._risks(working))),
            knowledge_surface=KnowledgeSurface(
                tuple(self._questions(working)), tuple(self._evidence(working))
            ),
            scratchpad=self._scratchpad(working),
            decisions=tuple(self._decided(one.id, one.disposition) for one in working.decisions),
            children=working.children,
            errors=working.errors,
            pins=tuple(map(printable, pinned_lines(self._workspace, window))),
            digest=_digest(after),
            standing=tuple(self._standing(after)),
            earlier=folded(self._workspace),
            working=working,
        )
        kept = _indexed(self._workspace, names_in(made))[-PAGES_MOST:]
        return replace(made, pages=kept, others=max(self._workspace.pages - len(kept), 0))

    def _text(self, text: Text | None) -> str:
        return printable(standing(self._workspace, text)) if text is not None else ""

    def _scratchpad(self, working: Working) -> str:
        """The newest of the scratchpad, a line in front naming the pages that hold the others."""
        try:
            return printable(scratchpad_end(self._workspace, working, SCRATCHPAD_MOST))
        except UNREADABLE:
            return working.scratchpad.body or "" if working.scratchpad is not None else ""

    def _whole(self, said: str) -> str:
        """The text behind a line that was too long for its surface, else the line."""
        page = said.rpartition(ARROW)[2]
        if not page.startswith(LINE_PAGE) or page not in self._workspace.pager.table:
            return said
        try:
            text = printable(self._workspace.whole(page))
        except UNREADABLE:
            return said
        ref = ARROW + page  # a line may also only look as if it named its page
        # An earlier Loom cut such a line where its room ended.
        lines = part_of(text, ref), one_line(text, LINE_CHARS - len(ref))
        return text if said.removesuffix(ref) in lines else said

    def _plan(self, working: Working) -> Iterator[PlanItem]:
        """Yield every item of the plan, of a longer one as its page has them."""
        items = working.plan
        page = items[0].text.rpartition(ARROW)[2] if items else ""
        if page.startswith(PLAN_PAGE) and page in self._workspace.pager.table:
            pairs = [one.partition(": ") for one in self._read(page).splitlines()]
            if all(state in STATES for state, _, _ in pairs):
                items = tuple(PlanItem(text, state) for state, _, text in pairs)
        for item in items:
            yield PlanItem(self._whole(item.text), item.state)

    def _events(self, working: Working) -> Iterator[UnsettledEvent]:
        for event in working.events:
            for id in event.ids:
                record = said(self._workspace, "events", id)
                one = record.event if isinstance(record, Signalled) else event
                urgency = event.urgencies_by_id[id]
                yield UnsettledEvent(id, one.kind, self._whole(one.summary), urgency)

    def _risks(self, working: Working) -> Iterator[Risk]:
        for id in working.beyond("risks"):
            one = self._decided(id, "defer")
            yield Risk(id, one.summary, one.urgency, one.disposition)
        for risk in working.risks:
            yield Risk(risk.id, self._whole(risk.summary), risk.urgency, risk.disposition)

    def _decided(self, id: str, disposition: str) -> Decided:
        """The decision on an event as the journal has it."""
        made, record = said(self._workspace, "decisions", id), said(self._workspace, "events", id)
        event = record.event if isinstance(record, Signalled) else None
        if not isinstance(made, Acknowledged):
            return Decided(id, disposition)
        summary = made.summary or (event.summary if event else "")
        urgency = made.urgency or (event.urgency if event else "normal")
        kind = event.kind if event else ""
        return Decided(id, made.disposition, kind, self._whole(summary), urgency)

    def _questions(self, working: Working) -> Iterator[OpenQuestion]:
        for id in working.beyond("questions"):
            record = said(self._workspace, "questions", id)
            yield OpenQuestion(
                id, self._whole(record.text) if isinstance(record, Questioned) else id
            )
        yield from (OpenQuestion(id, self._whole(text)) for id, text in working.questions)

    def _evidence(self, working: Working) -> Iterator[Evidence]:
        beyond = (said(self._workspace, "evidence", id) for id in working.beyond("evidence"))
        packs = [record.evidence for record in beyond if isinstance(record, Evidenced)]
        for pack in (*packs, *working.evidence):
            yield Evidence(
                pack.id,
                self._whole(pack.summary),
                tuple(map(self._whole, pack.citations)),
                pack.confidence,
                tuple(map(self._whole, pack.facts)),
                tuple(map(self._whole, pack.conflicts)),
            )

    def _standing(self, after: Window) -> Iterator[StandingEntry]:
        """Yield the entries that stay beside the digest."""
        kept, earlier = pinned_entries(after.history), carried_entry(self._workspace)
        for entry in after.history.stream.entries:
            if isinstance(entry, Digest) or (earlier is not None and entry.id == earlier.id):
                continue
            text = printable(line(entry, Detail.REDUCED, self._read))
            typed = isinstance(entry, UserTurn) and not heading(entry, "") and not entry.voice
            yield StandingEntry(name_of(entry), text, entry.id in kept, typed)


def _digest(window: Window) -> DigestText | None:
    """The digests that stand, as one."""
    found = [one for one in window.history.stream.entries if isinstance(one, Digest)]
    if not found:
        return None
    return DigestText(
        printable("\n".join(one.text for one in found)),
        found[0].first,
        found[-1].last,
        sum(one.steps for one in found),
        sum(one.users for one in found),
        sum(one.failures for one in found),
        found[-1].page,
    )


def _indexed(workspace: Workspace, stems: Iterable[str]) -> tuple[IndexedPage, ...]:
    """The pages of these names, and the newest of all, in the order of their numbers; none that was
    retired."""
    pager = workspace.pager
    standing = (name for name in pager.newest() if name not in pager.retired)
    newest = (name for name in standing if name.startswith(PAGES))
    found = {ref.name: ref for ref in map(pager.named, stems) if ref is not None}
    found |= {name: pager.table[name] for name in islice(newest, 1)}
    kept = (ref for ref in found.values() if ref.name not in pager.retired)
    pages = (indexed(ref.name, ref.size, ref.sha256) for ref in kept)
    return tuple(sorted((page for page in pages if page is not None), key=_number))


def _number(page: IndexedPage) -> int:
    return int(page.name.partition(".")[0].rpartition("_")[2])
