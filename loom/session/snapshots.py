"""Snapshots taken: C_working with its texts whole (of the scratchpad the end), and the rest of the
session's state.

Everything comes from the journal and its pages. Only the time of the last heartbeat is read off a
clock; it is stored in the record that names the snapshot."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice

from msgspec import json
from msgspec.structs import replace

from loom.compress.entry_line import entry_line
from loom.providers.render.dashboard import Dashboard
from loom.providers.render.quotes import turn_heading
from loom.providers.render.wording import ARROW
from loom.session.archive import full_surfaces
from loom.session.archive.page_reader import UNREADABLE, readable_text
from loom.session.archive.page_reader import full_text as whole_text
from loom.session.archive.snapshot_document import (
    NAME,
    PAGES_MOST,
    RENEWAL,
    STATES,
    DigestText,
    EventSurface,
    IndexedPage,
    KnowledgeSurface,
    Snapshot,
    StandingEntry,
    indexed_page,
)
from loom.session.archive.workspace import Workspace
from loom.session.working_edits import LINE_CHARS, line_start
from loom.text import encodable, one_line
from loom_paging import check_disk
from loom_partitions.history import pinned_entries
from loom_partitions.message import Detail, Digest, UserTurn, name_of
from loom_partitions.records import Heard
from loom_partitions.surfaces import Evidence, PlanItem
from loom_partitions.window import Window
from loom_partitions.working import Working

EARLIER_CHARS = 12_000  # of what all sessions before the last left: some 3,000 tokens
WHOLE = "All it left, C_working and an index of the pages it names: "
BEFORE = "Of the sessions before that one, the newest first:"
REST = "(all it left: {page})"
LEFT_OUT = "({count} more lines: see what all of it is in)"
SCRATCHPAD_MOST = 16_384  # characters: each renewal writes them again
PAGES = "outputs/"
_KIND = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")
PLAN_PAGE, LINE_PAGE = f"{PAGES}plan_", f"{PAGES}surface_"


def take_snapshot(
    workspace: Workspace,
    read: Callable[[str], str],
    window: Window,
    after: Window,
    dashboard: Dashboard,
    reason: str = RENEWAL,
) -> Snapshot:
    """Return a snapshot with the state of `window` and the history of `after`, the window after a
    renewal or `window` itself. `read` takes a page's name and returns the page's text or a stand-in
    line."""
    working, limits = window.working, window.limits
    whole = partial(_whole_line, workspace)
    pending, active = (
        full_surfaces.pending_events(workspace, working),
        full_surfaces.active_risks(workspace, working),
    )
    events = [replace(one, summary=whole(one.summary)) for one, _ in pending]
    risks = [replace(one, summary=whole(one.summary)) for one in active]
    asked = [
        replace(one, text=whole(one.text))
        for one in full_surfaces.open_questions(workspace, working)
    ]
    known = [_whole_pack(one, whole) for one in full_surfaces.evidence_packs(workspace, working)]
    settled = [
        full_surfaces.event_decision(workspace, one.id, one.disposition)
        for one in working.decisions
    ]
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
        goal=encodable(readable_text(workspace, working.goal)) if working.goal is not None else "",
        plan=tuple(
            PlanItem(whole(item.text), item.state) for item in _whole_plan(workspace, read, working)
        ),
        event_surface=EventSurface(tuple(events), tuple(risks)),
        knowledge_surface=KnowledgeSurface(tuple(asked), tuple(known)),
        scratchpad=_scratchpad_text(workspace, working),
        decisions=tuple(replace(one, summary=whole(one.summary)) for one in settled),
        children=working.children,
        errors=working.errors,
        pins=tuple(map(encodable, full_surfaces.pinned_lines(workspace, window))),
        digest=_digest_text(after),
        standing=tuple(_standing_entries(workspace, read, after)),
        earlier=earlier_sessions_text(workspace),
        working=working,
    )
    kept = _indexed_pages(workspace, _page_names_in(made))[-PAGES_MOST:]
    return replace(made, pages=kept, others=max(workspace.pages - len(kept), 0))


def _scratchpad_text(workspace: Workspace, working: Working) -> str:
    """Return the end of the scratchpad, after a line that names the pages of what is left out."""
    try:
        return encodable(full_surfaces.scratchpad_end(workspace, working, SCRATCHPAD_MOST))
    except UNREADABLE:
        return working.scratchpad.body or "" if working.scratchpad is not None else ""


def _whole_line(workspace: Workspace, said: str) -> str:
    """Return the full text of a line that C_working shows shortened, any other line unchanged."""
    page = said.rpartition(ARROW)[2]
    if not page.startswith(LINE_PAGE) or page not in workspace.pager.table:
        return said
    try:
        text = encodable(workspace.whole(page))
    except UNREADABLE:
        return said
    ref = ARROW + page  # a line may also only look as if it named its page
    # An earlier Loom cut such a line where its room ended.
    lines = line_start(text, ref), one_line(text, LINE_CHARS - len(ref))
    return text if said.removesuffix(ref) in lines else said


def _whole_plan(
    workspace: Workspace, read: Callable[[str], str], working: Working
) -> tuple[PlanItem, ...]:
    """Return every item of the plan, if need be from the plan's page."""
    items = working.plan
    page = items[0].text.rpartition(ARROW)[2] if items else ""
    if page.startswith(PLAN_PAGE) and page in workspace.pager.table:
        pairs = [one.partition(": ") for one in read(page).splitlines()]
        if all(state in STATES for state, _, _ in pairs):
            return tuple(PlanItem(text, state) for state, _, text in pairs)
    return items


