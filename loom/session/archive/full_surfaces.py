"""The surfaces of C_working (goal, events, plan …) in full: the window shows only the items that
found room, and the journal has the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from loom.lazy import lazy_re
from loom.reduce.preview import marker_words, tail_lines
from loom.session.archive.journal_index import record_item
from loom.session.archive.page_reader import full_text
from loom.session.archive.snapshot_document import EventDecision, OpenQuestion, UnsettledEvent
from loom.session.archive.workspace import Workspace
from loom.text import utf8_size
from loom_partitions.records import Acknowledged, Evidenced, Questioned, Record, Signalled
from loom_partitions.scratchpad import scratchpad_pages
from loom_partitions.shelf import PINNED
from loom_partitions.surfaces import Event, Evidence, Risk
from loom_partitions.window import Window
from loom_partitions.working import Working

BULLET = "- "  # before a pinned line
NAME = lazy_re(r"^working/(?P<surface>[a-z]+)(?:\.md)?$")


def surface_name(ref: str) -> str | None:
    """Return the surface of C_working that a name means, None for any other name:
    `working/events.md` → "events"."""
    match = NAME.match(ref.strip())
    return match["surface"] if match and match["surface"] in SURFACES else None


def last_item_record(workspace: Workspace, surface: str, id: str) -> Record | None:
    """Return the last record that put the item `id` on a surface; None if no record did."""
    number = workspace.index.items.get((surface, id))
    if number is None:
        return None
    for record in reversed(workspace.records(number)):
        if record_item(record) == (surface, id):
            return record
    return None


def surface_text(workspace: Workspace, surface: str, working: Working) -> str:
    """Return every item of a surface as text; `(name: nothing)` for an empty surface."""
    lines = list(SURFACES[surface](workspace, working))
    return "\n".join(lines) or f"({surface}: nothing)"


def scratchpad_text(workspace: Workspace, working: Working) -> str:
    """Return the whole scratchpad, the notes that are on no page last. Raises the errors of
    `Workspace.whole`."""
    pages = scratchpad_pages(working.scratchpad, working.pad_pages)
    if not pages:
        return working.scratchpad.body or "" if working.scratchpad is not None else ""
    return "".join(map(workspace.whole, pages)) + working.pad_rest


def scratchpad_end(workspace: Workspace, working: Working, most: int) -> str:
    """Return the end of the scratchpad, at most `most` characters. If something is left out, a
    first line says how much and names the scratchpad's pages. Raises the errors of
    `Workspace.whole`."""
    pad = working.scratchpad
    pages = scratchpad_pages(pad, working.pad_pages)
    if pad is None or not pages:
        return scratchpad_text(workspace, working)
    end, left = working.pad_rest, list(pages)
    while left and len(end) <= most:
        end = workspace.whole(left.pop()) + end
    if len(end) <= most:
        return end
    end = tail_lines(end, most)
    where = f"{pages[0]} to {pages[-1]}" if len(pages) > 1 else pages[0]
    return f"{marker_words(pad.size - utf8_size(end), pad.size, where)}\n{end}"


def pinned_lines(workspace: Workspace, window: Window) -> list[str]:
    """Return the lines that a host pinned, in order, without their bullets."""
    text = window.memory.get(PINNED)
    held = full_text(workspace, text) if text is not None else ""
    return [line.removeprefix(BULLET) for line in held.splitlines()]


def pending_events(workspace: Workspace, working: Working) -> Iterator[tuple[UnsettledEvent, int]]:
    """Yield (event, number of the last request before the event came in) for each pending event."""
    for event in working.events:
        for id, urgency in event.urgencies_by_id.items():
            record = last_item_record(workspace, "events", id)
            one = record.event if isinstance(record, Signalled) else event
            yield UnsettledEvent(id, one.kind, one.summary, urgency), event.at


def event_decision(workspace: Workspace, id: str, disposition: str) -> EventDecision:
    """Return the decision on the event `id` from the journal. If the journal has none, return a
    decision with only the id and the given `disposition`."""
    made, record = (
        last_item_record(workspace, "decisions", id),
        last_item_record(workspace, "events", id),
    )
    event = record.event if isinstance(record, Signalled) else Event((id,), "", "")
    if not isinstance(made, Acknowledged):
        return EventDecision(id, disposition)
    summary, urgency = made.summary or event.summary, made.urgency or event.urgency
    return EventDecision(id, made.disposition, event.kind, summary, urgency)


def active_risks(workspace: Workspace, working: Working) -> Iterator[Risk]:
    """Yield the active risks. Risks that the window has no room for come first."""
    for id in working.overflow_ids("risks"):
        one = event_decision(workspace, id, "defer")
        yield Risk(id, one.summary, one.urgency, one.disposition)
    yield from working.risks


def open_questions(workspace: Workspace, working: Working) -> Iterator[OpenQuestion]:
    """Yield the open questions. Questions that the window has no room for come first."""
    for id in working.overflow_ids("questions"):
        record = last_item_record(workspace, "questions", id)
        yield OpenQuestion(id, record.text if isinstance(record, Questioned) else id)
    yield from (OpenQuestion(id, text) for id, text in working.questions)


def evidence_packs(workspace: Workspace, working: Working) -> Iterator[Evidence]:
    """Yield the evidence packs. Packs that the window has no room for come first."""
    beyond = (
        last_item_record(workspace, "evidence", id) for id in working.overflow_ids("evidence")
    )
    yield from (record.evidence for record in beyond if isinstance(record, Evidenced))
    yield from working.evidence


def _event_lines(workspace: Workspace, working: Working) -> Iterator[str]:
    """Yield a line for each pending event. The line says "projected" if a request was made after
    the event came in, else "detected"."""
    for one, at in pending_events(workspace, working):
        state = "projected" if workspace.window.sent.turn > at else "detected"
        yield f"{one.id} ({one.urgency}, {state}) {one.kind}: {one.summary}"


def _evidence_lines(workspace: Workspace, working: Working) -> Iterator[str]:
    """Yield the lines of each evidence pack: summary, facts, conflicts, citations."""
    for pack in evidence_packs(workspace, working):
        yield f"{pack.id} ({pack.confidence:.2f}): {pack.summary}"
        yield from (f"  fact: {fact}" for fact in pack.facts)
        yield from (f"  conflict: {conflict}" for conflict in pack.conflicts)
        yield from (f"  cited: {citation}" for citation in pack.citations)


def _decision_lines(workspace: Workspace, working: Working) -> Iterator[str]:
    """Yield a line for every decision ever made, the newest last."""
    numbers = {
        id: at for (surface, id), at in workspace.index.items.items() if surface == "decisions"
    }
    for id in sorted(numbers, key=lambda id: numbers[id]):
        made = last_item_record(workspace, "decisions", id)
        if isinstance(made, Acknowledged):
            yield f"{id}: {made.disposition}" + (f" ({made.summary})" if made.summary else "")


SURFACES: dict[str, Callable[[Workspace, Working], Iterable[str]]] = {
    "goal": lambda at, working: [full_text(at, working.goal)] if working.goal is not None else [],
    "events": _event_lines,
    "risks": lambda at, working: (
        f"{one.id} ({one.urgency}, {one.disposition}): {one.summary}"
        for one in active_risks(at, working)
    ),
    "decisions": _decision_lines,
    "questions": lambda at, working: (
        f"{one.id}: {one.text}" for one in open_questions(at, working)
    ),
    "evidence": _evidence_lines,
    "plan": lambda at, working: (f"{item.state}: {item.text}" for item in working.plan),
    "scratchpad": lambda at, working: (
        [scratchpad_text(at, working)] if working.scratchpad is not None else []
    ),
}
