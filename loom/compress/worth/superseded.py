"""Which units show a file as it no longer is.

A unit is superseded as soon as an edit changes its text, a later reading has other lines in its
place, or a command may have changed the file. An edit's old text may span several units."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from loom.compress.worth.edited import Replacement, adjacent_runs
from loom.compress.worth.entry_units import EntryUnit, UnitKey
from loom.lazy import lazy_re
from loom.reduce.arguments import json_object
from loom.reduce.file_rules import RANGE_KEYS
from loom_partitions.message import Call

SHOWN = ("read", "edit", "write")  # kinds of units that show a file
ENDS = 8  # characters a common end of two texts has when it is no chance
FEW = 8  # lines: so short an answer to a reading may be "unchanged since the last"
MOST_READ = 2_000  # lines: a reading of as many may go on
_CUT_OFF = lazy_re(r"truncated|more lines|showing lines|total lines", re.I)


def is_file_text_in_call(unit: EntryUnit) -> bool:
    """Return True for a unit (piece of an entry) with text that a call wrote into a file."""
    return unit.where == "call" and unit.kind == "new" and bool(unit.path)


def shows_file(unit: EntryUnit) -> bool:
    """Return True for a unit (piece of an entry) with lines of a file, current or outdated."""
    return is_file_text_in_call(unit) or (
        unit.where == "result" and unit.kind in SHOWN and bool(unit.path)
    )


def keys_outdated_by_edit(units: Sequence[EntryUnit], change: Replacement) -> Iterator[UnitKey]:
    """Yield the keys of the units (pieces of entries) that an edit makes outdated. `units` are all
    units of the edited file."""
    old, new = change.old, change.new
    for run in adjacent_runs([unit for unit in units if shows_file(unit)]):
        whole = "".join(unit.text for unit in run)
        if old in whole:
            yield from _keys_of_units_showing(run, whole, old)
        elif is_file_text_in_call(run[0]) and whole.strip("\n") in old:
            yield from (unit.key for unit in run if whole.strip("\n") not in new)
        else:
            yield from _keys_of_changed_ends(run, whole, old, new)


def _keys_of_units_showing(run: Sequence[EntryUnit], whole: str, old: str) -> Iterator[UnitKey]:
    """Yield the keys of the units (pieces of entries) in `run` that contain a part of `old`. The
    units are adjacent; `whole` is their joined text."""
    at = whole.find(old)
    start = 0
    for unit in run:
        end = start + len(unit.text)
        while at >= 0 and at + len(old) <= start:
            at = whole.find(old, at + 1)
        if 0 <= at < end:
            yield unit.key
        start = end


def _keys_of_changed_ends(
    run: Sequence[EntryUnit], whole: str, old: str, new: str
) -> Iterator[UnitKey]:
    """Yield the keys of the units (pieces of entries) at the ends of `run` that show a changed part
    of the replaced text `old`, but not all of `old`."""
    shown = _overlap_length(old, whole)
    if shown and old[:shown] != new[:shown]:
        yield run[-1].key
    shown = _overlap_length(old[::-1], whole[::-1])
    if shown and old[-shown:] != new[-shown:]:
        yield run[0].key


def _overlap_length(start: str, text: str) -> int:
    """Return the length of the longest text that begins `start` and ends `text`, 0 if short."""
    end = text[-ENDS:]
    at = start.rfind(end) if len(end.strip()) >= ENDS // 2 else -1
    while at >= 0 and not text.endswith(start[: at + len(end)]):
        at = start.rfind(end, 0, at + len(end) - 1)
    return at + len(end) if at >= 0 else 0


def keys_outdated_by_read(
    call: Call, known: Sequence[EntryUnit], read: Sequence[EntryUnit]
) -> Iterator[UnitKey]:
    """Yield the keys of the `known` units (pieces of entries) of a file that a later read repeats
    or contradicts. `read` are the units of that read."""
    read = [unit for unit in read if unit.numbered == read[0].numbered]  # less what a tool adds
    text = "".join(unit.text for unit in read)
    first, last = read[0].file_lines[0], read[-1].file_lines[1]
    lines = text.splitlines()
    whole = _reads_whole_file(call, read, lines)
    for unit in known:
        low, high = unit.file_lines
        reading = unit.kind == "read"
        covered = whole or (first <= low and high <= last) or _shows_other_lines(unit, first, lines)
        differs = shows_file(unit) and unit.text.strip("\n") not in text
        if (whole and differs) or (reading and covered):
            yield unit.key


def _shows_other_lines(unit: EntryUnit, first: int, lines: Sequence[str]) -> bool:
    """Return True if a unit (piece of an entry) and `lines`, the file from line `first` on, differ
    in lines with the same numbers. The line numbers of a `moved` unit are inexact and not used."""
    low, high = unit.file_lines
    start, end = max(first, low), min(first + len(lines) - 1, high) + 1
    if start < end and unit.moved:
        mine, text = unit.text.strip("\n"), "\n".join(lines).strip("\n")
        return not (
            mine in text
            or text in mine
            or _overlap_length(mine, text)
            or _overlap_length(text, mine)
        )
    mine_there = unit.text.splitlines()[max(start - low, 0) : end - low]
    return start < end and mine_there != lines[start - first : end - first]


def _reads_whole_file(call: Call, read: Sequence[EntryUnit], lines: Sequence[str]) -> bool:
    """Return True if a read shows the whole file, from line 1 to the end."""
    members = json_object(call.arguments)
    ranged = any(members.get(key) is not None for key in RANGE_KEYS)
    cut_off = len(lines) >= MOST_READ or any(_CUT_OFF.search(line) for line in lines[-3:])
    says_little = not read[0].numbered and len(lines) < FEW
    return read[0].file_lines[0] == 1 and not ranged and not cut_off and not says_little
