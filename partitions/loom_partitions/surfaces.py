"""The things on the surfaces of C_working: plan items, events, risks, decisions, evidence,
children; and the records about children, the agents at work for this one."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from loom_partitions.limits import Budget

DISPOSITIONS = ("ignore", "defer", "replan", "decompose", "hand off", "stop")
LATER = ("resolved", "archived")  # what becomes of a risk
SETTLED = ("ignore", "resolved", "archived")
URGENCIES = ("low", "normal", "high", "critical")
PRESSING = ("high", "critical")  # asks for an interrupt


class Event(Struct, frozen=True, omit_defaults=True):
    """A pending event, or several events joined into one; `ids` lists the ids of all.

    The states of an event are: detected, projected (shown by the first request after turn `at`),
    acknowledged with a disposition, resolved, archived. `urgency` is the highest urgency.
    `urgencies` has an urgency for each id, in the same order, or is empty when all equal `urgency`.
    """

    ids: tuple[str, ...]
    kind: str
    summary: str
    urgency: str = "normal"
    at: int = 0
    urgencies: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        """The number of events that were joined into this one; 1 for a single event."""
        return len(self.ids)

    @property
    def urgencies_by_id(self) -> dict[str, str]:
        """The urgency of each event: a dict from its id."""
        each = self.urgencies or (self.urgency,) * len(self.ids)
        return dict(zip(self.ids, each, strict=True))


class Risk(Struct, frozen=True):
    """An event that the model acknowledged with a `disposition`, and that is not resolved yet."""

    id: str
    summary: str
    urgency: str
    disposition: str


class Decision(Struct, frozen=True, array_like=True):
    """The model's decision on the event `id`: a disposition such as "defer"."""

    id: str
    disposition: str


class PlanItem(Struct, frozen=True):
    """One item of the plan: `state` is todo, doing or done."""

    text: str
    state: str = "todo"


class Evidence(Struct, frozen=True, omit_defaults=True):
    """What is known about the question `id`. `summary` and `facts` say it, `citations` name the
    sources, `conflicts` say what speaks against it. `confidence` is between 0 and 1."""

    id: str
    summary: str
    citations: tuple[str, ...] = ()
    confidence: float = 0.5
    facts: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()


class Child(Struct, frozen=True, array_like=True):
    """An agent that works for this one: its name, and its goal in one line.

    `status` is done, failed or lost when the child has a result that this agent has not taken in
    yet, else "". `left` says how the child ended without a result, "" otherwise."""

    name: str
    goal: str
    status: str = ""
    left: str = ""


class Spawned(Struct, frozen=True, tag="Spawned"):
    """A child agent was spawned: its name, its goal in one line, and the page with all it is given.

    `call` is the id of the model's call whose result will be the child's answer, "" for none.
    `budget` is the part of this agent's budget that the child may use."""

    child: str
    goal: str
    page: str
    call: str = ""
    budget: Budget | None = None


class Resulted(Struct, frozen=True, tag="Resulted"):
    """What is known of a child agent's result changed. `status` is the status of a result that this
    agent has not taken in yet, "" for none. Without a result `left` says how the child ended, ""
    while it may still give a result."""

    child: str
    status: str
    left: str = ""


class HandedOver(Struct, frozen=True, tag="HandedOver"):
    """A result was passed from an agent to its parent; `status` and `sha256` are the result's.

    `child` names the child that gave this agent its result; "" means that this agent gave its own.
    """

    status: str
    sha256: str
    child: str = ""


def needs_interrupt(events: tuple[Event, ...]) -> bool:
    """Return True when at least one event has the urgency "high" or "critical"."""
    return any(event.urgency in PRESSING for event in events)


def aggregate_events(events: tuple[Event, ...]) -> tuple[Event, ...]:
    """Return fewer events: all events of the most frequent kind are joined into a single event,
    which comes last. When all kinds differ, the two oldest events of the lowest urgency are joined.
    """
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
    summary = f"{len(ids)} {kind} events; latest: {newest_summary(group[-1].summary)}"
    at = max(event.at for event in group)
    kept = tuple(event for event in events if event not in group)
    return (*kept, Event(ids, kind, summary, urgency, at, each))


def newest_summary(summary: str) -> str:
    """Return the newest event's part of a joined summary: "3 ci events; latest: red" → "red". Any
    other summary is returned unchanged."""
    return summary.rpartition(" events; latest: ")[2]


def without_id(event: Event, id: str) -> Event | None:
    """Return the event without one of its ids, None when it has no other id."""
    left = {other: urgency for other, urgency in event.urgencies_by_id.items() if other != id}
    if not left:
        return None
    summary = event.summary
    if summary.startswith(f"{event.count} "):
        summary = f"{len(left)} {summary.partition(' ')[2]}"
    each = tuple(left.values())
    urgency = max(each, key=URGENCIES.index)
    return replace(event, ids=tuple(left), summary=summary, urgency=urgency, urgencies=each)
