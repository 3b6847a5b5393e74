"""C_working: the model's decision interface. Never compressed, so bounded on the way in.

Every surface has a limit in items; texts arrive bounded (the whole of a long one rests on a
page). A surface that overflows aggregates, keeping ids, the highest urgency and true counts.
Rules after the five-partition design: pending events keep their identity until acknowledged.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from partitions.message import Text

EVENTS_MAX = 12
PLAN_MAX = 12
QUESTIONS_MAX = 8
EVIDENCE_MAX = 10
RISKS_MAX = 8
ERRORS_WITHIN = 10  # steps after which a failure no longer counts as recent

SETTLED = ("ignore", "resolved", "archived")
URGENCIES = ("low", "normal", "high", "critical")


class PlanItem(Struct, frozen=True):
    """One step of the plan: `state` is todo, doing or done."""

    text: str
    state: str = "todo"


class Event(Struct, frozen=True, omit_defaults=True):
    """A pending event, or several of one kind: `ids` keeps every identity, `count` the truth."""

    ids: tuple[str, ...]
    kind: str
    summary: str
    urgency: str = "normal"

    @property
    def count(self) -> int:
        """How many events this stands for."""
        return len(self.ids)


class Risk(Struct, frozen=True):
    """An event acknowledged but not resolved."""

    id: str
    summary: str
    urgency: str
    disposition: str


class Evidence(Struct, frozen=True, omit_defaults=True):
    """What is known about a question, and where it comes from."""

    id: str
    summary: str
    citations: tuple[str, ...] = ()
    confidence: float = 0.5


class Working(Struct, frozen=True, omit_defaults=True):
    """The stored state of C_working. Live values (ρ, budget, heartbeat) are derived at render."""

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


def signalled(working: Working, event: Event) -> Working:
    """Project an event: one entry an id; beyond the limit the largest kind aggregates."""
    if any(set(event.ids) <= set(known.ids) for known in working.events):
        return working
    events = (*working.events, event)
    if len(events) > EVENTS_MAX:
        events = aggregated(events)
    interrupt = working.interrupt or event.urgency in ("high", "critical")
    return replace(working, events=events, interrupt=interrupt)


def aggregated(events: tuple[Event, ...]) -> tuple[Event, ...]:
    """Join the events of the most frequent kind into one, keeping ids and the top urgency."""
    kinds = [event.kind for event in events]
    kind = max(dict.fromkeys(kinds), key=kinds.count)
    if kinds.count(kind) < 2:  # all kinds differ: the two oldest of the lowest urgency join
        order = sorted(events, key=lambda event: URGENCIES.index(event.urgency))
        group = tuple(event for event in events if event in order[:2])
        kind = "several"
    else:
        group = tuple(event for event in events if event.kind == kind)
    ids = tuple(id for event in group for id in event.ids)
    urgency = max((event.urgency for event in group), key=URGENCIES.index)
    joined = Event(ids, kind, f"{len(ids)} {kind} events; latest: {group[-1].summary}", urgency)
    kept = tuple(event for event in events if event not in group)
    return (*kept, joined)


def acknowledged(working: Working, id: str, disposition: str) -> Working:
    """Take one id out of pending, even inside an aggregate; what is not settled becomes a risk.

    A risk whose id is acknowledged again with a settling disposition is one no longer.
    """
    if disposition in SETTLED:
        working = replace(working, risks=tuple(r for r in working.risks if r.id != id))
    found = next((event for event in working.events if id in event.ids), None)
    if found is None:
        return working
    left = tuple(other for other in found.ids if other != id)
    events = tuple(
        replace(event, ids=left) if event is found else event
        for event in working.events
        if event is not found or left
    )
    risks = working.risks
    if disposition not in SETTLED:
        risk = Risk(id, found.summary, found.urgency, disposition)
        risks = (*(known for known in risks if known.id != id), risk)[-RISKS_MAX:]
    interrupt = any(event.urgency in ("high", "critical") for event in events)
    return replace(working, events=events, risks=risks, interrupt=interrupt)


def evidenced(working: Working, evidence: Evidence) -> Working:
    """Add an evidence pack; beyond the limit the least confident leaves (the journal keeps it)."""
    packs = (*(known for known in working.evidence if known.id != evidence.id), evidence)
    if len(packs) > EVIDENCE_MAX:
        weakest = min(packs, key=lambda pack: pack.confidence)
        packs = tuple(pack for pack in packs if pack is not weakest)
    return replace(working, evidence=packs)


def failed(working: Working, step: int) -> Working:
    """Remember that a step failed, as long as it is recent."""
    errors = (*working.errors, step)
    return replace(working, errors=tuple(id for id in errors if id > step - ERRORS_WITHIN))
