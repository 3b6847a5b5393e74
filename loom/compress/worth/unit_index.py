"""The units of a catalog by all they are found by: key, file, page, text, and names they define.

What is superseded stays known; it is `stale`, and no longer among the `current` units of its file.
"""

from __future__ import annotations

from collections.abc import Iterable

from loom.compress.worth.columns import UnitColumns
from loom.compress.worth.file_names import FileNames
from loom.compress.worth.units import Key, Unit


class UnitIndex:
    """Units and their indexes.

    `defining` names the units that define a name, `tokens` is what all take together.
    """

    def __init__(self) -> None:
        self.units: dict[Key, Unit] = {}
        self.columns = UnitColumns()
        self.entry = 0  # that is being taken in
        self.stale: dict[Key, int] = {}  # superseded units, by which entry each
        self.defining: dict[str, dict[Key, None]] = {}
        self.tokens = 0
        self.files = FileNames()
        self.by_file: dict[str, dict[Key, None]] = {}
        self._current: dict[str, dict[Key, None]] = {}
        self._by_ref: dict[str, list[Key]] = {}
        self._changes = 0
        self._changed: dict[str, int] = {}  # at which change the units of a page did last
        self._by_text: dict[str, Key] = {}

    def add(self, unit: Unit) -> None:
        """Take in a unit. A result that stands in another unit word for word supersedes it."""
        key = unit.key
        if key in self.units:
            self._unlist(self.units[key])
        if unit.where == "result" and unit.kind != "error":
            before = self._by_text.get(unit.text)
            if before in self.units:
                self.outdate([before])
            self._by_text[unit.text] = key
        self._by_ref.setdefault(key[0], []).append(key)
        file = self.files.name(unit.path) if unit.path else ""
        if file:
            self.by_file.setdefault(file, {})[key] = None
        if unit.kind == "old":
            self.stale[key] = self.entry  # it is what stands there no longer
        elif file and key not in self.stale:
            self._current.setdefault(file, {})[key] = None
        self._list(unit)
        if key in self.stale:
            self.columns.outdate(key)

    def change(self, unit: Unit) -> None:
        """Let a known unit be as it is now."""
        old = self.units[unit.key]
        self._retext(old)
        self._unlist(old)
        self._list(unit)

    def place(self, unit: Unit) -> None:
        """Let a known unit be as it is now, where nothing but its `moved` is another."""
        self._changes += 1
        self._changed[unit.key[0]] = self._changes
        self.units[unit.key] = unit

    def forget(self, unit: Unit) -> bool:
        """Drop a unit; False for one that was dropped before."""
        if unit.key not in self.units:
            return False
        self._unlist(self.units.pop(unit.key))
        self.columns.drop(unit.key)
        self._retext(unit)
        self._by_ref.pop(unit.key[0], None)
        self.stale.pop(unit.key, None)
        file = self.files.name(unit.path) if unit.path else ""
        for known in (self.by_file, self._current):
            units = known.get(file, {})
            units.pop(unit.key, None)
            if not units:
                known.pop(file, None)
        return True

    def outdate(self, keys: Iterable[Key]) -> None:
        """Let units be superseded."""
        for key in keys:
            if key in self.stale:
                continue
            self.stale[key] = self.entry
            self.columns.outdate(key)
            unit = self.units.get(key)
            if unit is not None and unit.path:
                file = self.files.name(unit.path)
                current = self._current.get(file, {})
                current.pop(key, None)
                if not current:
                    self._current.pop(file, None)

    def of_file(self, path: str) -> Iterable[Key]:
        """The units of a file, oldest first."""
        return self.by_file.get(self.files.name(path), {})

    def current(self, file: str) -> Iterable[Key]:
        """The units of a file, by its canonical name, that are not superseded."""
        return self._current.get(file, {})

    def current_of(self, path: str) -> list[Unit]:
        """The units of a file that are not superseded."""
        return [self.units[key] for key in self.current(self.files.name(path))]

    def of_ref(self, ref: str) -> list[Unit]:
        """The units of a page or an entry."""
        return [self.units[key] for key in self._by_ref.get(ref, ()) if key in self.units]

    def version(self, ref: str) -> int:
        """A number of the units of a page or an entry; another when any of them changed."""
        return self._changed.get(ref, 0)

    def _retext(self, unit: Unit) -> None:
        """Drop a unit from the index of texts."""
        if self._by_text.get(unit.text) == unit.key:
            del self._by_text[unit.text]

    def _list(self, unit: Unit) -> None:
        self._changes += 1
        self._changed[unit.key[0]] = self._changes
        self.units[unit.key] = unit
        self.columns.put(unit)
        self.tokens += unit.tokens
        for name in unit.defines:
            self.defining.setdefault(name, {})[unit.key] = None

    def _unlist(self, unit: Unit) -> None:
        self._changed.pop(unit.key[0], None)
        self.tokens -= unit.tokens
        for name in unit.defines:
            self.defining[name].pop(unit.key, None)
            if not self.defining[name]:
                del self.defining[name]
