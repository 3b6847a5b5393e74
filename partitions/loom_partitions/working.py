"""C_working: the model's decision interface. Never compressed, so bounded on the way in.

Every surface has a limit in items; texts arrive bounded (the whole of a long one rests on a
page). A surface that overflows aggregates, keeping ids, the highest urgency and true counts.
Rules after the five-partition design: pending events keep their identity until acknowledged.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from loom_partitions import children
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
from loom_partitions.scratchpad import Appended, Noted, appended
from loom_partitions.surfaces import (
    SETTLED,
    URGENCIES,
    Child,
    Decision,
    Event,
    Evidence,
    PlanItem,
    Risk,
    aggregated,
    latest,
    pressing,
    replanned,
    without,
)


class Working(Struct, frozen=True, omit_defaults=True):
    """The stored state of C_working. Live values (ρ, budget, heartbeat) are derived at render.

    `more` holds, by surface, the ids that found no room: (surface, ids). Their texts are in the
    journal. `pad_pages`, and then `pad_rest`, are the whole of a scratchpad too long to show.
    """

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

    def beyond(self, surface: str) -> tuple[str, ...]:
        """Ids of a surface that found no room on it, oldest first."""
        return dict(self.more).get(surface, ())


class Tasked(Struct, frozen=True, tag="Tasked"):
    """The goal was set or changed."""

    goal: Text


class Planned(Struct, frozen=True, tag="Planned"):
    """The plan was written."""

    items: tuple[PlanItem, ...]


class Replanned(Struct, frozen=True, tag="Replanned"):
    """The plan has `size` items now; those at these places changed, or are new."""

    size: int
    items: tuple[tuple[int, PlanItem], ...]


class Progressed(Struct, frozen=True, tag="Progressed"):
    """The model assessed its progress towards the goal."""

    text: str


class Questioned(Struct, frozen=True, tag="Questioned"):
    """A question was opened, or answered (`text` empty)."""

    id: str
    text: str


class Evidenced(Struct, frozen=True, tag="Evidenced"):
    """An evidence pack was put on the knowledge surface."""

    evidence: Evidence


class Signalled(Struct, frozen=True, tag="Signalled"):
    """An event was detected and projected into C_working."""

    event: Event


class Acknowledged(Struct, frozen=True, tag="Acknowledged"):
    """An event got its disposition; `summary` and `urgency` are its own, "" when not known."""

    id: str
    disposition: str
    summary: str = ""
    urgency: str = ""


class Finished(Struct, frozen=True, tag="Finished"):
    """The task ended; C_working is cleared, its snapshot kept.

    `beat` is when the world was last looked at, in seconds since the epoch, as the snapshot says.
    """

    outcome: str
    snapshot: str
    beat: float = 0.0


def signalled(working: Working, event: Event) -> Working:
    """Project an event: one entry an id; beyond the limit the largest kind aggregates."""
    if any(set(event.ids) <= set(known.ids) for known in working.events):
        return working
    events = (*working.events, event)
    if len(events) > EVENTS_MAX:
        events = aggregated(events)
    return replace(working, events=events, interrupt=pressing(events))


def acknowledged(
    working: Working, id: str, disposition: str, summary: str = "", urgency: str = ""
) -> Working:
    """Take one id out of pending, even inside an aggregate; what is not settled becomes a risk.

    A risk whose id is acknowledged again with a settling disposition is one no longer. `summary`
    and `urgency` are the event's own, where an aggregate knows only those of all together.
    """
    known = [risk for risk in working.risks if risk.id == id]
    found = next((event for event in working.events if id in event.ids), None)
    if found is None and not known and id not in working.beyond("risks"):
        return working
    if found is None and not known and disposition not in SETTLED:
        back = Risk(id, summary, urgency or "normal", disposition)
        working = _less(working, "risks", id)
        return replace(working, risks=(*working.risks, back)[-RISKS_MAX:])
    decided = (*(d for d in working.decisions if d.id != id), Decision(id, disposition))
    working = replace(working, decisions=decided[-DECISIONS_MAX:])
    if found is not None:
        events = tuple(
            left
            for event in working.events
            if (left := without(event, id) if event is found else event) is not None
        )
        working = replace(working, events=events, interrupt=pressing(events))
    if disposition in SETTLED:
        risks = tuple(risk for risk in working.risks if risk.id != id)
        return _less(replace(working, risks=risks), "risks", id)
    if found is None:
        changed = (replace(risk, disposition=disposition) for risk in known)
        kept = tuple(risk for risk in working.risks if risk.id != id)
        return replace(working, risks=(*kept, *changed))
    own = urgency or found.urgencies_by_id[id]
    risk = Risk(id, summary or latest(found.summary), own, disposition)
    risks = (*(one for one in working.risks if one.id != id), risk)
    working = _less(working, "risks", id)
    if len(risks) <= RISKS_MAX:
        return replace(working, risks=risks)
    weakest = min(risks, key=lambda one: URGENCIES.index(one.urgency))
    working = replace(working, risks=tuple(one for one in risks if one is not weakest))
    return _more(working, "risks", weakest.id)


def questioned(working: Working, id: str, text: str) -> Working:
    """Open a question, or close it when `text` is empty; of too many the oldest keeps its id."""
    others = tuple(pair for pair in working.questions if pair[0] != id)
    working = _less(replace(working, questions=others), "questions", id)
    if not text:
        return working
    asked = (*others, (id, text))
    if len(asked) > QUESTIONS_MAX:
        working = _more(working, "questions", asked[0][0])
    return replace(working, questions=asked[-QUESTIONS_MAX:])


def evidenced(working: Working, evidence: Evidence) -> Working:
    """Add an evidence pack; beyond the limit the least confident keeps its id alone."""
    packs = (*(known for known in working.evidence if known.id != evidence.id), evidence)
    working = _less(working, "evidence", evidence.id)
    if len(packs) > EVIDENCE_MAX:
        weakest = min(packs, key=lambda pack: pack.confidence)
        packs = tuple(pack for pack in packs if pack is not weakest)
        working = _more(working, "evidence", weakest.id)
    return replace(working, evidence=packs)


def _more(working: Working, surface: str, id: str) -> Working:
    ids = (*working.beyond(surface), id)
    others = tuple(pair for pair in working.more if pair[0] != surface)
    return replace(working, more=(*others, (surface, ids)))


def _less(working: Working, surface: str, id: str) -> Working:
    ids = working.beyond(surface)
    if id not in ids:
        return working
    left = tuple(other for other in ids if other != id)
    others = tuple(pair for pair in working.more if pair[0] != surface)
    return replace(working, more=(*others, (surface, left)) if left else others)


def failed(working: Working, step: int) -> Working:
    """Remember that a step failed, as long as it is recent."""
    errors = (*working.errors, step)
    return replace(working, errors=tuple(id for id in errors if id > step - ERRORS_WITHIN))


def _noted(working: Working, record: Noted) -> Working:
    pad = record.text if record.text.size else None
    return replace(working, scratchpad=pad, pad_pages=(), pad_rest="")


def _appended(working: Working, record: Appended) -> Working:
    pad, pages, rest = appended(working.scratchpad, working.pad_pages, working.pad_rest, record)
    return replace(working, scratchpad=pad, pad_pages=pages, pad_rest=rest)


def _returned(working: Working, record: Returned) -> Working:
    real = record.outcome.error and not record.outcome.stand_in
    return failed(working, record.step) if real else working


def _finished(working: Working, record: Finished) -> Working:
    """All is cleared, but for agents at work: their results are still to be joined."""
    return Working(
        goal=working.goal,
        depth=working.depth,
        outcome=record.outcome,
        children=working.children,
    )


Case = Callable[[Working, Any], Working]


def _of(surface: str, cases: Mapping[type, Callable[[Any, Any], Any]]) -> dict[type, Case]:
    """The cases of a surface that has a file of its own."""

    def case(change: Callable[[Any, Any], Any]) -> Case:
        return lambda working, record: replace(
            working, **{surface: change(getattr(working, surface), record)}
        )

    return {kind: case(change) for kind, change in cases.items()}


CASES: dict[type, Case] = {
    Opened: lambda working, record: replace(working, depth=record.depth),
    CarriedOn: lambda working, record: replace(working, errors=record.errors),
    Tasked: lambda working, record: replace(working, goal=record.goal),
    Planned: lambda working, record: replace(working, plan=record.items),
    Replanned: lambda working, record: replace(
        working, plan=replanned(working.plan, record.size, record.items)
    ),
    Progressed: lambda working, record: replace(working, progress=record.text),
    Noted: _noted,
    Appended: _appended,
    Questioned: lambda working, record: questioned(working, record.id, record.text),
    Evidenced: lambda working, record: evidenced(working, record.evidence),
    Acknowledged: lambda working, record: acknowledged(
        working, record.id, record.disposition, record.summary, record.urgency
    ),
    Returned: _returned,
    Finished: _finished,
    **_of("children", children.CASES),
}
