"""The columns of a catalog say of each unit what the unit says, however many came and went."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from loom.compress.worth.columns import FEWEST, USES, UnitColumns
from loom.compress.worth.focus import ALL
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


@given(ACTS)
def test_they_are_those_of_the_units(acts: list[tuple[str, int, frozenset[str]]]) -> None:
    """Terms, sizes, what is superseded and the uses, under the row a unit has now."""
    columns = UnitColumns()
    known: dict[int, tuple[frozenset[str], bool, list[tuple[int, float]]]] = {}
    for at, (act, number, terms) in enumerate(acts, 1):
        if act == "put":
            columns.put(unit(number, terms))
            if number in known:
                known[number] = (terms, *known[number][1:])
            else:
                columns.arrive(key(number), f"f{number % 2}", at, at, at, 1.5, False)
                known[number] = (terms, False, [(at, 1.5)])
        elif number in known and act == "drop":
            columns.drop(key(number))
            del known[number]
        elif number in known and act == "outdate":
            columns.outdate(key(number))
            known[number] = (known[number][0], True, known[number][2])
        elif act == "use":
            columns.use(columns.of_file(f"f{number % 2}"), at, at, at, 1.0)
            for other, (_, _, uses) in known.items():
                if other % 2 == number % 2:
                    uses.append((at, 1.0))
    assert {*columns.rows} == {key(number) for number in known}
    shared = columns.shared({"a": 1.0, "b": 0.5}, ALL)
    for number, (terms, stale, uses) in known.items():
        row = columns.rows[key(number)]
        assert columns.key(row) == key(number) and columns.column("alive")[row]
        assert columns.column("tokens")[row] == 30 + number
        assert columns.column("stale")[row] == stale
        assert columns.uses(key(number)) == uses[-USES:]
        assert shared[row] == ("a" in terms) * 1.0 + ("b" in terms) * 0.5


def test_rows_do_not_grow_with_what_came_and_went() -> None:
    """Twenty thousand changes of ten units: no more rows than twice what there is, and some."""
    columns = UnitColumns()
    for at in range(20_000):
        number = at % 10
        columns.put(unit(number, frozenset({f"t{at}"})))
        if at < 10:
            columns.arrive(key(number), "f", 1, number, 1, 1.5, False)
    assert len(columns) <= 2 * 10 + FEWEST + 1
    assert [columns.uses(key(number)) for number in range(10)] == [[(n, 1.5)] for n in range(10)]
    assert len(columns.of_file("f")) <= len(columns)
