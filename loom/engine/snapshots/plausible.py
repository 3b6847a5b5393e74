"""A snapshot held against what Loom writes, before anything is made of it.

Its seal says that nobody changed it by accident, not who made it: each value that is used as a
number, a word or a name is in the range Loom itself keeps to, and no list is longer than one of
Loom's, so that what is carried on costs as much as a snapshot's size and no more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import isfinite

from loom.engine.snapshots.document import BadSnapshot, Snapshot
from loom.engine.working import STATES
from loom.text import one_line
from loom_partitions.surfaces import DISPOSITIONS, LATER, URGENCIES

PAGES_MOST = 10_000  # pages an index names
ITEMS_MOST = 5_000  # items of a surface, of those that found no room too
NUMBERS_MOST = 10**9  # entries, generations, pages of a session
BYTES_MOST = 1 << 40  # of a page
SPOKEN = (*DISPOSITIONS, *LATER)

Found = Iterator[str]


def check_plausible(made: Snapshot, where: str) -> None:
    """Raise BadSnapshot for a value Loom writes nowhere, and for one that holds nothing at all."""
    for look in LOOKS:
        wrong = next(look(made), None)
        if wrong is not None:
            raise BadSnapshot(where, one_line(wrong, 200))


def _empty(made: Snapshot) -> Found:
    if made.sha256.strip("0") == "" and made == _bare(made):
        yield "it holds nothing"


def _bare(made: Snapshot) -> Snapshot:
    return Snapshot(dashboard=made.dashboard)


def _numbers(made: Snapshot) -> Found:
    """Numbers that are none of a session's."""
    said: dict[str, tuple[float, int]] = {
        "generation": (made.generation, 1),
        "next_id": (made.next_id, 1),
        "turn": (made.turn, 0),
        "others": (made.others, 0),
        "depth": (made.dashboard.depth, 0),
    }
    for name, (value, least) in said.items():
        if not least <= value <= NUMBERS_MOST:
            yield f"{name} is {value}"
    if any(not 0 <= id < made.next_id for id in made.errors):
        yield "errors names a step there was not"
    if not all(isfinite(value) for value in (made.dashboard.rho, made.dashboard.last_hb_ts)):
        yield "the dashboard has a value that is no number"


def _lengths(made: Snapshot) -> Found:
    """Lists that are longer than Loom's."""
    surfaces = {
        "plan": made.plan,
        "pending_events": made.event_surface.pending_events,
        "active_risks": made.event_surface.active_risks,
        "active_questions": made.knowledge_surface.active_questions,
        "evidence_packs": made.knowledge_surface.evidence_packs,
        "decisions": made.decisions,
        "children": made.children,
        "errors": made.errors,
        "pins": made.pins,
    }
    for name, items in surfaces.items():
        if len(items) > ITEMS_MOST:
            yield f"{name} holds {len(items):,} items"
    if len(made.pages) > PAGES_MOST:
        yield f"it names {len(made.pages):,} pages"


def _words(made: Snapshot) -> Found:
    """States, urgencies and dispositions that are none, and ids without letters."""
    risks, events = made.event_surface.active_risks, made.event_surface.pending_events
    packs, questions = (
        made.knowledge_surface.evidence_packs,
        made.knowledge_surface.active_questions,
    )
    yield from _none("state of a plan", (item.state for item in made.plan), STATES)
    for items in (risks, events, made.decisions):
        yield from _none("urgency", (one.urgency for one in items), URGENCIES)
    for decided in (risks, made.decisions):
        yield from _none("disposition", (one.disposition for one in decided), SPOKEN)
    for named in (risks, events, made.decisions, packs, questions):
        if any(not one_line(one.id, 10) for one in named):
            yield "an id has no letters"
    for pack in packs:
        if not 0 <= pack.confidence <= 1:
            yield f"an evidence pack has a confidence of {pack.confidence}"


def _none(what: str, given: Iterator[str], known: tuple[str, ...]) -> Found:
    """Yield what is no word of those known."""
    yield from (f"{word[:80]!r} is no {what}" for word in given if word not in known)


def _pages(made: Snapshot) -> Found:
    """Pages of no size, of a number too high, or named twice."""
    for page in made.pages:
        number = page.name.rpartition("/")[2].partition(".")[0].rpartition("_")[2]
        if not 0 <= page.size <= BYTES_MOST or int(number) > NUMBERS_MOST:
            yield f"{page.name[:80]!r} has {page.size} bytes"
    if len({page.name for page in made.pages}) < len(made.pages):
        yield "it names a page twice"


LOOKS: tuple[Callable[[Snapshot], Found], ...] = (_empty, _numbers, _lengths, _words, _pages)
