"""The units of a working set as columns of numbers, so that all units are scored in one pass.

Theory of operation. A unit has a row while it is known; the row of a forgotten
unit is given to the next unit. The last uses of a unit are two columns for each use, the oldest
first: when the use was, and its weight. Terms are numbered, and a row holds its terms in the order
of their names: so the weights of a row are always added in the same order, and two rows with the
same terms come to the same sum."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from loom.compress.worth.entry_units import EntryUnit, UnitKey, may_come_back
from loom.lazy import lazy_module

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = lazy_module("numpy", globals())

Numbers: TypeAlias = "NDArray[Any]"
# How much a use says: it came in, its file was named, a name it defines was spoken of.
CREATED, NAMED, DEFINED = 1.5, 1.0, 1.5
USES = 16  # of one unit remembered
FEWEST = 1_024  # rows there is room for at first
ROW = [
    ("tokens", "i8"),
    ("kind", "i2"),
    ("terms", "i4"),  # how many it has
    ("comes", "?"),  # it may be brought back, as far as it is what it is
    ("stale", "?"),
    ("alive", "?"),
    ("uses", "i1"),
    ("hit", "i8"),  # the entry that touched it last, 0 for none …
    ("step", "i8"),  # … and the step of its last use
]


class TermNumbers:
    """A number for each term (identifier). `of` maps a term to its number. `held` has, at each
    number, how many units contain the term."""

    def __init__(self) -> None:
        self.of: dict[str, int] = {}
        self._names: list[str] = []
        self.held = array("q")
        self._free: list[int] = []

    def take(self, terms: Iterable[str]) -> array[int]:
        """Count one more unit with these terms. Return the numbers of the terms, sorted by term."""
        of = self.of
        numbers = array("i", [of[t] if t in of else self._new_number(t) for t in sorted(terms)])
        for number in numbers:
            self.held[number] += 1
        return numbers

    def _new_number(self, term: str) -> int:
        """Give `term` a free number and return the number."""
        if self._free:
            number = self.of[term] = self._free.pop()
            self._names[number] = term
        else:
            number = self.of[term] = len(self.held)
            self._names.append(term)
            self.held.append(0)
        return number

    def release(self, numbers: Iterable[int]) -> None:
        """Count one unit less for each of these numbers, and free unused numbers."""
        for number in numbers:
            self.held[number] -= 1
            if not self.held[number]:
                del self.of[self._names[number]]
                self._free.append(number)


class UnitColumns:
    """A table with one row for each unit (piece of an entry). `clock` and `weight` are arrays
    indexed by use and row: when each remembered use of the unit was, and how much it counts."""

    def __init__(self) -> None:
        self.rows: dict[UnitKey, int] = {}
        self.kinds: dict[str, int] = {}
        self.terms = TermNumbers()
        self.table: Numbers = np.zeros(FEWEST, ROW)
        self.clock: Numbers = np.zeros((USES, FEWEST), np.int64)
        self.weight: Numbers = np.zeros((USES, FEWEST), np.float64)
        self._keys: list[UnitKey] = []
        self._held: list[array[int]] = []  # the terms of each row
        self._free: list[int] = []

    def __len__(self) -> int:
        """Return the number of rows, free ones included."""
        return len(self._keys)

    def put(self, unit: EntryUnit) -> None:
        """Write a unit into its row, or into a new row."""
        row = self.rows.get(unit.key)
        if row is None:
            row = self.rows[unit.key] = self._new_row(unit.key)
        self.terms.release(self._held[row])
        held = self._held[row] = self.terms.take(unit.terms)
        made = self.table[row]
        made["tokens"], made["terms"], made["comes"] = unit.tokens, len(held), may_come_back(unit)
        made["kind"] = self.kinds.setdefault(unit.kind, len(self.kinds))

    def drop(self, key: UnitKey) -> None:
        """Remove a unit; its row becomes free."""
        row = self.rows.pop(key)
        self.terms.release(self._held[row])
        self._held[row] = array("i")
        self.table[row], self.weight[:, row] = 0, 0.0
        self._free.append(row)

    def mark_stale(self, key: UnitKey) -> None:
        """Mark a unit, if it is known, as outdated."""
        if key in self.rows:
            self.table["stale"][self.rows[key]] = True

    def set_first_use(
        self, key: UnitKey, entry: int, clock: int, step: int, *, waits: bool
    ) -> None:
        """Record a unit's first use: `entry` brought the unit into the window. `clock` is the
        tokens and `step` the steps that had come in. With `waits` True, `entry` does not count as
        having touched the unit."""
        row = self.rows[key]
        made = self.table[row]
        made["uses"], made["hit"], made["step"] = 1, 0 if waits else entry, step
        self.clock[0, row], self.weight[:, row] = clock, 0.0
        self.weight[0, row] = CREATED

    def use(self, weights: Mapping[UnitKey, float], entry: int, clock: int, step: int) -> None:
        """Record a use by `entry` of each unit in `weights`, which maps keys to the weight of the
        use. `clock` is the tokens and `step` the steps that had come in."""
        rows, table = self.rows_of(weights), self.table
        at = table["uses"][rows]
        if len(full := rows[at == USES]):
            for column in (self.clock, self.weight):
                column[:-1, full] = column[1:, full]
            at[at == USES] -= 1
        self.clock[at, rows], self.weight[at, rows] = clock, [*weights.values()]
        table["uses"][rows], table["hit"][rows], table["step"][rows] = at + 1, entry, step

    def last_use(self, key: UnitKey) -> tuple[int, int]:
        """Return (clock, step) of a unit's last use: the tokens and the steps that had come in."""
        row = self.rows[key]
        used = self.table[row]
        return int(self.clock[used["uses"] - 1, row]), int(used["step"])

    def returning(self) -> Numbers:
        """Return an array with True for each row whose unit may be brought back to the window."""
        found: Numbers = self.column("alive") & self.column("comes") & ~self.column("stale")
        return found

    def touched_since(self, entry: int) -> list[UnitKey]:
        """Return the keys of units that may be brought back to the window and that `entry` or a
        later entry touched."""
        rows = (self.returning() & (self.column("hit") >= entry)).nonzero()[0]
        return [self._keys[row] for row in rows.tolist()]

    def rows_of(self, keys: Iterable[UnitKey]) -> Numbers:
        """Return an array with the rows of these units, without unknown units."""
        return np.array([self.rows[key] for key in keys if key in self.rows], np.int64)

    def shared(self, says: Mapping[int, float], rows: Numbers) -> Numbers:
        """Return an array with, for each row in `rows`, the sum of the weights of the terms in the
        row's unit. `says` maps term numbers to weights."""
        weights = np.zeros(len(self.terms.held) + 1)
        weights[[*says]] = [*says.values()]
        held = np.frombuffer(b"".join([self._held[row] for row in rows.tolist()]), np.int32)
        of_row = np.repeat(np.arange(len(rows)), self.table["terms"][rows])
        return np.bincount(of_row, weights.take(held), len(rows))

    def column(self, name: str) -> Numbers:
        """Return the column called `name` (see ROW) as an array, free rows included."""
        return self.table[name][: len(self)]

    def key(self, row: int) -> UnitKey:
        """Return the key of the unit in a row."""
        return self._keys[row]

    def _new_row(self, key: UnitKey) -> int:
        """Return a free row for a new unit; a full table is doubled."""
        if self._free:
            row = self._free.pop()
            self._keys[row] = key
        else:
            row, size = len(self._keys), len(self.table)
            self._keys.append(key)
            self._held.append(array("i"))
            if row == size:
                self.table = np.concatenate((self.table, np.zeros(size, ROW)))
                for name in ("clock", "weight"):
                    held = getattr(self, name)
                    setattr(self, name, np.concatenate((held, np.zeros_like(held)), axis=1))
        self.table["alive"][row] = True
        return row
