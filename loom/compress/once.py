"""No line stands twice: the units each entry may show beside the others.

Theory of operation
-------------------
The entries that stay as they are come first, then the units a first choice took, at last those it
did not: what the room that is freed is filled with repeats nothing either. Among each the messages
of the user come before the slices of files, which are brought up to date by every edit, and these
before all other texts; the newer before the older. Each is shown less the lines that stand by then
(`worth.repeats.unseen`).
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence

from loom.compress.scene import Scene
from loom.compress.slicing import sliced
from loom.compress.worth.repeats import SeenLines, lines_of_entry, shown_marks, unseen
from loom.compress.worth.units import Key, Unit
from loom_partitions.edits import Edit
from loom_partitions.message import Detail, Digest, Entry, Step, UserTurn

May = Mapping[int, Sequence[Unit]]  # the units an entry may show, by its id
SAID_KINDS = ("old", "new")  # kinds of units that a call said: no other level shortens them
FILE_KINDS = (*SAID_KINDS, "read", "edit")
ORDER = {"user": 0, "read": 1, "edit": 2, "new": 3}  # others behind them


def current_units(scene: Scene, entry: UserTurn | Step) -> tuple[Unit, ...]:
    """The units an entry could show that are not superseded."""
    here = scene.catalog.shown(entry).available
    return tuple(unit for unit in here if unit.key not in scene.catalog.stale)


def without_superseded(
    scene: Scene, entries: Iterable[Entry], kinds: Collection[str] = ()
) -> Iterator[tuple[Edit, int]]:
    """Edits after which these entries show nothing that is superseded, with what each frees.

    With `kinds` only units of those leave.
    """
    for entry in entries:
        if isinstance(entry, Digest) or entry.detail >= Detail.REDUCED:
            continue
        here = scene.catalog.shown(entry).available
        stale = scene.catalog.stale
        may = [u for u in here if u.key not in stale or (kinds and u.kind not in kinds)]
        if differs(here, may):
            yield from sliced(scene, entry, may, {unit.key for unit in may})


def kept_current(scene: Scene, lowered: Iterable[Entry]) -> tuple[Edit, ...]:
    """Such edits for entries that a cut does not lower, but the last step, what came in since, and
    what is pinned."""
    last = next((e.id for e in reversed(scene.entries) if isinstance(e, Step)), 0)
    other = {entry.id for entry in lowered} | scene.pinned | scene.unanswered | {last}
    kept = (entry for entry in scene.entries if entry.id not in other)
    return tuple(edit for edit, _ in without_superseded(scene, kept, FILE_KINDS))


def differs(here: Sequence[Unit], may: Sequence[Unit]) -> bool:
    """True when an entry may not show all that it could."""
    return len(may) < len(here) or any(unit.shown for unit in may)


def standing_beside(scene: Scene, entries: Iterable[Entry]) -> frozenset[int]:
    """The marks of the lines that stand in the window beside those of these entries."""
    old = {entry.id for entry in entries}
    fixed = [e for e in scene.entries if e.id not in old and not isinstance(e, Digest)]
    return frozenset[int]().union(*(_lines_of(scene, entry) for entry in fixed))


def _lines_of(scene: Scene, entry: Entry) -> set[int]:
    return scene.memo.of(entry, "lines", lambda: lines_of_entry(entry, scene.read))


def once(
    current: May, taken: Mapping[int, Collection[Key]], standing: Container[int]
) -> dict[int, tuple[Unit, ...]]:
    """The units entries may show so that no line stands twice, of those they could (`current`):
    the `taken` are shown first, and the marks `standing` stand in any case."""
    seen = SeenLines(standing)
    order = sorted(
        (
            (unit.key not in taken[id], ORDER.get(unit.kind, len(ORDER)), -id, at)
            for id, units in current.items()
            for at, unit in enumerate(units)
        ),
    )
    may: dict[int, dict[int, Unit]] = {id: {} for id in current}
    for _, _, entry, at in order:
        unit = unseen(current[-entry][at], seen)
        if unit is not None:
            may[-entry][at] = unit
            seen.add(shown_marks(unit))
    return {id: tuple(units[at] for at in sorted(units)) for id, units in may.items()}
