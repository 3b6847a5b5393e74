"""The units of a catalog as columns of numbers, so that all of them are scored in one pass.

Theory of operation
-------------------
A unit has a row. A row is never given to another unit, nor to the same one with other words: what
an edit changed gets a new row and the old one is dead. So the rows of a file, and the terms of the
rows, are lists that only grow; a dead row is scored with the rest and asked for by nobody.
When more rows are dead than alive all columns are written anew, which is a constant cost for each
unit that ever came in.

The last uses of a unit are two columns for each use, the oldest first: when it was, and how much it
says. Naming a file is one more use of all its rows, written in one step.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from loom.compress.worth.row_terms import Numbers, Rows, RowTerms
from loom.compress.worth.units import Key, Unit, may_come
from loom.lazy import lazy_module

if TYPE_CHECKING:
    import numpy as np
else:
    np = lazy_module("numpy")

USES = 16  # of one unit remembered
FEWEST = 1_024  # rows there is room for at first
ROW = [
    ("tokens", "i8"),
    ("kind", "i2"),
    ("comes", "?"),  # it may be brought back, as far as it is what it is
    ("stale", "?"),
    ("alive", "?"),
    ("waits", "?"),  # its arrival was no touch
    ("uses", "i1"),
    ("born", "i8"),  # by which entry
    ("entry", "i8"),  # of the last use …
    ("step", "i8"),  # … and its step
]


class UnitColumns:
    """A row for each unit; `clock` and `weight` have one for each use, the rows side by side."""

    def __init__(self) -> None:
        self.rows: dict[Key, int] = {}
        self.kinds: dict[str, int] = {}
        self.table: Numbers = np.zeros(FEWEST, ROW)
        self.clock: Numbers = np.zeros((USES, FEWEST), np.int64)
        self.weight: Numbers = np.zeros((USES, FEWEST), np.float64)
        self._keys: list[Key] = []
        self._files: list[str] = []
        self._terms = RowTerms()
        self._of_file: dict[str, list[int]] = {}

    def __len__(self) -> int:
        """How many rows there are, dead ones too."""
        return len(self._keys)

    def put(self, unit: Unit) -> None:
        """Give a unit a row, with the uses it had under another."""
        if len(self) > 2 * len(self.rows) + FEWEST:
            self._write_anew()
        row, old = len(self), self.rows.get(unit.key)
        self._grow(row)
        if old is not None:
            self.table[row] = self.table[old]
            self.table["alive"][old] = False
            self.clock[:, row], self.weight[:, row] = self.clock[:, old], self.weight[:, old]
        self.rows[unit.key] = row
        self._keys.append(unit.key)
        self._files.append("")
        self._terms.put(unit.terms)
        self.table["tokens"][row] = unit.tokens
        self.table["kind"][row] = self.kinds.setdefault(unit.kind, len(self.kinds))
        self.table["comes"][row], self.table["alive"][row] = may_come(unit), True
        if old is not None and self._files[old]:
            self._list(row, self._files[old])

    def drop(self, key: Key) -> None:
        """Let a unit be gone."""
        self.table["alive"][self.rows.pop(key)] = False

    def outdate(self, key: Key) -> None:
        """Let a unit be superseded."""
        if key in self.rows:
            self.table["stale"][self.rows[key]] = True

    def arrive(
        self, key: Key, file: str, entry: int, clock: int, step: int, weight: float, waits: bool
    ) -> None:
        """Note the first use of a unit, and the file it is of."""
        row = self.rows[key]
        given = {"waits": waits, "uses": 1, "born": entry, "entry": entry, "step": step}
        for name, value in given.items():
            self.table[name][row] = value
        self.clock[0, row], self.weight[:, row] = clock, 0.0
        self.weight[0, row] = weight
        if file:
            self._list(row, file)

    def of_file(self, file: str) -> Numbers:
        """The rows of a file, dead ones too."""
        return np.array(self._of_file.get(file, ()), np.int64)

    def of_keys(self, keys: Iterable[Key]) -> Numbers:
        """The rows of units; of those that are gone there is none."""
        return np.array([self.rows[key] for key in keys if key in self.rows], np.int64)

    def use(self, rows: Numbers, entry: int, clock: int, step: int, weight: float) -> None:
        """Note a use of some units; a second one by the same entry takes the place of the first."""
        count = self.table["uses"]
        again = self.table["entry"][rows] == entry
        fresh = rows[~again]
        full = fresh[count[fresh] == USES]
        if len(full):
            for column in (self.clock, self.weight):
                column[:-1, full] = column[1:, full]
            count[full] -= 1
        self.clock[count[fresh], fresh] = clock
        count[fresh] += 1
        self.weight[count[rows] - 1, rows] = weight
        self.table["entry"][rows], self.table["step"][rows] = entry, step

    def uses(self, key: Key) -> list[tuple[int, float]]:
        """Clock and weight of a unit's last uses, the oldest first."""
        row = self.rows[key]
        many = int(self.table["uses"][row])
        return list(
            zip(self.clock[:many, row].tolist(), self.weight[:many, row].tolist(), strict=True)
        )

    def shared(self, says: Mapping[str, float], rows: Rows) -> Numbers:
        """What these rows share with weighted terms: the sum of the weights."""
        return self._terms.shared(says, rows)

    def column(self, name: str) -> Numbers:
        """A column, of the rows there are."""
        return self.table[name][: len(self)]

    def key(self, row: int) -> Key:
        """The unit of a row."""
        return self._keys[row]

    def _list(self, row: int, file: str) -> None:
        self._files[row] = file
        self._of_file.setdefault(file, []).append(row)

    def _grow(self, row: int) -> None:
        size = len(self.table)
        if row == size:
            self.table = np.concatenate((self.table, np.zeros(size, ROW)))
            for name in ("clock", "weight"):
                held = getattr(self, name)
                setattr(self, name, np.concatenate((held, np.zeros_like(held)), axis=1))

    def _write_anew(self) -> None:
        """Keep the rows that are alive."""
        rows = [*self.rows.values()]
        size = max(FEWEST, 2 * len(rows))
        table, clock, weight = self.table, self.clock, self.weight
        self.table = np.zeros(size, ROW)
        self.table[: len(rows)] = table[rows]
        for name, held in (("clock", clock), ("weight", weight)):
            made = np.zeros((USES, size), held.dtype)
            made[:, : len(rows)] = held[:, rows]
            setattr(self, name, made)
        self._keys = [self._keys[row] for row in rows]
        self._terms = self._terms.only(rows)
        files = [self._files[row] for row in rows]
        self.rows = {key: row for row, key in enumerate(self._keys)}
        self._files, self._of_file = [""] * len(rows), {}
        for row, file in enumerate(files):
            if file:
                self._list(row, file)
