"""Residency: the units of an entry that the window shows now, and those a cut may choose from."""

from __future__ import annotations

from typing import Any, NamedTuple

from loom.compress.worth.units import Key, Unit, holder
from loom.reduce.arguments import object_of
from loom_partitions.message import Call, Detail, Said, Step, Text, UserTurn

Parsed = dict[int, dict[str, Any]]  # arguments of a step's calls, by the place of the call


def stands(entry: UserTurn | Step, unit: Unit, parsed: Parsed) -> bool:
    """True when an entry at full or snipped detail shows one of its units.

    `parsed` is filled: who asks for all units of a step gives the same each time, for one call may
    have very many arguments.
    """
    if isinstance(entry, UserTurn):
        return holds(entry.text, unit)
    if unit.where == "beside":
        return True  # known by what stands there
    if unit.where == "result":
        if holds(entry.outcomes[unit.at].text, unit):
            return True
        asides = (one.text for one in entry.beside if (one.ref, one.field) == unit.key[:2])
        return any(pages_in(text, unit) for text in asides)
    part = entry.parts[unit.at]
    if isinstance(part, Said):
        return part.text.whole
    if not isinstance(part, Call) or not part.page:
        return isinstance(part, Call)
    if unit.at not in parsed:
        parsed[unit.at] = object_of(part.arguments)
    held, key = holder(parsed[unit.at], unit.field)
    value = held.get(key)
    return isinstance(value, str) and unit.text.rstrip("\n") in value


def holds(text: Text, unit: Unit) -> bool:
    """True when a text shows lines of one of its units; those it leaves out stood elsewhere."""
    if text.whole:
        return True
    return any(first <= unit.last and unit.first <= last for first, last in text.lines)


def pages_in(text: Text, unit: Unit) -> bool:
    """True when a text that was read ahead of the unit's page or entry shows the unit."""
    if unit.first:
        return any(first <= unit.last and unit.first <= last for first, last in text.lines)
    return unit.text.rstrip("\n") in (text.body or "")


def is_preview(text: Text) -> bool:
    """True for a text that came in as a preview of its page; not for a choice of lines."""
    return not text.whole and bool(text.body) and not text.lines


def in_preview(entry: UserTurn | Step, unit: Unit) -> bool:
    """True for a unit of a text of this entry that came in as a preview of its page: without such
    units a fact in a long message is gone at the first cut (`benchmarks speed --peers`)."""
    if entry.detail is not Detail.FULL or unit.where not in ("user", "result"):
        return False
    return is_preview(entry.text if isinstance(entry, UserTurn) else entry.outcomes[unit.at].text)


class Shown(NamedTuple):
    """The units of an entry, its own and those read ahead into it; the keys of those that stand in
    the window, and the units a cut may choose from: these, and all of what is a preview."""

    units: tuple[Unit, ...]
    standing: frozenset[Key]
    available: tuple[Unit, ...]


def shown_of(entry: UserTurn | Step, units: tuple[Unit, ...]) -> Shown:
    """The units an entry shows."""
    if entry.detail >= Detail.REDUCED:
        return Shown(units, frozenset(), ())
    parsed: Parsed = {}
    stood = [stands(entry, unit, parsed) for unit in units]
    keys = frozenset(unit.key for unit, now in zip(units, stood, strict=True) if now)
    # A text too large for the window came in as a preview; the first cut chooses lines of it.
    may = (unit for unit, now in zip(units, stood, strict=True) if now or in_preview(entry, unit))
    return Shown(units, keys, units if all(stood) else tuple(may))
