"""C_working: the model's decision interface. Never compressed, so bounded on the way in.

Every surface has a limit in items; texts arrive bounded (the whole of a long one rests on a
page). A surface that overflows aggregates, keeping ids, the highest urgency and true counts.
Rules after the five-partition design: pending events keep their identity until acknowledged.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from loom_partitions.message import Text

EVENTS_MAX = 12
PLAN_MAX = 12
QUESTIONS_MAX = 8
EVIDENCE_MAX = 10
RISKS_MAX = 8
DECISIONS_MAX = 8  # the window of recent decisions a renewal carries
ERRORS_WITHIN = 10  # steps after which a failure no longer counts as recent

DISPOSITIONS = ("ignore", "defer", "replan", "decompose", "hand off", "stop")
LATER = ("resolved", "archived")  # what becomes of a risk
SETTLED = ("ignore", "resolved", "archived")
URGENCIES = ("low", "normal", "high", "critical")
PRESSING = ("high", "critical")  # asks for an interrupt


class PlanItem(Struct, frozen=True):
    """One step of the plan: `state` is todo, doing or done."""

    text: str
    state: str = "todo"


class Event(Struct, frozen=True, omit_defaults=True):
    """A pending event, or several of one kind: `ids` keeps every identity, `count` the truth.

    Its life: detected → projected, by the first request after turn `at`, when it came →
    acknowledged with a disposition → resolved → archived. What is acknowledged but not settled is
    a risk.
    """

    ids: tuple[str, ...]
    kind: str
    summary: str
    urgency: str = "normal"
    at: int = 0
    urgencies: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        """How many events this stands for."""
        return len(self.ids)

    @property
    def urgencies_by_id(self) -> dict[str, str]:
        """The urgency of each event: `urgencies` in the order of `ids`, or the one of all."""
        each = self.urgencies or (self.urgency,) * len(self.ids)
        return dict(zip(self.ids, each, strict=True))


class Risk(Struct, frozen=True):
    """An event acknowledged but not resolved."""

    id: str
    summary: str
    urgency: str
    disposition: str


class Decision(Struct, frozen=True, array_like=True):
    """What was decided about an event."""

    id: str
    disposition: str


class Evidence(Struct, frozen=True, omit_defaults=True):
    """What is known about a question, where it comes from, and what speaks against it."""

    id: str
    summary: str
    citations: tuple[str, ...] = ()
    confidence: float = 0.5
    facts: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()


class Child(Struct, frozen=True, array_like=True):
    """An agent at work for this one: its name, and its goal as one line."""

    name: str
    goal: str


class Working(Struct, frozen=True, omit_defaults=True):
    """The stored state of C_working. Live values (ρ, budget, heartbeat) are derived at render.

    `more` holds, by surface, the ids that found no room: (surface, ids). Their texts are in the
    journal.
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

    def beyond(self, surface: str) -> tuple[str, ...]:
        """Ids of a surface that found no room on it, oldest first."""
        return dict(self.more).get(surface, ())


def signalled(working: Working, event: Event) -> Working:
    """Project an event: one entry an id; beyond the limit the largest kind aggregates."""
    if any(set(event.ids) <= set(known.ids) for known in working.events):
        return working
    events = (*working.events, event)
    if len(events) > EVENTS_MAX:
        events = aggregated(events)
    return replace(working, events=events, interrupt=pressing(events))


def pressing(events: tuple[Event, ...]) -> bool:
    """Whether a pending event asks for an interrupt."""
    return any(event.urgency in PRESSING for event in events)


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
    each = tuple(one for event in group for one in event.urgencies_by_id.values())
    urgency = max(each, key=URGENCIES.index)
    summary = f"{len(ids)} {kind} events; latest: {latest(group[-1].summary)}"
    at = max(event.at for event in group)
    kept = tuple(event for event in events if event not in group)
    return (*kept, Event(ids, kind, summary, urgency, at, each))


def latest(summary: str) -> str:
    """The newest summary in that of an aggregate."""
    return summary.rpartition(" events; latest: ")[2]


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


def without(event: Event, id: str) -> Event | None:
    """The event less one of its ids; None when it stood for no other."""
    left = {other: urgency for other, urgency in event.urgencies_by_id.items() if other != id}
    if not left:
        return None
    summary = event.summary
    if summary.startswith(f"{event.count} "):
        summary = f"{len(left)} {summary.partition(' ')[2]}"
    each = tuple(left.values())
    urgency = max(each, key=URGENCIES.index)
    return replace(event, ids=tuple(left), summary=summary, urgency=urgency, urgencies=each)


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
