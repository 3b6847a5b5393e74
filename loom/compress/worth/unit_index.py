"""The units of a working set by all they are found by: key, file, page, text, names they define.

A superseded unit stays known; it is `stale`, and no longer among the current units of its file."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from loom.compress.worth.entry_units import EntryUnit, UnitKey
from loom.compress.worth.file_names import FileNames
from loom.compress.worth.unit_columns import UnitColumns


class UnitIndex:
    """Units (pieces of entries), found by key, file, page, text or defined name.

    `stale` maps the key of each outdated unit to the id of the entry that outdated the unit.
    `defining` maps a name to the keys of units that define the name. `tokens` is the total of all
    units."""

    def __init__(self) -> None:
        self.units: dict[UnitKey, EntryUnit] = {}
        self.columns = UnitColumns()
        self.entry = 0  # that is being taken in
        self.stale: dict[UnitKey, int] = {}  # superseded units, by which entry each
        self.defining: dict[str, dict[UnitKey, None]] = {}
        self.tokens = 0
        self.files = FileNames()
        self.by_file: dict[str, dict[UnitKey, None]] = {}
        self._current: dict[str, dict[UnitKey, None]] = {}
        self._by_ref: dict[str, list[UnitKey]] = {}
        self._of_ref: dict[str, tuple[EntryUnit, ...]] = {}  # of those that were asked for
        self._by_text: dict[str, UnitKey] = {}

    def add(self, unit: EntryUnit) -> None:
        """Add a unit. If `unit` is a result, an older unit with the same text becomes outdated."""
        key = unit.key
        if key in self.units:
            self._drop_names_and_tokens(self.units[key])
        if unit.where == "result" and unit.kind != "error":
            before = self._by_text.get(unit.text)
            if before in self.units:
                self.mark_stale([before])
            self._by_text[unit.text] = key
        self._by_ref.setdefault(key[0], []).append(key)
        file = self.files.name(unit.path)
        if file:
            self.by_file.setdefault(file, {})[key] = None
        if unit.kind == "old":
            self.stale[key] = self.entry  # it is what stands there no longer
        elif file and key not in self.stale:
            self._current.setdefault(file, {})[key] = None
        self.units[key] = unit
        self._of_ref.pop(key[0], None)
        self.columns.put(unit)
        self.tokens += unit.tokens
        for name in unit.defines:
            self.defining.setdefault(name, {})[key] = None
        if key in self.stale:
            self.columns.mark_stale(key)

    def forget(self, unit: EntryUnit) -> bool:
        """Remove a unit. Return False for a unit that is not in the index."""
        if unit.key not in self.units:
            return False
        self._drop_names_and_tokens(self.units.pop(unit.key))
        self.columns.drop(unit.key)
        if self._by_text.get(unit.text) == unit.key:
            del self._by_text[unit.text]
        self._by_ref.pop(unit.key[0], None)
        self._of_ref.pop(unit.key[0], None)
        self.stale.pop(unit.key, None)
        self._drop_from_file(unit, self.by_file, self._current)
        return True

    def mark_stale(self, keys: Iterable[UnitKey]) -> None:
        """Mark these units (pieces of entries) as outdated by the entry that is being added."""
        for key in keys:
            if key in self.stale:
                continue
            self.stale[key] = self.entry
            self.columns.mark_stale(key)
            if key in self.units:
                self._drop_from_file(self.units[key], self._current)

    def _drop_from_file(self, unit: EntryUnit, *by_file: dict[str, dict[UnitKey, None]]) -> None:
        """Remove a unit from each dict in `by_file`."""
        file = self.files.name(unit.path)
        for known in by_file:
            units = known.get(file, {})
            units.pop(unit.key, None)
            if not units:
                known.pop(file, None)

    def current(self, file: str) -> Iterable[UnitKey]:
        """Return the keys of the units (pieces) of a file that are not outdated. `file` is the
        file's canonical name."""
        return self._current.get(file, {})

    def current_units(self, path: str) -> list[EntryUnit]:
        """Return the units (pieces) of a file that are not outdated. `path` is any path of the
        file."""
        return [self.units[key] for key in self.current(self.files.name(path))]

    def of_ref(self, ref: str) -> tuple[EntryUnit, ...]:
        """Return the units (pieces) of a page or entry, the same tuple until a unit changes."""
        if ref not in self._of_ref and ref in self._by_ref:
            keys = (key for key in self._by_ref[ref] if key in self.units)
            self._of_ref[ref] = tuple(map(self.units.__getitem__, keys))
        return self._of_ref.get(ref, ())

    def move(self, unit: EntryUnit) -> None:
        """Mark a unit as moved: its line number in the file is out of date."""
        self.units[unit.key] = replace(unit, moved=True)
        self._of_ref.pop(unit.key[0], None)

    def _drop_names_and_tokens(self, unit: EntryUnit) -> None:
        """Remove a unit from `defining`, and subtract its tokens from `tokens`."""
        self.tokens -= unit.tokens
        for name in unit.defines:
            self.defining[name].pop(unit.key, None)
            if not self.defining[name]:
                del self.defining[name]
