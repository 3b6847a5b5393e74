"""When each unit was in use: its arrival, and every touch since.

A file that is named touches all its units. That is written down once, for the file, and counted
for a unit when its uses are asked for: naming a file costs the same however much of it is known.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import NamedTuple, TypeVar

from msgspec import Struct

from loom.compress.worth.units import Key

MOST = 16  # uses of one unit remembered
# How much a use says: it came in, its file was named, a name it defines was spoken of, the very
# lines were edited or pointed at.
CREATED, NAMED, DEFINED, POINTED = 1.5, 1.0, 1.5, 2.0

T = TypeVar("T")


class Use(Struct, frozen=True, gc=False):
    """One use: by which entry, at what clock and step, and how much it says."""

    entry: int
    clock: int
    step: int
    weight: float


class UnitUses(Struct):
    """The entry that brought a unit, the file it is of ("" for none), the uses that are its own.

    The arrival of a unit that `waits` is no touch. `told` are all its uses as they were last asked
    for, when `upto` was the newest use of its file.
    """

    born: int
    file: str
    waits: bool
    own: deque[Use]
    told: list[tuple[int, float]] | None = None
    upto: int = 0


class Touched(NamedTuple):
    """What one entry touched: files that were named, and units by themselves."""

    entry: int
    files: tuple[str, ...]
    keys: list[Key]


class Uses:
    """The uses of units; of one that is used in several ways by one entry the best counts."""

    def __init__(self) -> None:
        self._lives: dict[Key, UnitUses] = {}
        self._named: dict[str, deque[Use]] = {}
        self._by_entry: deque[Touched] = deque()
        self._forgotten = 0  # the newest entry whose touches are not remembered
        self._at = Use(0, 0, 0, 0.0)

    def begin(self, entry: int, clock: int, step: int) -> None:
        """Say when the uses noted from now on are: by which entry, at what clock and step."""
        self._at = Use(entry, clock, step, 0.0)
        self._by_entry.append(Touched(entry, (), []))

    def touch(self, files: Iterable[str], by_weight: Mapping[float, Iterable[Key]]) -> None:
        """Note the files an entry named, and units it touched by themselves, the least weight
        first: of several the last counts."""
        entry, clock, step = self._at.entry, self._at.clock, self._at.step
        files = tuple(dict.fromkeys(files))
        for file in files:
            self._named.setdefault(file, deque(maxlen=MOST)).append(Use(entry, clock, step, NAMED))
        used = {key: weight for weight, keys in by_weight.items() for key in keys}
        for key, weight in used.items():
            life = self._lives[key]
            life.own.append(Use(entry, clock, step, weight))
            life.told = None
        self._by_entry[-1] = Touched(entry, files, [*used])

    def add(self, key: Key, file: str, *, waits: bool) -> None:
        """Note the arrival of a unit; of one that `waits` it is no touch."""
        entry, clock, step = self._at.entry, self._at.clock, self._at.step
        arrival = Use(entry, clock, step, CREATED)
        self._lives[key] = UnitUses(entry, file, waits, deque([arrival], maxlen=MOST))
        if not waits:
            self._by_entry[-1].keys.append(key)

    def forget(self, entry: int, keys: Iterable[Key]) -> None:
        """Forget units, and what this entry and those before it touched."""
        for key in keys:
            self._lives.pop(key, None)
        while self._by_entry and self._by_entry[0].entry <= entry:
            self._forgotten = self._by_entry.popleft().entry

    def of(self, key: Key) -> list[tuple[int, float]]:
        """Clock and weight of a unit's last uses, its arrival among them, the oldest first."""
        life = self._lives[key]
        named = self._named.get(life.file)
        upto = named[-1].entry if named else 0
        if life.told is None or life.upto != upto:
            life.told, life.upto = [(u.clock, u.weight) for u in self._merged(life)], upto
        return life.told

    def step(self, key: Key) -> int:
        """The step of a unit's last use."""
        return self._last(key).step

    def entry(self, key: Key) -> int:
        """The entry that touched a unit last, 0 for none."""
        last = self._last(key)
        life = self._lives[key]
        return 0 if life.waits and last.entry == life.born else last.entry

    def since(self, entry: int) -> tuple[dict[str, int], dict[Key, None]]:
        """What `entry` and later ones may have touched: files, by the last that named them, and
        units; all units where that is not remembered."""
        if entry <= self._forgotten:
            return {}, dict.fromkeys(self._lives)
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
        return self._lives[key].born < entry

    def __iter__(self) -> Iterator[Key]:
        return iter(self._lives)

    def _by_name(self, life: UnitUses) -> Iterator[Use]:
        """The uses of a unit by the name of its file, the newest first."""
        for use in reversed(self._named.get(life.file, ())):
            if use.entry <= life.born:
                return
            yield use

    def _last(self, key: Key) -> Use:
        life = self._lives[key]
        named = next(self._by_name(life), None)
        own = life.own[-1]
        return own if named is None or named.entry <= own.entry else named

    def _merged(self, life: UnitUses) -> list[Use]:
        named = [*self._by_name(life)]
        if not named:
            return [*life.own]
        by_entry = {use.entry: use for use in chain(named, life.own)}
        return [by_entry[entry] for entry in sorted(by_entry)[-MOST:]]


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
