"""When each unit was in use: its arrival, and every touch since.

A file that is named touches all its units.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple, TypeVar

from loom.compress.worth.columns import UnitColumns
from loom.compress.worth.units import Key

# How much a use says: it came in, its file was named, a name it defines was spoken of, the very
# lines were edited or pointed at.
CREATED, NAMED, DEFINED, POINTED = 1.5, 1.0, 1.5, 2.0

T = TypeVar("T")


class Touched(NamedTuple):
    """What one entry touched: files that were named, and units by themselves."""

    entry: int
    files: tuple[str, ...]
    keys: list[Key]


class Uses:
    """The uses of units; of one that is used in several ways by one entry the best counts."""

    def __init__(self, columns: UnitColumns) -> None:
        self._columns = columns
        self._by_entry: deque[Touched] = deque()
        self._forgotten = 0  # the newest entry whose touches are not remembered
        self._at = (0, 0, 0)  # entry, clock and step

    def begin(self, entry: int, clock: int, step: int) -> None:
        """Say when the uses noted from now on are: by which entry, at what clock and step."""
        self._at = (entry, clock, step)
        self._by_entry.append(Touched(entry, (), []))

    def touch(self, files: Iterable[str], by_weight: Mapping[float, Iterable[Key]]) -> None:
        """Note the files an entry named, and units it touched by themselves, the least weight
        first: of several the last counts."""
        columns = self._columns
        files = tuple(dict.fromkeys(files))
        for file in files:
            columns.use(columns.of_file(file), *self._at, NAMED)
        used: dict[Key, None] = {}
        for weight, given in by_weight.items():
            keys = dict.fromkeys(given)
            columns.use(columns.of_keys(keys), *self._at, weight)
            used |= keys
        self._by_entry[-1] = Touched(self._at[0], files, [*used])

    def add(self, key: Key, file: str, *, waits: bool) -> None:
        """Note the arrival of a unit; of one that `waits` it is no touch."""
        self._columns.arrive(key, file, *self._at, CREATED, waits)
        if not waits:
            self._by_entry[-1].keys.append(key)

    def forget(self, entry: int) -> None:
        """Forget what this entry and those before it touched."""
        while self._by_entry and self._by_entry[0].entry <= entry:
            self._forgotten = self._by_entry.popleft().entry

    def of(self, key: Key) -> list[tuple[int, float]]:
        """Clock and weight of a unit's last uses, its arrival among them, the oldest first."""
        return self._columns.uses(key)

    def step(self, key: Key) -> int:
        """The step of a unit's last use."""
        return int(self._columns.table["step"][self._columns.rows[key]])

    def entry(self, key: Key) -> int:
        """The entry that touched a unit last, 0 for none."""
        row = self._columns.table[self._columns.rows[key]]
        return 0 if row["waits"] and row["entry"] == row["born"] else int(row["entry"])

    def since(self, entry: int) -> tuple[dict[str, int], dict[Key, None]]:
        """What `entry` and later ones may have touched: files, by the last that named them, and
        units; all units where that is not remembered."""
        if entry <= self._forgotten:
            return {}, dict.fromkeys(self._columns.rows)
        files: dict[str, int] = {}
        keys: dict[Key, None] = {}
        for touched in reversed(self._by_entry):
            if touched.entry < entry:
                break
            for file in touched.files:
                files.setdefault(file, touched.entry)
            keys |= dict.fromkeys(touched.keys)
        return files, keys

    def brought_before(self, key: Key, entry: int) -> bool:
        """True for a unit that was known when an entry came in."""
        return bool(self._columns.table["born"][self._columns.rows[key]] < entry)

    def __iter__(self) -> Iterator[Key]:
        return iter(self._columns.rows)


class ByUnit(Mapping[Key, T]):
    """Something told of units, as a mapping from their keys that is worked out when looked into."""

    def __init__(self, keys: Callable[[], Iterable[Key]], told: Callable[[Key], T]) -> None:
        self._keys = keys
        self._told = told

    def __getitem__(self, key: Key) -> T:
        return self._told(key)

    def __iter__(self) -> Iterator[Key]:
        return iter(self._keys())

    def __len__(self) -> int:
        return sum(1 for _ in self._keys())
