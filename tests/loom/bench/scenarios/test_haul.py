"""A very long run."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loom.bench.obligations import FactDue
from loom.bench.scenarios import session_of
from loom.bench.session import HALVES
from tests.kit.cases import all_cases
from tests.kit.planted import (
    halves_differ,
    middle,
    seeds_differ,
    stands,
    through,
    tokens,
)

NAME = "haul"


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(HALVES))
def test_any_session_is_lawful_and_holds_what_it_owes(seed: int, half: str) -> None:
    """Of any seed: the same again, a lawful list, values in their messages, needs after them."""
    session = stands(NAME, seed, half)
    assert 240_000 < tokens(session) < 275_000
    assert middle(session) >= 8


@pytest.mark.parametrize("half", HALVES)
def test_other_seeds_have_other_words(half: str) -> None:
    """Two seeds give other values."""
    seeds_differ(NAME, half)


def test_the_halves_share_no_word() -> None:
    """What is owed, asked and said by the user is worded apart in each half."""
    halves_differ(NAME)


@pytest.mark.parametrize("half", HALVES)
def test_what_the_first_minutes_said_is_needed_early_and_late(half: str) -> None:
    """Eight facts come within the first fortieth, and are needed in each half of the session."""
    session = session_of(NAME, 1, half)
    end = len(session.messages)
    early = [fact for fact in session.owed(FactDue) if fact.at < end / 40]
    assert len(early) == 8
    due = [moment for fact in early for moment in fact.due if moment < end]
    assert min(due) < end / 2 < max(due)


@pytest.mark.parametrize("half", HALVES)
def test_the_user_is_seldom_heard(half: str) -> None:
    """There are thirty other messages or more for one of the user."""
    session = session_of(NAME, 1, half)
    heard = sum(message["role"] == "user" for message in session.messages)
    assert heard * 30 < len(session.messages)


@all_cases("strategy", ["tail", "loom"])
@all_cases("window", [8_192, 32_000])
def test_it_can_be_driven(strategy: str, window: int) -> None:
    """No request of it is refused, and each need is held against its request."""
    session = session_of(NAME, 1, HALVES[0])
    outcome = through(session, strategy, window)
    assert (outcome.failed, outcome.sums["refused"]) == ("", 0)
    assert outcome.sums["facts"] == sum(len(one.due) for one in session.owed(FactDue))
