"""Residency: the units of an entry that the window shows now, and those a cut may choose from."""

from __future__ import annotations

from typing import Any, NamedTuple

from loom.compress.worth.entry_units import EntryUnit, UnitKey, object_with_field
from loom.reduce.arguments import json_object
from loom_partitions.message import Call, Detail, Said, Step, Text, UserTurn

ParsedCalls = dict[int, dict[str, Any]]  # arguments of a step's calls, by the place of the call


def is_unit_shown(entry: UserTurn | Step, unit: EntryUnit, parsed: ParsedCalls) -> bool:
    """Return True if an entry, not shown as one line, shows `unit`, one of its pieces. `parsed`
    stores decoded call arguments; pass the same dict for all units of a step."""
    if isinstance(entry, UserTurn):
        return shows_lines_of(entry.text, unit)
    if unit.where == "beside":
        return True  # known by what stands there
    if unit.where == "result":
        if shows_lines_of(entry.outcomes[unit.at].text, unit):
            return True
        asides = (one.text for one in entry.beside if (one.ref, one.field) == unit.key[:2])
        return any(read_ahead_shows(text, unit) for text in asides)
    part = entry.parts[unit.at]
    if isinstance(part, Said):
        return part.text.whole
    if not isinstance(part, Call) or not part.page:
        return isinstance(part, Call)
    if unit.at not in parsed:
        parsed[unit.at] = json_object(part.arguments)
    held, key = object_with_field(parsed[unit.at], unit.field)
    value = held.get(key)
    return isinstance(value, str) and unit.text.rstrip("\n") in value


def shows_lines_of(text: Text, unit: EntryUnit) -> bool:
    """Return True if a text shows at least one line of `unit`, a piece of that text."""
    if text.whole:
        return True
    return any(first <= unit.last and unit.first <= last for first, last in text.lines)


def read_ahead_shows(text: Text, unit: EntryUnit) -> bool:
    """Return True if a read-ahead text shows `unit`, a piece of the same page or entry."""
    if unit.first:
        return any(first <= unit.last and unit.first <= last for first, last in text.lines)
    return unit.text.rstrip("\n") in (text.body or "")


def is_preview(text: Text) -> bool:
    """Return True for a preview of a page."""
    return not text.whole and bool(text.body) and not text.lines


def is_in_preview(entry: UserTurn | Step, unit: EntryUnit) -> bool:
    """Return True for a unit (piece) of a text that is shown as a preview. A cut may choose such a
    unit, or the first cut would lose the facts in a long message."""
    if entry.detail is not Detail.FULL or unit.where not in ("user", "result"):
        return False
    return is_preview(entry.text if isinstance(entry, UserTurn) else entry.outcomes[unit.at].text)


class ShownUnits(NamedTuple):
    """The units (pieces) of an entry: `units` are all of them, `standing` the keys of those that
    the window shows, `available` the units that a cut may choose from."""

    units: tuple[EntryUnit, ...]
    standing: frozenset[UnitKey]
    available: tuple[EntryUnit, ...]


def shown_units(entry: UserTurn | Step, units: tuple[EntryUnit, ...]) -> ShownUnits:
    """Return the `units` (pieces) of an entry as a `ShownUnits`."""
    if entry.detail >= Detail.REDUCED:
        return ShownUnits(units, frozenset(), ())
    parsed: ParsedCalls = {}
    stood = [is_unit_shown(entry, unit, parsed) for unit in units]
    keys = frozenset(unit.key for unit, now in zip(units, stood, strict=True) if now)
    # A text too large for the window came in as a preview; the first cut chooses lines of it.
    may = (
        unit for unit, now in zip(units, stood, strict=True) if now or is_in_preview(entry, unit)
    )
    return ShownUnits(units, keys, units if all(stood) else tuple(may))
