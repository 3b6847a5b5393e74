"""Sessions with rules and facts planted in them."""

from benchmarks.planted import PLANTED, RULES, planted
from loom_bench.running import lawful_session
from loom_bench.session import FactDue, StandingRule
from loom_bench.sessions.generate import FLAVOURS, chained

MESSAGES = 160


def test_a_session_with_rules_and_facts_is_lawful() -> None:
    """Of any flavour, at most so many messages; a provider takes them all."""
    for flavour in FLAVOURS:
        made = lawful_session(planted(chained([], flavour), MESSAGES))
        assert MESSAGES - 20 < len(made.messages) <= MESSAGES
        assert len(made.owed(FactDue)) == len(made.owed(StandingRule)) == PLANTED
        assert len({one.text for one in made.owed(StandingRule)}) == PLANTED > len(RULES)
