"""Numbers by number in arrays tell what a dict would."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from loom.engine.archive.numbers import EntryCommits, Numbers

KEYS = st.integers(1, 30)


@given(st.lists(st.tuples(KEYS, st.integers(1, 99))))
def test_numbers_are_those_of_a_dict(given: list[tuple[int, int]]) -> None:
    """The last value of a key counts; keys come in their order, there and back."""
    made, plain = Numbers(), dict(given)
    for key, value in given:
        made.put(key, value)
    assert (made == plain, len(made)) == (True, len(plain))
    assert (list(made), list(reversed(made))) == (sorted(plain), sorted(plain, reverse=True))
    assert all(made.get(key) == plain.get(key) for key in range(-1, 32))


@given(st.lists(st.tuples(KEYS, st.integers(0, 3))))
def test_commits_of_an_entry(given: list[tuple[int, int]]) -> None:
    """Each commit once, oldest first, whether they follow one another or not."""
    made, plain = EntryCommits(), dict[int, list[int]]()
    number = 1
    for entry, later in given:
        number += later
        made.add(entry, number)
        plain.setdefault(entry, []).append(number)
    told = {entry: list(dict.fromkeys(commits)) for entry, commits in plain.items()}
    assert {entry: list(commits) for entry, commits in made.items()} == told
    assert list(reversed(made)) == sorted(plain, reverse=True)
