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
    """A pending event, or several of one kind, whose ids are all in `ids`.

    An event goes through these states: detected, projected (shown by the first request after turn
    `at`), acknowledged with a disposition, resolved, archived. An acknowledged event that is not
    resolved is a risk. `urgencies` are those of the `ids`, in their order; () when all have the
    same `urgency`."""

    ids: tuple[str, ...]
    kind: str
    summary: str
    urgency: str = "normal"
    at: int = 0
    urgencies: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        """The number of single events that this object stands for."""
        return len(self.ids)

    @property
    def urgencies_by_id(self) -> dict[str, str]:
        """The urgency of each event, by its id."""
        each = self.urgencies or (self.urgency,) * len(self.ids)
        return dict(zip(self.ids, each, strict=True))


class Risk(Struct, frozen=True):
    """An event that was acknowledged and is not resolved yet."""

    id: str
    summary: str
    urgency: str
    disposition: str


class Decision(Struct, frozen=True, array_like=True):
    """The disposition (what to do) that was chosen for the event `id`."""

    id: str
    disposition: str


class PlanItem(Struct, frozen=True):
    """One item of the plan: `state` is todo, doing or done."""

    text: str
    state: str = "todo"


class Evidence(Struct, frozen=True, omit_defaults=True):
    """What is known about a question (`summary`, `facts`), the sources (`citations`), and what
    speaks against it (`conflicts`). `confidence` is 0 to 1."""

    id: str
    summary: str
    citations: tuple[str, ...] = ()
    confidence: float = 0.5
    facts: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()


class Child(Struct, frozen=True, array_like=True):
    """An agent that works for this one: its name, and its goal as one line.

    `status` is that of a result nobody has taken in yet (done, failed, lost), "" while there is no
    result. `left` says how the agent ended without a result, "" while it may still give one."""

    name: str
    goal: str
    status: str = ""
    left: str = ""


class Spawned(Struct, frozen=True, tag="Spawned"):
    """A child agent was spawned: its name, its goal as one line, and the page with all that it is
    given.

    `call` is the model's call whose result is the child's answer, "" for none. `budget` is its
    share of its parent's budget."""

    child: str
    goal: str
    page: str
    call: str = ""
    budget: Budget | None = None


class Resulted(Struct, frozen=True, tag="Resulted"):
    """The `child` has a result with this `status`, which this agent has not taken in yet; or was
    given up.

    With an empty status the child has none: `left` says how it ended, "" when it is open again."""

    child: str
    status: str
    left: str = ""


class HandedOver(Struct, frozen=True, tag="HandedOver"):
    """A result passed from an agent to the agent it works for: its status and sha256.

    With a `child` this agent took in the result of that child; without one this agent gave its own
    result."""

    status: str
    sha256: str
    child: str = ""


def needs_interrupt(events: tuple[Event, ...]) -> bool:
    """Return True when the urgency of any of the events is high or critical."""
    return any(event.urgency in PRESSING for event in events)


def aggregate_events(events: tuple[Event, ...]) -> tuple[Event, ...]:
    """Return the events with all of the most frequent kind joined into one, which keeps their ids
    and the highest urgency. When all kinds differ, the two oldest events of the lowest urgency are
    joined."""
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
    """Return the summary of the newest event from that of a joined event: `"3 ci events; latest:
    red"` → `"red"`."""
    return summary.rpartition(" events; latest: ")[2]


def without_id(event: Event, id: str) -> Event | None:
    """Return the event without one of its ids; None when that was its only one."""
    left = {other: urgency for other, urgency in event.urgencies_by_id.items() if other != id}
    if not left:
        return None
    summary = event.summary
    if summary.startswith(f"{event.count} "):
        summary = f"{len(left)} {summary.partition(' ')[2]}"
    each = tuple(left.values())
    urgency = max(each, key=URGENCIES.index)
    return replace(event, ids=tuple(left), summary=summary, urgency=urgency, urgencies=each)
