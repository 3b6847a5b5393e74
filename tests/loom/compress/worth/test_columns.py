"""The columns of a catalog say of each unit what the unit says, however many came and went."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from loom.compress.worth.columns import CREATED, USES, UnitColumns
from loom.compress.worth.units import Key, Unit

TERMS = st.frozensets(st.sampled_from("abcd"), max_size=3)
ACTS = st.lists(
    st.tuples(st.sampled_from(["put", "drop", "outdate", "use"]), st.integers(0, 5), TERMS),
    max_size=60,
)


def key(number: int) -> Key:
    """The key of a unit."""
    return "page", "", number


def unit(number: int, terms: frozenset[str]) -> Unit:
    """A unit of a kind and a size of its own."""
    kind = ("read", "shell")[number % 2]
    return Unit(key(number), kind, "result", 0, 30 + number, "text", terms=tuple(terms))


def uses(columns: UnitColumns, number: int) -> list[tuple[int, float]]:
    """Clock and weight of a unit's last uses, the oldest first."""
    row = columns.rows[key(number)]
    many = int(columns.table["uses"][row])
    pairs = columns.clock[:many, row].tolist(), columns.weight[:many, row].tolist()
    return list(zip(*pairs, strict=True))


class Known:
    """What is known of a unit, written down plainly."""

    def __init__(self, at: int, waits: bool) -> None:
        self.terms = frozenset[str]()
        self.stale = False
        self.uses = [(at, CREATED)]
        self.hit = 0 if waits else at


@given(ACTS, st.integers(0, 60))
def test_they_are_those_of_the_units(
    acts: list[tuple[str, int, frozenset[str]]], since: int
) -> None:
    """Terms, sizes, uses and what is superseded, under the row a unit has now."""
    columns = UnitColumns()
    known: dict[int, Known] = {}
    for at, (act, number, terms) in enumerate(acts, 1):
        if act == "put":
            columns.put(unit(number, terms))
            if number not in known:
                waits = at % 3 == 0
                columns.arrive(key(number), at, at, at, waits=waits)
                known[number] = Known(at, waits)
            known[number].terms = terms
        elif number in known and act == "drop":
            columns.drop(key(number))
            del known[number]
        elif number in known and act == "outdate":
            columns.outdate(key(number))
            known[number].stale = True
        elif act == "use":
            used = {other: 1.0 + other for other in known if other % 2 == number % 2}
            columns.use({key(other): weight for other, weight in used.items()}, at, at, at)
            for other, weight in used.items():
                known[other].uses.append((at, weight))
                known[other].hit = at
    assert {*columns.rows} == {key(number) for number in known}
    numbers = columns.terms
    held = {term: numbers.held[number] for term, number in numbers.of.items()}
    assert held == Counter(term for one in known.values() for term in one.terms)
    says = {numbers.of[term]: weight for term, weight in (("a", 1.0), ("b", 0.5)) if term in held}
    shared = columns.shared(says, np.arange(len(columns)))
    for number, one in known.items():
        row = columns.rows[key(number)]
        assert columns.key(row) == key(number)
        assert columns.column("tokens")[row] == 30 + number
        assert columns.column("stale")[row] == one.stale
        assert uses(columns, number) == one.uses[-USES:]
        assert columns.last_use(key(number)) == (one.uses[-1][0],) * 2
        assert shared[row] == ("a" in one.terms) * 1.0 + ("b" in one.terms) * 0.5
    touched = {number for number, one in known.items() if one.hit >= since and not one.stale}
    assert {*columns.touched_since(since)} == {key(number) for number in touched}
