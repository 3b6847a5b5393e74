"""Obligations: what the project's rules, or the host, want done at a moment, and whether it is.

The host ticks them, the model sees them; nothing is run. All that stand are held here, at most
OBLIGATIONS_MAX, so that any of them can be ticked; a request shows OBLIGATIONS_SHOWN and counts
the others. The one that changed last stands last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from loom_partitions.limits import OBLIGATIONS_MAX, OBLIGATIONS_SHOWN

DUE, DONE, DROPPED = "due", "done", "dropped"
# What leaves first where there are too many: what nobody waits for.
_LEAVING = (DROPPED, DONE, DUE)


class Obligation(Struct, frozen=True, omit_defaults=True):
    """One thing to be done: `where` is the file and line that ask for it, "" for the host's own.

    `state` is due, done or dropped; `listed` tells that it was read from a guide, with which it
    stays in step. One that is dropped is kept out of sight until its rule changes or leaves.
    """

    id: str
    text: str
    where: str = ""
    state: str = DUE
    listed: bool = False


Obligations = tuple[Obligation, ...]


class Obliged(Struct, frozen=True, tag="Obliged"):
    """An obligation was put on its surface, or has other words or another place now."""

    obligation: Obligation


class Ticked(Struct, frozen=True, tag="Ticked"):
    """An obligation was met, or (`done` false) is due again."""

    id: str
    done: bool = True


class Released(Struct, frozen=True, tag="Released"):
    """An obligation was dropped by the host, or (`ruled` false) the rule behind it is gone."""

    id: str
    ruled: bool = True


def obliged(known: Obligations, record: Obliged) -> Obligations:
    """Put an obligation last; one of known words keeps its state and its place."""
    new = record.obligation
    old = next((one for one in known if one.id == new.id), None)
    if old is not None and old.text == new.text:
        kept = replace(new, state=old.state)
        return tuple(kept if one is old else one for one in known)
    return bounded((*(one for one in known if one is not old), new))


def bounded(known: Obligations) -> Obligations:
    """At most OBLIGATIONS_MAX: the oldest leaves of those that are dropped, then done, then due."""
    while len(known) > OBLIGATIONS_MAX:
        weakest = min(known, key=lambda one: _LEAVING.index(one.state))
        known = tuple(one for one in known if one is not weakest)
    return known


def ticked(known: Obligations, record: Ticked) -> Obligations:
    """Mark an obligation; it comes last. Nothing when it says so already, or is none."""
    state = DONE if record.done else DUE
    old = next((one for one in known if one.id == record.id), None)
    if old is None or old.state == state:
        return known
    return (*(one for one in known if one is not old), replace(old, state=state))


def released(known: Obligations, record: Released) -> Obligations:
    """Take an obligation away; one whose rule still stands is kept out of sight."""
    return tuple(
        replace(one, state=DROPPED) if one.id == record.id else one
        for one in known
        if one.id != record.id or (record.ruled and one.listed)
    )


def visible(known: Iterable[Obligation]) -> Obligations:
    """Those that were not dropped, the one that changed last first."""
    return tuple(one for one in reversed(tuple(known)) if one.state != DROPPED)


def shown(known: Iterable[Obligation]) -> Obligations:
    """Those a request shows: the one that changed last, then the due ones before the done."""
    seen = visible(known)
    if len(seen) <= OBLIGATIONS_SHOWN:
        return seen
    ranks = sorted(range(len(seen)), key=lambda at: (at > 0, seen[at].state != DUE, at))
    taken = set(ranks[:OBLIGATIONS_SHOWN])
    return tuple(one for at, one in enumerate(seen) if at in taken)


CASES: dict[type, Callable[[Obligations, Any], Obligations]] = {
    Obliged: obliged,
    Ticked: ticked,
    Released: released,
}
