"""The fold of a log of changes: which bytes lie under which names. No I/O.

A cell is a run of extents; names that were linked share one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

import msgspec

from loom_paging.errors import MissingPage, PageExists
from loom_paging.names import checked, parents
from loom_paging.remote.batch import (
    AppendChange,
    Change,
    CutChange,
    LinkChange,
    ObjectSpan,
    PutChange,
    RemoveChange,
)


class NamedCell(msgspec.Struct):
    """The bytes of one name, or of several that were linked: where they lie, and how many."""

    extents: list[ObjectSpan]
    links: int = 1

    @property
    def size(self) -> int:
        """How many bytes it has."""
        return sum(one.length for one in self.extents)


class FoldedLog:
    """The names of a store, and where their bytes lie."""

    def __init__(self, place: str) -> None:
        self.cells: dict[str, NamedCell] = {}
        self._place = place
        self._folders: Counter[str] = Counter()

    def cell(self, name: str) -> NamedCell:
        """The cell of a name; MissingPage when there is none, OutsideStore for a bad one."""
        try:
            return self.cells[checked(name)]
        except KeyError:
            raise MissingPage(name, self._place) from None

    def check_free(self, name: str) -> None:
        """Raise PageExists when a name, or a folder of it, is taken."""
        folders = parents(checked(name))
        if self._folders[name] or any(one in self.cells for one in (*folders, name)):
            raise PageExists(name)

    def log(self, name: str) -> NamedCell:
        """The cell of a log; PageExists when its bytes have a second name."""
        cell = self.cell(name)
        if cell.links > 1:
            raise PageExists(name)
        return cell

    def apply(self, change: Change) -> None:
        """Take one change in. It was checked before it was written: LookupError tells that Loom did
        not write it, or that something before it is missing."""
        match change:
            case PutChange(name, at):
                self._hold(name, NamedCell([at] if at.length else []))
            case AppendChange(name, at):
                if name not in self.cells:
                    self._hold(name, NamedCell([]))
                extend(self.cells[name].extents, at)
            case CutChange(name, size):
                extents = self.cells[name].extents
                extents[:] = covered(extents, 0, size)
            case RemoveChange(name):
                self.cells.pop(name).links -= 1
                self._folders.subtract(parents(name))
            case LinkChange(existing, new):
                cell = self.cells[existing]
                self._hold(new, cell)
                cell.links += 1

    def each(self) -> Iterator[NamedCell]:
        """Every cell once, however many names it has."""
        return iter({id(cell): cell for cell in self.cells.values()}.values())

    def place(self, held: dict[str, NamedCell]) -> None:
        """Begin with what a checkpoint holds."""
        for name, cell in held.items():
            self._hold(name, cell)

    def _hold(self, name: str, cell: NamedCell) -> None:
        try:
            self.check_free(name)
        except PageExists:
            raise LookupError(f"{name}, which is taken") from None
        self.cells[name] = cell
        self._folders.update(parents(name))


def covered(extents: Iterable[ObjectSpan], offset: int, length: int) -> list[ObjectSpan]:
    """The extents, cut where needed, that hold `length` bytes from `offset`."""
    found, end = [], offset + length
    at = 0
    for one in extents:
        start, stop = max(offset, at), min(end, at + one.length)
        if start < stop:
            found.append(ObjectSpan(one.key, one.offset + start - at, stop - start))
        at += one.length
        if at >= end:
            break
    return found


def extend(extents: list[ObjectSpan], at: ObjectSpan) -> None:
    """Add an extent at the end; one that follows the last directly makes it longer."""
    if not at.length:
        return
    last = extents[-1] if extents else None
    if last is not None and last.key == at.key and last.offset + last.length == at.offset:
        extents[-1] = ObjectSpan(last.key, last.offset, last.length + at.length)
    else:
        extents.append(at)
