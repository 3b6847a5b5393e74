"""C_working: the model's decision interface. Never compressed, so it is bounded on the way in.

Every surface has a limit in items; texts arrive bounded (the whole of a long text rests on a page).
A surface that overflows aggregates, and keeps ids, the highest urgency and true counts. The rules
follow the five-partition design: pending events keep their identity until acknowledged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from loom_partitions.config import Opened
from loom_partitions.history import CarriedOn, Returned
from loom_partitions.limits import (
    DECISIONS_MAX,
    ERRORS_WITHIN,
    EVENTS_MAX,
    EVIDENCE_MAX,
    QUESTIONS_MAX,
    RISKS_MAX,
)
from loom_partitions.message import Text
from loom_partitions.scratchpad import Noted, fold_noted
from loom_partitions.surfaces import (
    SETTLED,
    URGENCIES,
    Child,
    Decision,
    Event,
    Evidence,
    HandedOver,
    PlanItem,
    Resulted,
    Risk,
    Spawned,
    aggregate_events,
    needs_interrupt,
    newest_summary,
    without_id,
)


class Working(Struct, frozen=True, omit_defaults=True):
    """The stored state of C_working, without values of the moment (ρ, budget, heartbeat).

    `more` lists pairs (surface, ids): items for which a surface had no room. `errors` are the ids
    of recent steps that failed. The whole text of a long scratchpad is on `pad_pages`, followed by
    `pad_rest`."""

    goal: Text | None = None
    progress: str = ""
    plan: tuple[PlanItem, ...] = ()
    events: tuple[Event, ...] = ()
    risks: tuple[Risk, ...] = ()
    questions: tuple[tuple[str, str], ...] = ()
    evidence: tuple[Evidence, ...] = ()
    scratchpad: Text | None = None
    errors: tuple[int, ...] = ()
    depth: int = 0
    interrupt: bool = False
    outcome: str = ""
    decisions: tuple[Decision, ...] = ()
    more: tuple[tuple[str, tuple[str, ...]], ...] = ()
    children: tuple[Child, ...] = ()
    pad_pages: tuple[str, ...] = ()
    pad_rest: str = ""

    def overflow_ids(self, surface: str) -> tuple[str, ...]:
        """Return the ids of the items that `surface` has no room for, oldest first."""
        return dict(self.more).get(surface, ())


class Tasked(Struct, frozen=True, tag="Tasked"):
    """The goal was set or changed; `goal` is the new goal."""

    goal: Text


class Planned(Struct, frozen=True, tag="Planned"):
    """The plan changed and has `size` items now. `items` lists a pair (index, item) for each
    changed or new item."""

    size: int
    items: tuple[tuple[int, PlanItem], ...]


class Progressed(Struct, frozen=True, tag="Progressed"):
    """The model said in `text` how far it has come towards the goal."""

    text: str


class Questioned(Struct, frozen=True, tag="Questioned"):
    """The question `id` was asked. An empty `text` means that it was answered."""

    id: str
    text: str


class Evidenced(Struct, frozen=True, tag="Evidenced"):
    """Evidence on a question was added to C_working."""

    evidence: Evidence


class Signalled(Struct, frozen=True, tag="Signalled"):
    """An event was detected and added to the pending events in C_working."""

    event: Event


class Acknowledged(Struct, frozen=True, tag="Acknowledged"):
    """The model decided what to do about the event `id`; `disposition` is its decision. `summary`
    and `urgency` are the event's, "" when they are not known."""

    id: str
    disposition: str
    summary: str = ""
    urgency: str = ""


class Finished(Struct, frozen=True, tag="Finished"):
    """The task ended with `outcome`. C_working is cleared; `snapshot` names the page that keeps it.
    `beat` is the last time before the snapshot, in seconds since 1970, at which the engine looked
    for outside changes."""

    outcome: str
    snapshot: str
    beat: float = 0.0


def add_event(working: Working, event: Event) -> Working:
    """Return C_working with an event added, unless all its ids are known."""
    if any(set(event.ids) <= set(known.ids) for known in working.events):
        return working
    events = (*working.events, event)
    if len(events) > EVENTS_MAX:
        events = aggregate_events(events)
    return replace(working, events=events, interrupt=needs_interrupt(events))


