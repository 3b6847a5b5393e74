"""Large results, a few of which say something."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loom.bench.obligations import FactDue
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

NAME = "flood"


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(HALVES))
def test_any_session_is_lawful_and_holds_what_it_owes(seed: int, half: str) -> None:
    """Of any seed: the same again, a lawful list, values in their messages, needs after them."""
    session = stands(NAME, seed, half)
    assert 60_000 < tokens(session) < 135_000
    assert middle(session) >= 3


@pytest.mark.parametrize("half", HALVES)
def test_other_seeds_have_other_words(half: str) -> None:
    """Two seeds give other values."""
    seeds_differ(NAME, half)


def test_the_halves_share_no_word() -> None:
    """What is owed, asked and said by the user is worded apart in each half."""
    halves_differ(NAME)


def test_facts_stand_at_the_head_in_the_middle_and_at_the_end_of_large_results() -> None:
    """Some results begin with a fact, some end with one, some have it within."""
    shares = []
    for seed in range(1, 6):
        session = session_of(NAME, seed, PUBLIC)
        for fact in session.owed(FactDue):
            text = session.messages[fact.at]["content"]
            shares.append(text.index(fact.value) / len(text))
    assert min(shares) < 0.02 and max(shares) > 0.98
    assert any(0.2 < share < 0.8 for share in shares)


def test_some_facts_are_a_field_deep_in_json() -> None:
    """The field is three levels down or more, in a document that can be read."""
    depths = []
    for seed in range(1, 4):
        session = session_of(NAME, seed, PUBLIC)
        for fact in session.owed(FactDue):
            text = session.messages[fact.at]["content"]
            if text.startswith("{"):
                depths.append(_depth(json.loads(text), fact.value))
    assert depths and min(depths) >= 3


def _depth(tree: Any, value: str) -> int:
    """How many levels of objects are above a value; 0 where it is not."""
    if isinstance(tree, dict):
        if value in tree.values():
            return 1
        tree = list(tree.values())
    found = [_depth(one, value) for one in tree] if isinstance(tree, list) else [0]
    return max(found, default=0) and max(found) + 1


@all_cases("strategy", ["tail", "loom"])
@all_cases("window", [8_192, 32_000])
def test_it_can_be_driven(strategy: str, window: int) -> None:
    """No request of it is refused, and each need is held against its request."""
    session = session_of(NAME, 1, HALVES[0])
    outcome = through(session, strategy, window)
    assert (outcome.failed, outcome.sums["refused"]) == ("", 0)
    assert outcome.sums["facts"] == sum(len(one.due) for one in session.owed(FactDue))
