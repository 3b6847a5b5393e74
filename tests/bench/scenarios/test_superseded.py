"""Values that change."""

import pytest

from loom_bench.scenarios import session_of
from loom_bench.session import HALVES, PUBLIC, ChangingValue, FactDue

NAME = "superseded"


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
