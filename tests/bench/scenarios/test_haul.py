"""A very long run."""

import pytest

from loom_bench.scenarios import session_of
from loom_bench.session import HALVES, FactDue

NAME = "haul"


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
