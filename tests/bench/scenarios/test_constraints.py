"""Side constraints: in the midst of other matters, without announcement, some ended later."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loom_bench.scenarios import session_of
from loom_bench.session import HALVES, FactDue, StandingRule
from tests.kit.owed import said

ANNOUNCED = re.compile(r"\b(never|always|must|rules?|don't|do not|please|remember)\b", re.I)

both = pytest.mark.parametrize("half", HALVES)
SEEDS = st.integers(1, 100_000)
FEW = settings(max_examples=5, deadline=None)


@both
@given(seed=SEEDS)
@FEW
def test_a_constraint_stands_amid_other_sentences_of_the_user(half: str, seed: int) -> None:
    """It neither begins nor ends the message, and no word announces it."""
    session = session_of("constraints", seed, half)
    for rule in session.owed(StandingRule):
        message = session.messages[rule.at]
        before, _, after = message["content"].partition(rule.text)
        assert message["role"] == "user" and len(before) > 20 and len(after) > 20
        assert not ANNOUNCED.search(rule.text)


@both
@given(seed=SEEDS)
@FEW
def test_some_constraints_are_lifted_and_some_narrowed(half: str, seed: int) -> None:
    """What narrows a constraint is another one that begins where the first ends."""
    rules = session_of("constraints", seed, half).owed(StandingRule)
    begun = {rule.at for rule in rules}
    ended = [rule.until for rule in rules if rule.until is not None]
    narrowed = [at for at in ended if at in begun]
    assert len(rules) - len(narrowed) == 15
    assert len(narrowed) == 3 and len(ended) == 6


@both
@given(seed=SEEDS)
@FEW
def test_what_is_needed_is_what_a_standing_constraint_demands(half: str, seed: int) -> None:
    """The message that brings the fact lays a rule down that nobody ends."""
    session = session_of("constraints", seed, half)
    standing = {rule.at for rule in session.owed(StandingRule) if rule.until is None}
    facts = session.owed(FactDue)
    assert facts
    for fact in facts:
        assert fact.at in standing
        assert len(fact.due) == 3
        asked = said(session.messages[fact.due[0] - 1])
        assert fact.value not in asked
