"""Values that change."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loom.bench.obligations import ChangingValue, FactDue
from loom.bench.scenarios import session_of
from loom.bench.session import HALVES, PUBLIC
from tests.kit.cases import all_cases
from tests.kit.planted import (
    halves_differ,
    middle,
    seeds_differ,
    stands,
    through,
    tokens,
)

NAME = "superseded"


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(HALVES))
def test_any_session_is_lawful_and_holds_what_it_owes(seed: int, half: str) -> None:
    """Of any seed: the same again, a lawful list, values in their messages, needs after them."""
    session = stands(NAME, seed, half)
    assert 60_000 < tokens(session) < 135_000
    assert middle(session) >= 2


@pytest.mark.parametrize("half", HALVES)
def test_other_seeds_have_other_words(half: str) -> None:
    """Two seeds give other values."""
    seeds_differ(NAME, half)


def test_the_halves_share_no_word() -> None:
    """What is owed, asked and said by the user is worded apart in each half."""
    halves_differ(NAME)


@pytest.mark.parametrize("half", HALVES)
def test_values_change_two_or_three_times(half: str) -> None:
    """Each thing has three or four values, told one after the other, no two alike."""
    for thing in session_of(NAME, 1, half).owed(ChangingValue):
        at = [number for number, _ in thing.states]
        values = [value for _, value in thing.states]
        assert len(values) in (3, 4) and len(set(values)) == len(values)
        assert at == sorted(set(at))


@pytest.mark.parametrize("half", HALVES)
def test_old_values_are_needed_only_while_they_hold(half: str) -> None:
    """A value that is replaced is not needed after the message that replaces it."""
    session = session_of(NAME, 2, half)
    for thing in session.owed(ChangingValue):
        pairs = zip(thing.states, thing.states[1:], strict=False)
        until = {old: at for (_, old), (at, _) in pairs}
        for fact in session.owed(FactDue):
            if fact.value in until:
                assert max(fact.due) <= until[fact.value]


def test_values_come_by_every_way() -> None:
    """The user, a call's argument and a result each bring some of the values."""
    states = [
        session.messages[at]["role"]
        for session in (session_of(NAME, seed, PUBLIC) for seed in range(3))
        for thing in session.owed(ChangingValue)
        for at, _ in thing.states
    ]
    assert set(states) == {"user", "assistant", "tool"}


@all_cases("strategy", ["tail", "loom"])
@all_cases("window", [8_192, 32_000])
def test_it_can_be_driven(strategy: str, window: int) -> None:
    """No request of it is refused, and each need is held against its request."""
    session = session_of(NAME, 1, HALVES[0])
    outcome = through(session, strategy, window)
    assert (outcome.failed, outcome.sums["refused"]) == ("", 0)
    assert outcome.sums["facts"] == sum(len(one.due) for one in session.owed(FactDue))
