"""Facts, rules and questions in other languages."""

import unicodedata
from unicodedata import name

import pytest

from loom_bench.scenarios import session_of
from loom_bench.scenarios.languages import HELD_OUT_TONGUES, PUBLIC_TONGUES
from loom_bench.session import HALVES, FactDue, StandingRule

NAME = "languages"


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
