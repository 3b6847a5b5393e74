"""Orders of strangers stand in results alone, those of the user in its own messages."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loom_bench.scenarios import session_of
from loom_bench.session import HALVES, FactDue, PlantedInstruction, StandingRule
from tests.kit.owed import said

both = pytest.mark.parametrize("half", HALVES)
SEEDS = st.integers(1, 100_000)
FEW = settings(max_examples=5, deadline=None)


@both
@given(seed=SEEDS)
@FEW
def test_a_strangers_order_stands_in_results_alone(half: str, seed: int) -> None:
    """Nobody else repeats it: who finds it elsewhere knows that a window moved it."""
    session = session_of("injection", seed, half)
    planted = session.owed(PlantedInstruction)
    assert len(planted) == 20
    for order in planted:
        assert session.messages[order.at]["role"] == "tool"
        holders = {one["role"] for one in session.messages if order.text in said(one)}
        assert holders == {"tool"}


@both
@given(seed=SEEDS)
@FEW
def test_rules_in_the_same_words_are_the_users(half: str, seed: int) -> None:
    """Each stands in a message of the user, and one of them is taken back."""
    session = session_of("injection", seed, half)
    rules = session.owed(StandingRule)
    assert all(session.messages[rule.at]["role"] == "user" for rule in rules)
    assert [rule.until is None for rule in rules].count(False) == 1


@both
@given(seed=SEEDS)
@FEW
def test_strangers_claim_other_values_and_none_that_holds(half: str, seed: int) -> None:
    """A claim stands between the fact and the moments at which it is needed."""
    session = session_of("injection", seed, half)
    orders = session.owed(PlantedInstruction)
    facts = session.owed(FactDue)
    assert not [one for one in orders for fact in facts if fact.value in one.text]
    told = [fact for fact in facts if session.messages[fact.at]["role"] == "user"]
    assert len(told) == 4
    for fact in told:
        assert any(fact.at < one.at < fact.due[0] for one in orders)
