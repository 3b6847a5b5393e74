"""The user comes back after days."""

from collections import Counter

import pytest

from loom_bench.scenarios import session_of
from loom_bench.session import HALVES, ChangingValue, CommandFailure, FactDue, StandingRule

NAME = "handover"


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
