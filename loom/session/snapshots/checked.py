"""The newest snapshot held against the window the journal folds to, and one that is carried on from
against what Loom writes.

A seal says that nobody changed it by accident, not who made it: so each value that is used as a
number, a word or a name is in the range Loom itself keeps to, and no list is longer than one of
Loom's. What is carried on costs as much as a snapshot's size and no more.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from math import isfinite
from typing import Any

from msgspec import Struct

from loom.errors import BadInput
from loom.session.archive.reading import UNREADABLE
from loom.session.archive.workspace import Workspace
from loom.session.snapshots.document import PAGES_MOST, Snapshot, bad_snapshot, read
from loom.session.working import STATES
from loom.text import one_line
from loom_paging import check_disk
from loom_paging.page import fetch
from loom_partitions.surfaces import DISPOSITIONS, LATER, URGENCIES
from loom_partitions.working import Working

ITEMS_MOST = 5_000  # items of a surface, of those that found no room too
NUMBERS_MOST = 10**9  # entries, generations, pages of a session
BYTES_MOST = 1 << 40  # of a page
# The members of the dashboard that stand in C_working too.
STORED = (
    ("goal_progress", "progress"),
    ("depth", "depth"),
    ("interrupt_requested", "interrupt"),
)


class Disagreement(Struct, frozen=True):
    """The newest snapshot is damaged, or says other than the journal, which is the truth.

    `snapshot` is the file in question, `commit` the number of the commit that names it, `what` is
    the matter, `damaged` tells a file that changed from one that says something else.
    """

    snapshot: str
    commit: int
    what: str
    damaged: bool

    def __str__(self) -> str:
        return (
            f"snapshot {self.snapshot} and commit {self.commit} of the journal, which names it, do"
            f" not agree: {self.what}. The journal stands; `loom check` names all damage"
        )


def disagreement(workspace: Workspace) -> Disagreement | None:
    """Hold the newest snapshot against the journal: what differs, or None when they agree or there
    is no snapshot. Only that one file is read."""
    if workspace.folded.snapshotted is None:
        return None
    commit, name, working = workspace.folded.snapshotted
    ref = workspace.pager.table.get(name)
    if name in workspace.pager.retired:  # a repair told of it
        return None
    if ref is None:
        return Disagreement(name, commit, "no commit has it among its pages", damaged=True)
    try:
        made = read(fetch(workspace.store, ref), name)
    except UNREADABLE as error:
        check_disk(error)
        return Disagreement(name, commit, str(error), damaged=True)
    except BadInput as error:
        return Disagreement(name, commit, str(error), damaged=False)
    differ = _differing(made, working)
    if not differ:
        return None
    what = f"{', '.join(differ)} {'is' if len(differ) == 1 else 'are'} not as the journal folds"
    return Disagreement(name, commit, what, damaged=False)


def _differing(made: Snapshot | Working, folded: Working) -> list[str]:
    """Members of C_working that a snapshot has otherwise."""
    held = made if isinstance(made, Working) else made.working
    differ = [
        name for name in Working.__struct_fields__ if getattr(held, name) != getattr(folded, name)
    ]
    if isinstance(made, Snapshot):
        differ += [
            f"dashboard.{shown}"
            for shown, stored in STORED
            if getattr(made.dashboard, shown) != getattr(folded, stored)
        ]
    return differ


def check_plausible(made: Snapshot, where: str) -> None:
    """Raise BadInput for a value Loom writes nowhere, and for one that holds nothing at all."""
    wrong = next(chain(_odd_numbers(made), _odd_items(made)), None)
    if wrong is not None:
        raise bad_snapshot(where, one_line(wrong, 200))


def _odd_numbers(made: Snapshot) -> Iterator[str]:
    """Yield what is wrong with the numbers of a snapshot."""
    dashboard = made.dashboard
    if not made.sha256.strip("0") and made == Snapshot(dashboard=dashboard):
        yield "it holds nothing"
    for name, value, least in (
        ("generation", made.generation, 1),
        ("next_id", made.next_id, 1),
        ("turn", made.turn, 0),
        ("others", made.others, 0),
        ("depth", dashboard.depth, 0),
    ):
        if not least <= value <= NUMBERS_MOST:
            yield f"{name} is {value}"
    if any(not 0 <= id < made.next_id for id in made.errors):
        yield "errors names a step there was not"
    if not all(map(isfinite, (dashboard.rho, dashboard.last_hb_ts))):
        yield "the dashboard has a value that is no number"
    for page in made.pages:
        number = page.name.partition(".")[0].rpartition("_")[2]
        if not 0 <= page.size <= BYTES_MOST or int(number) > NUMBERS_MOST:
            yield f"{page.name[:80]!r} has {page.size} bytes"
    if len({page.name for page in made.pages}) < len(made.pages):
        yield "it names a page twice"
    if len(made.pages) > PAGES_MOST:
        yield f"it names {len(made.pages):,} pages"


def _odd_items(made: Snapshot) -> Iterator[str]:
    """Yield what is wrong with the items of surfaces in a snapshot."""
    events, known = made.event_surface, made.knowledge_surface
    named: dict[str, tuple[Any, ...]] = {
        "pending_events": events.pending_events,
        "active_risks": events.active_risks,
        "active_questions": known.active_questions,
        "evidence_packs": known.evidence_packs,
        "decisions": made.decisions,
    }
    others: dict[str, tuple[Any, ...]] = {
        "plan": made.plan,
        "children": made.children,
        "errors": made.errors,
        "pins": made.pins,
    }
    for name, items in (named | others).items():
        if len(items) > ITEMS_MOST:
            yield f"{name} holds {len(items):,} items"
    if any(not one_line(one.id, 10) for items in named.values() for one in items):
        yield "an id has no letters"
    dated: tuple[Any, ...] = (*events.active_risks, *events.pending_events, *made.decisions)
    spoken: tuple[Any, ...] = (*events.active_risks, *made.decisions)
    for what, given, words in (
        ("state of a plan", [item.state for item in made.plan], STATES),
        ("urgency", [one.urgency for one in dated], URGENCIES),
        ("disposition", [one.disposition for one in spoken], (*DISPOSITIONS, *LATER)),
    ):
        yield from (f"{word[:80]!r} is no {what}" for word in given if word not in words)
    for pack in known.evidence_packs:
        if not 0 <= pack.confidence <= 1:
            yield f"an evidence pack has a confidence of {pack.confidence}"
