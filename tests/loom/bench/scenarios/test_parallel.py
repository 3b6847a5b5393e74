"""Replies with several calls at once."""

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loom.bench.obligations import FactDue
from loom.bench.scenarios import session_of
from loom.bench.session import HALVES, PressureSession
from tests.kit.cases import all_cases
from tests.kit.planted import (
    halves_differ,
    middle,
    seeds_differ,
    stands,
    through,
    tokens,
)

NAME = "parallel"


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(HALVES))
def test_any_session_is_lawful_and_holds_what_it_owes(seed: int, half: str) -> None:
    """Of any seed: the same again, a lawful list, values in their messages, needs after them."""
    session = stands(NAME, seed, half)
    assert 55_000 < tokens(session) < 135_000
    assert middle(session) >= 4


@pytest.mark.parametrize("half", HALVES)
def test_other_seeds_have_other_words(half: str) -> None:
    """Two seeds give other values."""
    seeds_differ(NAME, half)


def test_the_halves_share_no_word() -> None:
    """What is owed, asked and said by the user is worded apart in each half."""
    halves_differ(NAME)


@pytest.mark.parametrize("half", HALVES)
def test_facts_come_from_replies_of_four_to_eight_calls(half: str) -> None:
    """The reply before each fact's result makes so many calls, of very unequal results."""
    session = session_of(NAME, 1, half)
    for fact in session.owed(FactDue):
        reply = _reply(session, fact.at)
        count = len(session.messages[reply]["tool_calls"])
        assert 4 <= count <= 8
        sizes = [len(one["content"]) for one in session.messages[reply + 1 : reply + 1 + count]]
        assert max(sizes) > 3 * min(sizes)


@pytest.mark.parametrize("half", HALVES)
def test_two_results_of_a_reply_are_needed_together(half: str) -> None:
    """Some replies say two things, in different results, both needed by one later reply."""
    session = session_of(NAME, 1, half)
    end = len(session.messages)
    pairs = [
        (one, other)
        for one, other in combinations(session.owed(FactDue), 2)
        if _reply(session, one.at) == _reply(session, other.at)
    ]
    assert len(pairs) >= 3
    assert all(one.at != other.at for one, other in pairs)
    assert any(set(one.due) & set(other.due) - {end} for one, other in pairs)


def _reply(session: PressureSession, at: int) -> int:
    """The message that made the call whose result is at `at`."""
    while session.messages[at]["role"] == "tool":
        at -= 1
    return at


@all_cases("strategy", ["tail", "loom"])
@all_cases("window", [8_192, 32_000])
def test_it_can_be_driven(strategy: str, window: int) -> None:
    """No request of it is refused, and each need is held against its request."""
    session = session_of(NAME, 1, HALVES[0])
    outcome = through(session, strategy, window)
    assert (outcome.failed, outcome.sums["refused"]) == ("", 0)
    assert outcome.sums["facts"] == sum(len(one.due) for one in session.owed(FactDue))
