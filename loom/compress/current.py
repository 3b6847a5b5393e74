"""What entries show that nothing later supersedes, and the edits that leave the rest out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from loom.compress.scene import Scene
from loom.compress.slicing import Cut, sliced
from loom.compress.worth.units import Unit
from loom_partitions.edits import Edit
from loom_partitions.message import Detail, Digest, Entry, Step, UserTurn

SAID_KINDS = ("old", "new")  # kinds of units that a call said: no other level shortens them
FILE_KINDS = (*SAID_KINDS, "read", "edit")


def current_units(scene: Scene, entry: UserTurn | Step) -> tuple[Unit, ...]:
    """The units an entry could show that are not superseded."""
    here = scene.catalog.shown(entry).available
    return tuple(unit for unit in here if unit.key not in scene.catalog.stale)


def without_superseded(
    scene: Scene, entries: Iterable[Entry], kinds: Collection[str] = ()
) -> Iterator[Cut]:
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
            yield from sliced(scene, entry, may)


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
