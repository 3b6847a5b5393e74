"""Read-ahead: what left the window and is in use again comes back at the tail before it is missed.

A unit comes back when the last step (or the user since) touched it, when it is worth more per
token than a good share of what is resident, and while it fits the turn's budget. The best come
first; neighbouring slices of one page come as one text.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from msgspec import Struct

from loom.residency.catalog import Catalog
from loom.residency.shown import Parsed, stands
from loom.residency.slices import excerpt, merged
from loom.residency.units import Key, Unit
from loom.residency.worth import Worths
from partitions.message import Detail, Digest, Entry


class Ahead(Struct, frozen=True):
    """Units of one source, in order: a page, or an entry that holds them."""

    ref: str
    units: tuple[Unit, ...]

    @property
    def lines(self) -> tuple[tuple[int, int], ...]:
        """The ranges of lines they are; () when they are no lines of a page."""
        return merged((unit.first, unit.last) for unit in self.units if unit.first)

    @property
    def text(self) -> str:
        """What is shown, under a heading that says what it is and where it rests."""
        path = self.units[0].path
        where = ", ".join(f"{first}–{last}" for first, last in self.lines)
        what = f"lines {where} of {self.ref}" if where else f"{self.units[0].field} of {self.ref}"
        heading = f"[in use again: {what}{f' ({path})' if path else ''}]\n"
        return heading + excerpt((unit.piece for unit in self.units), 0, "")


def touched_since(catalog: Catalog, entry: int) -> list[Key]:
    """The units touched by `entry` or later ones, less what is superseded."""
    return [
        key
        for key, by in catalog.hit.items()
        if by >= entry and key not in catalog.stale and catalog.units[key].kind != "old"
    ]


def resident(catalog: Catalog, entries: Iterable[Entry]) -> set[Key]:
    """The units that stand in the window."""
    found: set[Key] = set()
    for entry in entries:
        if isinstance(entry, Digest) or entry.detail >= Detail.REDUCED:
            continue
        parsed: Parsed = {}
        for unit in catalog.of_entry.get(entry.id, ()):
            if stands(entry, unit, parsed):
                found.add(unit.key)
    return found


def read_ahead(
    catalog: Catalog,
    worths: Worths,
    touched: Collection[Key],
    standing: Collection[Key],
    room: int,
) -> list[Ahead]:
    """What comes back within `room` tokens, by source."""
    missing = [key for key in touched if key not in standing]
    if not missing or room <= 0:
        return []
    bar = _bar(worths, [key for key in standing if key in catalog.units])
    ranked = sorted(((worths.density(key), key) for key in missing), reverse=True)
    taken: dict[tuple[str, str], list[Unit]] = {}
    for density, key in ranked:
        unit = catalog.units[key]
        if density < bar:
            break
        if unit.tokens + HEADING > room:
            continue
        room -= unit.tokens + HEADING
        taken.setdefault(key[:2], []).append(unit)
    return [Ahead(ref, tuple(sorted(units, key=_place))) for (ref, _), units in taken.items()]


HEADING = 20  # tokens of a heading and its message


def _place(unit: Unit) -> tuple[int, int, str]:
    return unit.first, unit.at, unit.field


def _bar(worths: Worths, standing: Collection[Key]) -> float:
    densities = sorted(worths.density(key) for key in standing)
    if not densities:
        return 0.0
    return densities[min(int(len(densities) * worths.fitted.gate), len(densities) - 1)]
