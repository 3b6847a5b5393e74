"""What each entry shows of the units of a catalog, looked through once while both stay as they are.

Theory of operation
-------------------
What an entry shows depends on the entry, on its own units (an edit gives the entry other ones), and
on the units of the pages it shows lines of. All three are compared by identity or by a number, so
asking again costs next to nothing.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from loom.compress.worth.residency import Parsed, in_preview, stands
from loom.compress.worth.units import Key, Unit
from loom_partitions.message import Detail, Entry, Step, UserTurn

SPARE = 32  # entries remembered beside those of the window before any is forgotten


class Shown(NamedTuple):
    """The units of an entry, its own and those read ahead into it; the keys of those that stand in
    the window, and the units a cut may choose from: these, and all of what is a preview."""

    units: tuple[Unit, ...]
    standing: frozenset[Key]
    available: tuple[Unit, ...]


def shown_of(entry: UserTurn | Step, units: tuple[Unit, ...]) -> Shown:
    """What an entry shows of its units."""
    if entry.detail >= Detail.REDUCED:
        return Shown(units, frozenset(), ())
    parsed: Parsed = {}
    stood = [stands(entry, unit, parsed) for unit in units]
    keys = frozenset(unit.key for unit, now in zip(units, stood, strict=True) if now)
    # A text too large for the window came in as a preview; the first cut chooses lines of it.
    may = (unit for unit, now in zip(units, stood, strict=True) if now or in_preview(entry, unit))
    return Shown(units, keys, units if all(stood) else tuple(may))


class ShownUnits:
    """What entries show, by their ids, each with what it was made of."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Entry, object, Shown]] = {}
        self.looked = 0  # entries looked through

    def get(self, entry: UserTurn | Step, made_of: object) -> Shown | None:
        """What an entry shows, when it was looked through as it is and of the same units."""
        held = self._known.get(entry.id)
        known = held is not None and held[0] is entry and held[1] == made_of
        return held[2] if known and held is not None else None

    def put(self, entry: UserTurn | Step, made_of: object, shown: Shown) -> Shown:
        """Remember what an entry shows."""
        self.looked += 1
        self._known[entry.id] = entry, made_of, shown
        return shown

    def keep(self, ids: Collection[int]) -> None:
        """Forget the entries that are none of these, when they have become many."""
        if len(self._known) > 2 * len(ids) + SPARE:
            self._known = {id: held for id, held in self._known.items() if id in ids}
