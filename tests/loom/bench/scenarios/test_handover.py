"""The user comes back after days."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loom.bench.obligations import ChangingValue, CommandFailure, FactDue, StandingRule
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

NAME = "handover"


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(HALVES))
def test_any_session_is_lawful_and_holds_what_it_owes(seed: int, half: str) -> None:
    """Of any seed: the same again, a lawful list, values in their messages, needs after them."""
    session = stands(NAME, seed, half)
    assert 55_000 < tokens(session) < 135_000
    assert middle(session) >= 6


@pytest.mark.parametrize("half", HALVES)
def test_other_seeds_have_other_words(half: str) -> None:
    """Two seeds give other values."""
    seeds_differ(NAME, half)


def test_the_halves_share_no_word() -> None:
    """What is owed, asked and said by the user is worded apart in each half."""
    halves_differ(NAME)


@pytest.mark.parametrize("half", HALVES)
def test_everything_is_owed_at_once(half: str) -> None:
    """Facts, rules, changed values and failures; a rule is lifted, a failure is left open."""
    session = session_of(NAME, 1, half)
    rules, failures = session.owed(StandingRule), session.owed(CommandFailure)
    assert len(session.owed(FactDue)) >= 10 and len(session.owed(ChangingValue)) == 2
    assert [rule.until is None for rule in rules] == [True, True, False]
    assert [one.resolved is None for one in failures] == [False, True, False, True]


@pytest.mark.parametrize("half", HALVES)
def test_five_things_are_needed_when_the_user_returns(half: str) -> None:
    """The reply to the first return needs five values or more, all said before it."""
    session = session_of(NAME, 1, half)
    due = Counter(moment for fact in session.owed(FactDue) for moment in fact.due)
    del due[len(session.messages)]
    moment, count = due.most_common(1)[0]
    assert count >= 5
    assert session.messages[moment - 1]["role"] == "user"


@pytest.mark.parametrize("half", HALVES)
def test_a_failure_passes_by_the_same_command(half: str) -> None:
    """The command that failed is the one that passes later, and is not run again otherwise."""
    session = session_of(NAME, 1, half)
    for one in session.owed(CommandFailure):
        runs = [
            at + 1
            for at, message in enumerate(session.messages)
            if one.command in str(message.get("tool_calls"))
        ]
        assert runs == [at for at in (one.at, one.resolved) if at is not None]


@all_cases("strategy", ["tail", "loom"])
@all_cases("window", [8_192, 32_000])
def test_it_can_be_driven(strategy: str, window: int) -> None:
    """No request of it is refused, and each need is held against its request."""
    session = session_of(NAME, 1, HALVES[0])
    outcome = through(session, strategy, window)
    assert (outcome.failed, outcome.sums["refused"]) == ("", 0)
    assert outcome.sums["facts"] == sum(len(one.due) for one in session.owed(FactDue))
