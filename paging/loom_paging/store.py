"""The protocol of a store of named bytes, and the reference store, in memory.

A store holds three kinds of names side by side: pages (`put`: durable, write-once), logs (`append`:
durable, growing) and sketches (`sketch`: derived, replaceable, not durable).
`loom_paging.names.checked_name` checks each name; a name cannot be both a file and a folder."""

from __future__ import annotations

from collections import Counter
from threading import RLock
from typing import Protocol, runtime_checkable

from loom_paging.errors import MissingPage, PageExists
from loom_paging.names import checked_name, parent_folders


class ReadableStore(Protocol):
    """The part of a Store that reads; a check needs no more."""

    def get(self, name: str) -> bytes:
        """Return all bytes under `name`. Raises MissingPage for an unknown name."""
        ...

    def names(self, prefix: str = "") -> list[str]:
        """Return the names that start with `prefix`, sorted by code point."""
        ...

    def read(self, name: str, offset: int, length: int) -> bytes:
        """Return up to `length` bytes from byte `offset` on, b"" past the end."""
        ...

    def size(self, name: str) -> int:
        """Return the number of bytes under `name`. Raises MissingPage for an unknown name."""
        ...


class Store(ReadableStore, Protocol):
    """Named bytes that outlive the process. Every method raises OutsideStore for a bad name."""

    def put(self, name: str, data: bytes) -> None:
        """Write a page durably. Other bytes under the same name raise PageExists; putting the same
        bytes again is a no-op. When several threads or processes put one name at once, exactly one
        of them succeeds."""
        ...

    def has(self, name: str) -> bool:
        """Return True when `name` holds bytes."""
        ...

    def link(self, existing: str, new: str) -> None:
        """Give the bytes of `existing` a second name, `new`, durably. Raises MissingPage when there
        are no such bytes, and PageExists when `new` has other bytes."""
        ...

    def delete(self, name: str) -> None:
        """Remove one name; the bytes keep their other names. Raises MissingPage for an unknown
        name."""
        ...

    def append(self, name: str, data: bytes) -> None:
        """Add bytes to the end of a log durably. A missing log is made, even when `data` is empty.
        Raises PageExists when the log has a second name."""
        ...

    def truncate(self, name: str, size: int) -> None:
        """Shorten a log to its first `size` bytes, durably. Raises ValueError when it has fewer."""
        ...

    def sketch(self, name: str, data: bytes) -> None:
        """Write or replace a file that can be rebuilt, in one step. A crash may lose it."""
        ...


@runtime_checkable
class Markable(Protocol):
    """A store that can tell whether the bytes of a name have changed, without reading the bytes."""

    def mark(self, name: str) -> tuple[int, ...]:
        """Return a tuple of numbers that changes whenever the bytes of a name change. Return ()
        when the store cannot tell. Raises MissingPage."""
        ...


class _Cell:
    """The bytes of one or more names, and the number of these names."""

    def __init__(self, data: bytes) -> None:
        self.data = bytearray(data)
        self.links = 1


def span(offset: int, length: int) -> slice:
    """Return the slice of bytes that a read returns. Raises ValueError for a negative number."""
    if offset < 0 or length < 0:
        raise ValueError(f"a read covers bytes from 0 up, not offset {offset}, length {length}")
    return slice(offset, offset + length)


class MemoryStore:
    """The reference store: a dictionary, for tests and for windows that are not kept."""

    def __init__(self) -> None:
        self._cells: dict[str, _Cell] = {}
        self._naming = RLock()  # a name is looked for and taken in one step
        self._folders: Counter[str] = Counter()  # how many names lie somewhere under each

    def _cell(self, name: str) -> _Cell:
        try:
            return self._cells[checked_name(name)]
        except KeyError:
            raise MissingPage(name, "this store in memory") from None

    def _add_name(self, name: str, cell: _Cell) -> None:
        """Give `cell` a new name. Raises PageExists when the name is taken, or a folder in it is a
        file."""
        folders = parent_folders(checked_name(name))
        if self._folders[name] or any(taken in self._cells for taken in [*folders, name]):
            raise PageExists(name)
        self._cells[name] = cell
        self._folders.update(folders)

    def put(self, name: str, data: bytes) -> None:
        """Write a page. Raises PageExists when the name has other bytes."""
        with self._naming:
            held = self._cells.get(checked_name(name))
            if held is None or held.data != data:
                self._add_name(name, _Cell(data))

    def get(self, name: str) -> bytes:
        """Return all bytes under `name`. Raises MissingPage for an unknown name."""
        return bytes(self._cell(name).data)

    def has(self, name: str) -> bool:
        """Return True when `name` holds bytes."""
        return checked_name(name) in self._cells

    def names(self, prefix: str = "") -> list[str]:
        """Return the names that start with `prefix`, sorted."""
        return sorted(name for name in list(self._cells) if name.startswith(prefix))

    def link(self, existing: str, new: str) -> None:
        """Give the bytes of `existing` a second name, `new`."""
        checked_name(new)
        with self._naming:
            cell, held = self._cell(existing), self._cells.get(new)
            if held is None or held.data != cell.data:
                self._add_name(new, cell)
                cell.links += 1

    def delete(self, name: str) -> None:
        """Remove one name. Raises MissingPage for an unknown name."""
        with self._naming:
            self._cell(name).links -= 1
            del self._cells[name]
            self._folders.subtract(parent_folders(name))

    def append(self, name: str, data: bytes) -> None:
        """Add bytes to the end of a log. A missing log is made."""
        with self._naming:
            if not self.has(name):
                self._add_name(name, _Cell(b""))
        self._log_cell(name).data.extend(data)

    def _log_cell(self, name: str) -> _Cell:
        cell = self._cell(name)
        if cell.links > 1:
            raise PageExists(name)
        return cell

    def size(self, name: str) -> int:
        """Return the number of bytes under `name`."""
        return len(self._cell(name).data)

    def read(self, name: str, offset: int, length: int) -> bytes:
        """Return up to `length` bytes under a name, from byte `offset` on."""
        part = span(offset, length)
        return bytes(self._cell(name).data[part])

    def truncate(self, name: str, size: int) -> None:
        """Shorten a log to its first `size` bytes. Raises ValueError when it has fewer."""
        held = self.size(name)
        if not 0 <= size <= held:
            raise ValueError(f"{name!r} has {held} bytes and cannot be cut to {size}")
        del self._log_cell(name).data[size:]

    def sketch(self, name: str, data: bytes) -> None:
        """Write or replace a file that can be rebuilt from others."""
        with self._naming:
            if self.has(name):
                self.delete(name)
            self._add_name(name, _Cell(data))
