"""Read-ahead: a unit that left the window and is in use again comes back before it is missed.

A unit comes back, at the tail, when the last step (or the user since) touched it, it is worth more
per token than a good share of the units in the window, and it fits the turn's budget as shown. The
best come first; neighbouring slices of a page come as one text."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from loom.compress.worth.entry_units import EntryUnit, UnitKey, excerpt_parts_of
from loom.compress.worth.repeats import shown_marks, without_seen_lines
from loom.compress.worth.slices import excerpt_text, merge_ranges
from loom.compress.worth.unit_columns import Numbers
from loom.compress.worth.working_set import WorkingSet
from loom.compress.worth.worth import Worths
from loom.lazy import lazy_module
from loom_partitions.message import Detail, Digest, Entry, PagedIn, Text

if TYPE_CHECKING:
    import numpy as np
else:
    np = lazy_module("numpy", globals())

FRAME = 30  # tokens of what is said around lines that come back
# Bytes that are looked through at most for what comes back in one turn, and what each look costs
# beside them: each unit more is counted with all that came before it (judgement).
LOOKED, EACH = 4_000_000, 1_000


class UnitsToBringBack(Struct, frozen=True):
    """Units (pieces of entries) that come back to the window together, as one text. `ref` names the
    page or entry with the units. `tokens` is the size of the text with its heading. `mark` is the
    session's sign on text that Loom wrote."""

    ref: str
    units: tuple[EntryUnit, ...]
    tokens: int = 0
    mark: str = ""

    @property
    def as_paged_in(self) -> PagedIn:
        """Return the units joined to one text, as a `PagedIn`."""
        field, path = self.units[0].key[1], self.units[0].path
        paged = PagedIn(self.ref, Text(self.tokens, 0), path, field)
        return paged_in_lines(paged, self.units, self.mark)


def paged_in_lines(paged: PagedIn, units: Collection[EntryUnit], mark: str) -> PagedIn:
    """Return `paged` with only the lines of these units (pieces of entries). Its token count is not
    updated."""
    body = excerpt_text(excerpt_parts_of(units), 0, "", mark)
    page = paged.ref if paged.ref.startswith("outputs/") else f"history/{paged.ref}.json"
    lines = merge_ranges(lines for unit in units if unit.first for lines in unit.shown_ranges)
    text = Text(paged.text.tokens, len(body.encode()), body, page, lines, marked=True)
    return replace(paged, text=text)


def absent_keys(
    working_set: WorkingSet, worths: Worths, standing: Collection[UnitKey], room: int
) -> list[UnitKey]:
    """Return the keys of units (pieces of entries) that left the window and may come back, as many
    as fit in `room` tokens, those with the most worth per token first. `standing` has the keys of
    units in the window."""
    columns = working_set.columns
    comes = columns.returning()
    comes[columns.rows_of(standing)] = False
    rows = comes.nonzero()[0]
    least = -worths.densities_of(rows)
    # No more than these can have room, and those that are as good as the last of them.
    most = max(room, 0) // FRAME + 1
    if len(rows) > most:
        rows = rows[least <= np.partition(least, most - 1)[most - 1]]
        least = -worths.densities_of(rows)
    found: list[UnitKey] = []
    for _, key in sorted(zip(least.tolist(), map(columns.key, rows.tolist()), strict=True)):
        room -= working_set.units[key].tokens + FRAME
        if room < 0:
            break
        found.append(key)
    return found


def resident_keys(working_set: WorkingSet, entries: Iterable[Entry]) -> set[UnitKey]:
    """Return the keys of the units (pieces) that these entries show in the window."""
    full = [e for e in entries if not isinstance(e, Digest) and e.detail < Detail.REDUCED]
    working_set.looked.keep({entry.id for entry in full})
    return set[UnitKey]().union(*(working_set.shown(entry).standing for entry in full))


def choose_units_to_bring_back(
    working_set: WorkingSet,
    worths: Worths,
    touched: Collection[UnitKey],
    standing: Collection[UnitKey],
    room: int,
    size: Callable[[PagedIn], int],
    mark: str,
    lines: Callable[[], set[int]] = set,
) -> list[UnitsToBringBack]:
    """Return the units (pieces of entries) to bring back to the window within `room` tokens,
    grouped by the page or entry they are from.

    `touched` has the keys of units in use now, `standing` the keys of units in the window. `size`
    counts the tokens of a text as it would be shown. `lines` returns hashes of the lines already in
    the window, which are not brought back. `mark` is the session's sign on text that Loom wrote."""
    missing = [key for key in dict.fromkeys(touched) if key not in standing]
    if not missing or room <= 0:
        return []
    bar = _least_density_to_return(worths, working_set.columns.rows_of(standing))
    taken: dict[tuple[str, str], UnitsToBringBack] = {}
    seen: set[int] | None = None  # looked for once anything is good enough
    looked = 0
    for density, key in sorted(((worths.density_of(key), key) for key in missing), reverse=True):
        if density < bar or looked > LOOKED:
            break
        seen = lines() if seen is None else seen
        unit = without_seen_lines(working_set.units[key], seen)
        if unit is None or unit.tokens > room:  # need not be counted
            continue
        before = taken.get(key[:2], UnitsToBringBack(key[0], (), mark=mark))
        units = tuple(sorted((*before.units, unit), key=lambda one: (one.first, one.at, one.field)))
        after = UnitsToBringBack(key[0], units, mark=mark)
        paged = after.as_paged_in
        looked += paged.text.size + EACH
        after = replace(after, tokens=size(paged))
        if (more := after.tokens - before.tokens) <= room:
            room -= more
            taken[key[:2]] = after
            seen |= shown_marks(unit)
    return list(taken.values())


def _least_density_to_return(worths: Worths, standing: Numbers) -> float:
    """Return the least worth per token with which a unit (piece of an entry) may come back to the
    window. The fraction `gate` of the units in the window are worth less per token."""
    if not len(standing):
        return 0.0
    place = min(int(len(standing) * worths.fitted.gate), len(standing) - 1)
    return float(np.partition(worths.densities_of(standing), place)[place])
