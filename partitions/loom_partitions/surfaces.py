"""What stands on the surfaces of C_working: plan, events, risks, decisions, evidence, children;
and the records of those: agents at work for this one."""

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
    """A decision about an event."""

    id: str
    disposition: str


class PlanItem(Struct, frozen=True):
    """One step of the plan: `state` is todo, doing or done."""

    text: str
    state: str = "todo"


class Evidence(Struct, frozen=True, omit_defaults=True):
    """What is known about a question, where it comes from, and what speaks against it."""

    id: str
    summary: str
    citations: tuple[str, ...] = ()
    confidence: float = 0.5
    facts: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()


class Child(Struct, frozen=True, array_like=True):
    """An agent that works for this one: its name, and its goal as one line.

    `status` is that of a result that waits to be joined (done, failed, lost), "" while it is at
    work. `left` says how it ended without one, "" while somebody has it open, or may open it.
    """

    name: str
    goal: str
    status: str = ""
    left: str = ""


class Spawned(Struct, frozen=True, tag="Spawned"):
    """A child was called into being: its name, its goal as a line, the page of all it is given.

    `call` is the call of the model it answers, "" for none. `budget` is its share of what its
    parent has.
    """

    child: str
    goal: str
    page: str
    call: str = ""
    budget: Budget | None = None


class Resulted(Struct, frozen=True, tag="Resulted"):
    """A child has a result, or was given up: its status. It waits to be joined.

    Without a status it has none: `left` says how it was left, "" when it is open again.
    """

    child: str
    status: str
    left: str = ""


class HandedOver(Struct, frozen=True, tag="HandedOver"):
    """A result went from an agent to the one it works for, once: its status and sha256.

    That of a `child` was taken in here; without one, this agent's own was given.
    """

    status: str
    sha256: str
    child: str = ""


def needs_interrupt(events: tuple[Event, ...]) -> bool:
    """True when a pending event asks for an interrupt."""
    return any(event.urgency in PRESSING for event in events)


def aggregate_events(events: tuple[Event, ...]) -> tuple[Event, ...]:
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
    summary = f"{len(ids)} {kind} events; latest: {newest_summary(group[-1].summary)}"
    at = max(event.at for event in group)
    kept = tuple(event for event in events if event not in group)
    return (*kept, Event(ids, kind, summary, urgency, at, each))


def newest_summary(summary: str) -> str:
    """The newest summary in that of an aggregate."""
    return summary.rpartition(" events; latest: ")[2]


def without_id(event: Event, id: str) -> Event | None:
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