def _fold_acknowledged(working: Working, record: Acknowledged) -> Working:
    """Return C_working without the acknowledged event. The event becomes a risk, unless its
    disposition settles it ("ignore", "resolved", "archived")."""
    id, disposition = record.id, record.disposition
    known = next((risk for risk in working.risks if risk.id == id), None)
    found = next((event for event in working.events if id in event.ids), None)
    stranger = found is None and known is None
    if stranger and id not in working.overflow_ids("risks"):
        return working
    settled = disposition in SETTLED
    if not stranger or settled:  # else it only comes back onto its surface
        decided = (*(d for d in working.decisions if d.id != id), Decision(id, disposition))
        working = replace(working, decisions=decided[-DECISIONS_MAX:])
    if found is not None:
        events = (without_id(one, id) if one is found else one for one in working.events)
        left = tuple(one for one in events if one is not None)
        working = replace(working, events=left, interrupt=needs_interrupt(left))
    others = tuple(risk for risk in working.risks if risk.id != id)
    if found is None and known is not None and not settled:
        changed = replace(known, disposition=disposition)
        return replace(working, risks=(*others, changed))
    working = _with_overflow_id(replace(working, risks=others), "risks", id, more=False)
    if settled:
        return working
    if found is None:
        back = Risk(id, record.summary, record.urgency or "normal", disposition)
        return replace(working, risks=(*others, back)[-RISKS_MAX:])
    # A joined event keeps no summary for each id, so the record has it.
    own = record.urgency or found.urgencies_by_id[id]
    risks = (*others, Risk(id, record.summary or newest_summary(found.summary), own, disposition))
    if len(risks) <= RISKS_MAX:
        return replace(working, risks=risks)
    weakest = min(risks, key=lambda one: URGENCIES.index(one.urgency))
    working = replace(working, risks=tuple(one for one in risks if one is not weakest))
    return _with_overflow_id(working, "risks", weakest.id, more=True)


def _fold_questioned(working: Working, record: Questioned) -> Working:
    """Return C_working with a question added or, if answered, removed."""
    others = tuple(pair for pair in working.questions if pair[0] != record.id)
    working = _with_overflow_id(
        replace(working, questions=others), "questions", record.id, more=False
    )
    if not record.text:
        return working
    asked = (*others, (record.id, record.text))
    if len(asked) > QUESTIONS_MAX:
        working = _with_overflow_id(working, "questions", asked[0][0], more=True)
    return replace(working, questions=asked[-QUESTIONS_MAX:])


def _fold_evidenced(working: Working, record: Evidenced) -> Working:
    """Return C_working with new evidence."""
    evidence = record.evidence
    packs = (*(known for known in working.evidence if known.id != evidence.id), evidence)
    working = _with_overflow_id(working, "evidence", evidence.id, more=False)
    if len(packs) > EVIDENCE_MAX:
        weakest = min(packs, key=lambda pack: pack.confidence)
        packs = tuple(pack for pack in packs if pack is not weakest)
        working = _with_overflow_id(working, "evidence", weakest.id, more=True)
    return replace(working, evidence=packs)


def _with_overflow_id(working: Working, surface: str, id: str, *, more: bool) -> Working:
    """Return C_working with `id` added to the ids that a surface has no room for, or removed from
    these ids with `more=False`."""
    known = working.overflow_ids(surface)
    if not more and id not in known:
        return working
    ids = (*known, id) if more else tuple(other for other in known if other != id)
    others = tuple(pair for pair in working.more if pair[0] != surface)
    return replace(working, more=(*others, (surface, ids)) if ids else others)


def _fold_planned(working: Working, record: Planned) -> Working:
    items = dict(enumerate(working.plan)) | dict(record.items)
    plan = tuple(items[at] for at in sorted(items) if 0 <= at < record.size)
    return replace(working, plan=plan)


def _fold_noted(working: Working, record: Noted) -> Working:
    pad, pages, rest = fold_noted(working.scratchpad, working.pad_pages, working.pad_rest, record)
    return replace(working, scratchpad=pad, pad_pages=pages, pad_rest=rest)


def _fold_resulted(working: Working, record: Resulted) -> Working:
    state = {"status": record.status, "left": record.left}
    children = (replace(o, **state) if o.name == record.child else o for o in working.children)
    return replace(working, children=tuple(children))


def _fold_returned(working: Working, record: Returned) -> Working:
    """Return C_working with the step's id added to `errors` if its result is an error."""
    if not record.outcome.error or record.outcome.stand_in:
        return working
    recent = (id for id in (*working.errors, record.step) if id > record.step - ERRORS_WITHIN)
    return replace(working, errors=tuple(recent))


CASES: dict[type, Callable[[Working, Any], Working]] = {
    Opened: lambda working, record: replace(working, depth=record.depth),
    CarriedOn: lambda working, record: replace(working, errors=record.errors),
    Tasked: lambda working, record: replace(working, goal=record.goal),
    Planned: _fold_planned,
    Progressed: lambda working, record: replace(working, progress=record.text),
    Noted: _fold_noted,
    Questioned: _fold_questioned,
    Evidenced: _fold_evidenced,
    Acknowledged: _fold_acknowledged,
    Returned: _fold_returned,
    # All is cleared, but for agents at work: their results are still to be joined.
    Finished: lambda working, record: Working(
        working.goal, depth=working.depth, outcome=record.outcome, children=working.children
    ),
    Spawned: lambda working, record: replace(
        working, children=(*working.children, Child(record.child, record.goal))
    ),
    Resulted: _fold_resulted,
    HandedOver: lambda working, record: replace(
        working, children=tuple(one for one in working.children if one.name != record.child)
    ),
}
