"""Replies with several calls at once."""

from itertools import combinations

import pytest

from loom_bench.scenarios import session_of
from loom_bench.session import HALVES, FactDue, PressureSession

NAME = "parallel"


@pytest.mark.parametrize("half", HALVES)
def test_facts_come_from_replies_of_four_to_eight_calls(half: str) -> None:
    """The reply before each fact's result makes so many calls, of very unequal results."""
    session = session_of(NAME, 1, half)
    for fact in session.owed(FactDue):
        reply = _reply(session, fact.at)
        count = len(session.messages[reply]["tool_calls"])
        assert 4 <= count <= 8
        sizes = [len(one["content"]) for one in session.messages[reply + 1 : reply + 1 + count]]
        assert max(sizes) > 3 * min(sizes)


@pytest.mark.parametrize("half", HALVES)
def test_two_results_of_a_reply_are_needed_together(half: str) -> None:
    """Some replies say two things, in different results, both needed by one later reply."""
    session = session_of(NAME, 1, half)
    end = len(session.messages)
    pairs = [
        (one, other)
        for one, other in combinations(session.owed(FactDue), 2)
        if _reply(session, one.at) == _reply(session, other.at)
    ]
    assert len(pairs) >= 3
    assert all(one.at != other.at for one, other in pairs)
    assert any(set(one.due) & set(other.due) - {end} for one, other in pairs)


def _reply(session: PressureSession, at: int) -> int:
    """The message that made the call whose result is at `at`."""
    while session.messages[at]["role"] == "tool":
        at -= 1
    return at
