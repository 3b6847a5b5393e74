"""The units of an entry."""

from hypothesis import given
from hypothesis import strategies as st

from loom.compress.worth.entry_units import units_of
from loom.compress.worth.slices import lines_with_ends, slice_ranges, strip_line_numbers
from loom.providers.counts import counter_for
from loom_partitions.message import Text, UserTurn

COUNT = counter_for().many


@given(st.text(alphabet=st.sampled_from("ab \n\t→1"), max_size=6_000))
def test_units_of_a_message_are_its_text(text: str) -> None:
    """A message long enough is its units joined, less the numbers before its lines; their keys
    differ, and their sizes are counted."""
    found = units_of(UserTurn(7, Text(1, len(text), text), 5), lambda page: "", COUNT)
    if found:
        lines = lines_with_ends(text)
        for unit in found:
            whole = lines[unit.first - 1 : unit.last]
            assert unit.text == (strip_line_numbers(whole)[0] if unit.numbered else "".join(whole))
        assert [(u.first, u.last) for u in found] == slice_ranges(lines)
        assert [unit.tokens for unit in found] == COUNT([unit.text for unit in found])
    else:
        assert len(text) < 60
    assert len({unit.key for unit in found}) == len(found)
    assert found == () or found[-1].last == len(lines_with_ends(text))
