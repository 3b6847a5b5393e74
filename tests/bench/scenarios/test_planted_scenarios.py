"""What holds for each scenario whose values, rules and failures are planted in a session."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loom_bench.scenarios import session_of
from loom_bench.session import HALVES, FactDue
from tests.kit.cases import SIMULATED
from tests.kit.planted import (
    halves_differ,
    middle,
    seeds_differ,
    stands,
    through,
    tokens,
)

# Scenario → the tokens of a session, and how often something is needed before its end.
PLANTED = {
    "flood": (60_000, 135_000, 3),
    "handover": (55_000, 135_000, 6),
    "haul": (240_000, 275_000, 8),
    "languages": (55_000, 135_000, 2),
    "parallel": (55_000, 135_000, 4),
    "superseded": (60_000, 135_000, 2),
}


@pytest.mark.parametrize("name", PLANTED)
@settings(max_examples=3, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(HALVES))
def test_any_session_is_lawful_and_holds_what_it_owes(name: str, seed: int, half: str) -> None:
    """Of any seed: the same again, a lawful list, values in their messages, needs after them."""
    session = stands(name, seed, half)
    least, most, needed = PLANTED[name]
    assert least < tokens(session) < most
    assert middle(session) >= needed


@pytest.mark.parametrize("name", PLANTED)
def test_seeds_and_halves_have_other_words(name: str) -> None:
    """Two seeds give other values; what is planted is worded apart in each half."""
    for half in HALVES:
        seeds_differ(name, half)
    halves_differ(name)


@pytest.mark.parametrize("name", PLANTED)
def test_it_can_be_driven(name: str) -> None:
    """No request of it is refused, and each need is held against its request."""
    session = session_of(name, 1, HALVES[0])
    due = sum(len(one.due) for one in session.owed(FactDue))
    loom = ("loom", 8_192)
    for strategy, window in (("tail", 32_000), *([loom] if name == "flood" or SIMULATED else [])):
        outcome = through(session, strategy, window)
        assert (outcome.failed, outcome.sums["refused"], outcome.sums["facts"]) == ("", 0, due)