def _whole_pack(pack: Evidence, whole: Callable[[str], str]) -> Evidence:
    """Return an evidence pack in full. `whole` takes a shortened line and returns the full text."""
    citations, facts, conflicts = (
        tuple(map(whole, texts)) for texts in (pack.citations, pack.facts, pack.conflicts)
    )
    return Evidence(pack.id, whole(pack.summary), citations, pack.confidence, facts, conflicts)


def _standing_entries(
    workspace: Workspace, read: Callable[[str], str], after: Window
) -> Iterator[StandingEntry]:
    """Yield the window's entries that no digest stands for, each described in one line."""
    kept, earlier = pinned_entries(after.history), earlier_session_entry(workspace)
    for entry in after.history.stream.entries:
        if isinstance(entry, Digest) or (earlier is not None and entry.id == earlier.id):
            continue
        text = encodable(entry_line(entry, Detail.REDUCED, read))
        typed = isinstance(entry, UserTurn) and not turn_heading(entry, "") and not entry.voice
        yield StandingEntry(name_of(entry), text, entry.id in kept, typed)


def _digest_text(window: Window) -> DigestText | None:
    """Return all digests of a window joined into one; None where there are none."""
    found = [one for one in window.history.stream.entries if isinstance(one, Digest)]
    if not found:
        return None
    return DigestText(
        encodable("\n".join(one.text for one in found)),
        found[0].first,
        found[-1].last,
        sum(one.steps for one in found),
        sum(one.users for one in found),
        sum(one.failures for one in found),
        found[-1].page,
    )


def _page_names_in(snapshot: Snapshot) -> frozenset[str]:
    """Return the words in a snapshot's texts that look like names of pages (`read_0007`)."""
    said = json.encode(replace(snapshot, pages=())).decode()
    return frozenset(_page_names(re.sub(r"\\.", " ", said)))  # "\n" is no letter of a name


def _page_names(text: str) -> Iterator[str]:
    """Yield the words in a text that look like names of pages (`read_0007`), in order."""
    end = 0
    while found := NAME.search(text, end):
        start = found.start()
        # This is faster than a pattern for the whole name, which would start again at every letter
        # of a long word.
        while start > end and text[start - 1] in _KIND:
            start -= 1
        end = found.end()
        yield text[start:end]


def _indexed_pages(workspace: Workspace, stems: Iterable[str]) -> tuple[IndexedPage, ...]:
    """Return the pages with these names, and the newest page, sorted by number, without retired
    pages."""
    pager = workspace.pager
    standing = (name for name in pager.newest() if name not in pager.retired)
    newest = (name for name in standing if name.startswith(PAGES))
    found = {ref.name: ref for ref in map(pager.named, stems) if ref is not None}
    found |= {name: pager.table[name] for name in islice(newest, 1)}
    kept = (ref for ref in found.values() if ref.name not in pager.retired)
    pages = (indexed_page(ref.name, ref.size, ref.sha256) for ref in kept)
    return tuple(sorted((page for page in pages if page is not None), key=_page_number))


def _page_number(page: IndexedPage) -> int:
    """Return the number in a page's name: `outputs/read_0007.txt` → 7."""
    return int(page.name.partition(".")[0].rpartition("_")[2])


def earlier_session_entry(workspace: Workspace) -> UserTurn | None:
    """Return the entry that tells what an earlier session left; None without an earlier session."""
    first = next(iter(workspace.index.commits), 0)
    if first <= 1:
        return None  # entries of one that carries on follow on those before
    turns = (record.turn for record in workspace.about(first) if isinstance(record, Heard))
    return next((turn for turn in turns if turn.voice == "observation"), None)


def earlier_sessions_text(workspace: Workspace) -> str:
    """Return what the earlier sessions left, as text for this session's snapshot, "" without
    earlier sessions. Of a long text, lines that name a page are kept before others."""
    turn = earlier_session_entry(workspace)
    if turn is None:
        return ""
    try:
        text = encodable(whole_text(workspace, turn.text))
    except UNREADABLE as error:
        check_disk(error)
        return ""
    page, _, body = text.partition(WHOLE)[2].partition("\n")
    inner = body.removeprefix(BEFORE + "\n")
    if inner != body or not body:
        return inner  # nothing came in between
    return _bounded_lines([REST.format(page=page), *body.splitlines()])


def _bounded_lines(lines: list[str]) -> str:
    """Return the lines that fit in EARLIER_CHARS characters, joined. Lines that name pages get room
    first."""
    room = EARLIER_CHARS - len(LEFT_OUT) - len(str(len(lines)))
    kept = set()
    for at in sorted(range(len(lines)), key=lambda at: (not NAME.search(lines[at]), at)):
        if len(lines[at]) < room:
            room -= len(lines[at]) + 1
            kept.add(at)
    more = len(lines) - len(kept)
    shown = [line for at, line in enumerate(lines) if at in kept]
    return "\n".join([*shown, *([LEFT_OUT.format(count=more)] if more else [])])
