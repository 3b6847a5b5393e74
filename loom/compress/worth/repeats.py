"""Units without the lines that stand in the window already."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, pairwise
from typing import Any

from msgspec.structs import replace

from loom.compress.entry_line import texts_by_place
from loom.compress.entry_memo import EntryMemo
from loom.compress.worth.entry_units import EntryUnit, Read
from loom.compress.worth.slices import Range, line_marks
from loom.providers.render.render import render_text
from loom.reduce.arguments import json_object
from loom_partitions.message import Detail, Digest, Entry, Step

CODE = ("read", "edit", "new", "old")  # kinds of units that are lines of a file
LITTLE = 0.08  # of a unit's lines: what is left of it is a crumb. With .25 needs at 64k fell by 4 %
HALF = 0.1  # … where no part of them can be shown alone
CODE_RUN = 8  # of code, which is edited by exact text: in shorter runs it would fall to pieces
RUN = 3  # lines in a row that are worth leaving out


def marks_of_standing_lines(entries: Sequence[Entry], read: Read, memo: EntryMemo) -> set[int]:
    """Return the marks (hashes) of all lines that these entries show."""
    memo.keep({entry.id for entry in entries})
    made = (memo.of(one, "lines", partial(_marks_of_entry, one, read)) for one in entries)
    return set[int]().union(*made)


def _marks_of_entry(entry: Entry, read: Read) -> frozenset[int]:
    """Return the marks (hashes) of the lines in an entry's texts and call arguments."""
    if isinstance(entry, Digest) or entry.detail >= Detail.REDUCED:
        said = [entry.text if isinstance(entry, Digest) else entry.line]
    else:
        said = [
            render_text(text, read) for _, _, text in texts_by_place(entry) if text.media is None
        ]
        if isinstance(entry, Step):
            said += (
                text
                for call in entry.calls
                for text in _strings_within(json_object(call.arguments))
            )
    return frozenset(chain.from_iterable(_line_and_pair_marks(line_marks(text)) for text in said))


def _line_and_pair_marks(lines: Iterable[int]) -> Iterator[int]:
    """Yield the marks in `lines`, then a hash for each pair of neighbouring marks, without marks 0
    (a line that says little)."""
    told = [mark for mark in lines if mark]
    yield from told
    yield from map(hash, pairwise(told))


def _strings_within(value: Any) -> Iterator[str]:
    """Yield all strings in a JSON value, at any depth."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _strings_within(each)


def shown_marks(unit: EntryUnit) -> set[int]:
    """Return the marks (hashes) of the lines that a unit (piece of an entry) shows, and of each
    pair of neighbouring lines."""
    if not unit.shown:
        return set(_line_and_pair_marks(unit.marks))
    lines = (unit.marks[a - unit.first : b - unit.first + 1] for a, b in unit.shown)
    return set(chain.from_iterable(map(_line_and_pair_marks, lines)))


def _which_lines_are_seen(unit: EntryUnit, seen: Container[int]) -> list[bool]:
    """Return a list with True for each line of the unit (piece of an entry) that the window already
    shows. `seen` has the marks (hashes) of lines in the window."""
    marks = unit.marks
    told = [at for at, mark in enumerate(marks) if mark]
    found = [False] * len(marks)
    if unit.kind not in CODE or len(told) == 1:
        for at in told:
            found[at] = marks[at] in seen
    for one, two in pairwise(told):
        if hash((marks[one], marks[two])) in seen:
            found[one] = found[two] = True
    return found


def without_seen_lines(unit: EntryUnit, seen: Container[int]) -> EntryUnit | None:
    """Return the unit (piece of an entry) without the lines whose marks (hashes) are in `seen`;
    None if little would be left."""
    found = _which_lines_are_seen(unit, seen)
    repeated = sum(found)
    if not repeated:
        return unit
    marks = unit.marks
    said = len(marks) - marks.count(0)
    if said - repeated <= (LITTLE if unit.is_divisible else HALF) * said:
        return None
    if not unit.is_divisible:
        return unit
    left = tuple(_unseen_ranges(unit, marks, found))
    if left == ((unit.first, unit.last),):
        return unit
    new = [mark != 0 and not known for mark, known in zip(marks, found, strict=True)]
    ranges = tuple((a, b) for a, b in left if sum(new[a - unit.first : b - unit.first + 1]) >= RUN)
    lines = sum(last - first + 1 for first, last in ranges)
    if not lines:
        return None
    return replace(unit, shown=ranges, tokens=max(1, unit.tokens * lines // unit.height))


def _unseen_ranges(unit: EntryUnit, marks: Sequence[int], found: Sequence[bool]) -> Iterator[Range]:
    """Yield (first, last) for each range of lines that remains of a unit (piece of an entry) when
    long runs of seen lines are removed. `marks` has the mark (hash) of each line, `found` has True
    for each seen line."""
    start = at = 0
    while at < len(found):
        end = after = at
        while end < len(found) and (found[end] or not marks[end]):
            end += 1
            after = end if found[end - 1] else after
        if found[at] and after - at >= (CODE_RUN if unit.kind in CODE else RUN):
            if at > start:
                yield unit.first + start, unit.first + at - 1
            start = after
        at = max(end, at + 1)
    if start < len(found):
        yield unit.first + start, unit.last
