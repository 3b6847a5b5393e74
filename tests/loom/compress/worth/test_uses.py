"""The uses of units: written down once for a file, told of each unit as if each had its own."""

from __future__ import annotations

from collections import deque

from hypothesis import given
from hypothesis import strategies as st

from loom.compress.worth.columns import USES, UnitColumns
from loom.compress.worth.units import Key, Unit
from loom.compress.worth.uses import CREATED, DEFINED, NAMED, POINTED, Uses

FILES = ("", "a.py", "b.py")
KEYS: list[Key] = [("page", "", n) for n in range(9)]


def unit(key: Key) -> Unit:
    """A slice of a file."""
    return Unit(key, "read", "result", 0, 30, "text")


class Plain:
    """The same, each unit told of every use when it happens."""

    def __init__(self) -> None:
        self.file: dict[Key, str] = {}
        self.uses: dict[Key, deque[tuple[int, float]]] = {}
        self.step: dict[Key, int] = {}
        self.hit: dict[Key, int] = {}

    def touch(self, entry: int, files: set[str], defined: set[Key], pointed: set[Key]) -> None:
        """Let an entry touch files and units."""
        used = dict.fromkeys((key for key, file in self.file.items() if file in files), NAMED)
        used |= dict.fromkeys(defined & self.file.keys(), DEFINED)
        used |= dict.fromkeys(pointed & self.file.keys(), POINTED)
        for key, weight in used.items():
            self.uses[key].append((10 * entry, weight))
            self.step[key], self.hit[key] = entry // 2, entry

    def add(self, entry: int, key: Key, file: str, waits: bool) -> None:
        """Let a unit arrive."""
        self.file[key], self.step[key] = file, entry // 2
        self.uses[key] = deque([(10 * entry, CREATED)], maxlen=USES)
        if not waits:
            self.hit[key] = entry


ENTRY = st.tuples(
    st.sets(st.sampled_from(FILES[1:])), st.sets(st.sampled_from(KEYS)),
    st.sets(st.sampled_from(KEYS)), st.sampled_from(FILES), st.booleans(),
)  # fmt: skip


@given(st.lists(ENTRY, min_size=1, max_size=60), st.integers(0, 60))
def test_they_are_those_of_each_unit(
    entries: list[tuple[set[str], set[Key], set[Key], str, bool]], since: int
) -> None:
    """Uses, steps and entries are what they would be with every use told to every unit at once."""
    columns, plain = UnitColumns(), Plain()
    uses = Uses(columns)
    for entry, (files, defined, pointed, file, waits) in enumerate(entries, 1):
        uses.begin(entry, 10 * entry, entry // 2)
        known = set(uses)
        uses.touch(sorted(files), {DEFINED: defined & known, POINTED: pointed & known})
        plain.touch(entry, files, defined, pointed)
        if entry <= len(KEYS):
            columns.put(unit(KEYS[entry - 1]))
            uses.add(KEYS[entry - 1], file, waits=waits)
            plain.add(entry, KEYS[entry - 1], file, waits)
        for key in plain.uses:
            assert uses.of(key) == list(plain.uses[key])
    assert {key: uses.step(key) for key in uses} == plain.step
    assert {key: uses.entry(key) for key in uses if uses.entry(key)} == plain.hit
    touched, keys = uses.since(since)
    keys |= {
        key: None
        for key, file in plain.file.items()
        if file in touched and uses.brought_before(key, touched[file])
    }
    assert {k for k in keys if uses.entry(k) >= since} >= {
        k for k, entry in plain.hit.items() if entry >= since
    }
