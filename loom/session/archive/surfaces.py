"""The surfaces of C_working in full: also what found no room on them, from the journal."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from loom.lazy import lazy_re
from loom.reduce.preview import last_lines, marker
from loom.session.archive.index import item_of
from loom.session.archive.reading import whole
from loom.session.archive.workspace import Workspace
from loom.text import size_of
from loom_partitions.records import Acknowledged, Evidenced, Questioned, Record, Signalled
from loom_partitions.scratchpad import pages_of
from loom_partitions.shelf import PINNED
from loom_partitions.window import Window
from loom_partitions.working import Working

BULLET = "- "  # before a pinned line
NAME = lazy_re(r"^working/(?P<surface>[a-z]+)(?:\.md)?$")


def surface_of(ref: str) -> str | None:
    """The surface a name means ("events" in `working/events.md`); None for any other name."""
    match = NAME.match(ref.strip())
    return match["surface"] if match and match["surface"] in SURFACES else None


def said(workspace: Workspace, surface: str, id: str) -> Record | None:
    """The record that put an item on a surface last, None when there is none."""
    number = workspace.index.items.get((surface, id))
    if number is None:
        return None
    for record in reversed(workspace.records(number)):
        if item_of(record) == (surface, id):
            return record
    return None


def surface_text(workspace: Workspace, surface: str, working: Working) -> str:
    """Every item of a surface, a line each, those that found no room first."""
    lines = list(SURFACES[surface](workspace, working))
    return "\n".join(lines) or f"({surface}: nothing)"


def scratchpad_text(workspace: Workspace, working: Working) -> str:
    """The whole scratchpad, from its pages in their order and what none of them holds yet.

    Raises what reading a page raises.
    """
    pages = pages_of(working.scratchpad, working.pad_pages)
    if not pages:
        return working.scratchpad.body or "" if working.scratchpad is not None else ""
    return "".join(map(workspace.whole, pages)) + working.pad_rest


def scratchpad_end(workspace: Workspace, working: Working, most: int) -> str:
    """The scratchpad's newest `most` characters, from no more pages than hold them.

    Of a longer one a line in front says what stands before, and where. Raises what reading a page
    raises.
    """
    pad = working.scratchpad
    pages = pages_of(pad, working.pad_pages)
    if pad is None or not pages:
        return scratchpad_text(workspace, working)
    end, left = working.pad_rest, list(pages)
    while left and len(end) <= most:
        end = workspace.whole(left.pop()) + end
    if len(end) <= most:
        return end
    end = last_lines(end, most)
    where = f"{pages[0]} to {pages[-1]}" if len(pages) > 1 else pages[0]
    return f"{marker(pad.size - size_of(end), pad.size, where)}\n{end}"


def pinned_lines(workspace: Workspace, window: Window) -> list[str]:
    """The lines a host pinned, in their order."""
    text = window.memory.get(PINNED)
    held = whole(workspace, text) if text is not None else ""
    return [line.removeprefix(BULLET) for line in held.splitlines()]


def _events(workspace: Workspace, working: Working) -> Iterator[str]:
    for event in working.events:
        for id in event.ids:
            record = said(workspace, "events", id)
            one = record.event if isinstance(record, Signalled) else event
            state = "projected" if workspace.window.sent.turn > event.at else "detected"
            yield f"{id} ({one.urgency}, {state}) {one.kind}: {one.summary}"


def _risks(workspace: Workspace, working: Working) -> Iterator[str]:
    for id in working.beyond("risks"):
        made = said(workspace, "decisions", id)
        if isinstance(made, Acknowledged):
            yield f"{id} ({made.urgency or 'normal'}, {made.disposition}): {made.summary}"
        else:
            yield id
    for risk in working.risks:
        yield f"{risk.id} ({risk.urgency}, {risk.disposition}): {risk.summary}"


def _questions(workspace: Workspace, working: Working) -> Iterator[str]:
    for id in working.beyond("questions"):
        record = said(workspace, "questions", id)
        yield f"{id}: {record.text}" if isinstance(record, Questioned) else id
    yield from (f"{id}: {text}" for id, text in working.questions)


def _evidence(workspace: Workspace, working: Working) -> Iterator[str]:
    beyond = (said(workspace, "evidence", id) for id in working.beyond("evidence"))
    packs = [record.evidence for record in beyond if isinstance(record, Evidenced)]
    for pack in (*packs, *working.evidence):
        yield f"{pack.id} ({pack.confidence:.2f}): {pack.summary}"
        yield from (f"  fact: {fact}" for fact in pack.facts)
        yield from (f"  conflict: {conflict}" for conflict in pack.conflicts)
        yield from (f"  cited: {citation}" for citation in pack.citations)


def _decisions(workspace: Workspace, working: Working) -> Iterator[str]:
    """Every decision, the newest last; the window holds the last few."""
    numbers = {
        id: at for (surface, id), at in workspace.index.items.items() if surface == "decisions"
    }
    for id in sorted(numbers, key=lambda id: numbers[id]):
        made = said(workspace, "decisions", id)
        if isinstance(made, Acknowledged):
            yield f"{id}: {made.disposition}" + (f" ({made.summary})" if made.summary else "")


def _plan(workspace: Workspace, working: Working) -> Iterator[str]:
    return (f"{item.state}: {item.text}" for item in working.plan)


def _scratchpad(workspace: Workspace, working: Working) -> Iterator[str]:
    if working.scratchpad is not None:
        yield scratchpad_text(workspace, working)


def _goal(workspace: Workspace, working: Working) -> Iterator[str]:
    goal = working.goal
    if goal is not None:
        yield workspace.whole(goal.page) if goal.page else goal.body or ""


SURFACES: dict[str, Callable[[Workspace, Working], Iterator[str]]] = {
    "goal": _goal,
    "events": _events,
    "risks": _risks,
    "decisions": _decisions,
    "questions": _questions,
    "evidence": _evidence,
    "plan": _plan,
    "scratchpad": _scratchpad,
}
