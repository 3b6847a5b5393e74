"""Facts, rules and questions in other languages."""

import unicodedata
from unicodedata import name

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loom.bench.obligations import FactDue, StandingRule
from loom.bench.scenarios import session_of
from loom.bench.scenarios.planting.tongues_held_out import HELD_OUT_TONGUES
from loom.bench.scenarios.planting.tongues_public import PUBLIC_TONGUES
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

NAME = "languages"


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(HALVES))
def test_any_session_is_lawful_and_holds_what_it_owes(seed: int, half: str) -> None:
    """Of any seed: the same again, a lawful list, values in their messages, needs after them."""
    session = stands(NAME, seed, half)
    assert 55_000 < tokens(session) < 135_000
    assert middle(session) >= 2


@pytest.mark.parametrize("half", HALVES)
def test_other_seeds_have_other_words(half: str) -> None:
    """Two seeds give other values."""
    seeds_differ(NAME, half)


def test_the_halves_share_no_word() -> None:
    """What is owed, asked and said by the user is worded apart in each half."""
    halves_differ(NAME)


SCRIPTS = ("CJK", "HIRAGANA", "HANGUL", "ARABIC", "CYRILLIC", "DIAERESIS")


@pytest.mark.parametrize("half", HALVES)
def test_there_is_a_fact_of_every_language(half: str) -> None:
    """Nine facts; what they say and ask is in all of these scripts."""
    facts = session_of(NAME, 1, half).owed(FactDue)
    assert len(facts) == len(PUBLIC_TONGUES) == len(HELD_OUT_TONGUES) == 9
    names = " ".join(
        name(one, "") for fact in facts for one in unicodedata.normalize("NFC", str(fact))
    )
    assert [script for script in SCRIPTS if script not in names] == []


@pytest.mark.parametrize("half", HALVES)
def test_rules_and_facts_are_told_by_the_user_and_by_files(half: str) -> None:
    """Rules come from the user, facts from both."""
    sessions = [session_of(NAME, seed, half) for seed in range(3)]
    rules = [(one, rule) for one in sessions for rule in one.owed(StandingRule)]
    assert all(one.messages[rule.at]["role"] == "user" for one, rule in rules)
    facts = {one.messages[fact.at]["role"] for one in sessions for fact in one.owed(FactDue)}
    assert len(rules) == 9 and facts == {"user", "tool"}


@all_cases("strategy", ["tail", "loom"])
@all_cases("window", [8_192, 32_000])
def test_it_can_be_driven(strategy: str, window: int) -> None:
    """No request of it is refused, and each need is held against its request."""
    session = session_of(NAME, 1, HALVES[0])
    outcome = through(session, strategy, window)
    assert (outcome.failed, outcome.sums["refused"]) == ("", 0)
    assert outcome.sums["facts"] == sum(len(one.due) for one in session.owed(FactDue))
