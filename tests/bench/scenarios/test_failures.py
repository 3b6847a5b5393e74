"""Failures end when the same command passes in the same folder, and not before."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import json

from loom_bench.scenarios import session_of
from loom_bench.scenarios.failures import CHECKS, COURSES
from loom_bench.session import HALVES, PUBLIC, CommandFailure, PressureSession
from tests.kit.cases import all_cases
from tests.kit.owed import said

both = pytest.mark.parametrize("half", HALVES)
SEEDS = st.integers(1, 100_000)
FEW = settings(max_examples=5, deadline=None)


def asked(session: PressureSession, at: int) -> tuple[str, dict[str, Any]]:
    """The tool and arguments whose result is message `at`."""
    (call,) = session.messages[at - 1]["tool_calls"]
    return call["function"]["name"], json.decode(call["function"]["arguments"])


@both
@given(seed=SEEDS)
@FEW
def test_a_failure_ends_where_the_same_call_passes(half: str, seed: int) -> None:
    """The folder may be an argument of its own; the passing result does not show the failure."""
    session = session_of("failures", seed, half)
    for failure in session.owed(CommandFailure):
        assert failure.command in asked(session, failure.at)[1].values()
        if failure.resolved is not None:
            assert failure.resolved > failure.at
            assert asked(session, failure.resolved) == asked(session, failure.at)
            assert failure.says not in said(session.messages[failure.resolved])


@both
@given(seed=SEEDS)
@FEW
def test_while_a_failure_lasts_its_call_does_not_pass(half: str, seed: int) -> None:
    """Calls elsewhere and of one case alone do."""
    session = session_of("failures", seed, half)
    good = [check.passed for check in CHECKS[half != PUBLIC]]
    for failure in session.owed(CommandFailure):
        end = failure.resolved or len(session.messages)
        for at in range(failure.at + 1, end):
            same = session.messages[at]["role"] == "tool" and (
                session.messages[at - 1].get("tool_calls") is not None
            )
            if same and asked(session, at) == asked(session, failure.at):
                assert not any(text in said(session.messages[at]) for text in good)


@both
@given(seed=SEEDS)
@FEW
def test_failures_come_again_last_and_are_settled(half: str, seed: int) -> None:
    """Of sixteen, two come again after a pass, and five stories end with one that lasts."""
    found = session_of("failures", seed, half).owed(CommandFailure)
    assert len(found) == 16
    lasting = {one.says for one in found if one.resolved is None}
    settled = [one.says for one in found if one.resolved is not None]
    assert len(lasting) == 5
    flaky = {text for text in settled if settled.count(text) > 1} | (lasting & set(settled))
    assert len(flaky) >= 2


@both
@given(seed=SEEDS)
@FEW
def test_some_failures_are_not_told_at_the_end_of_their_log(half: str, seed: int) -> None:
    """Only the line in the middle shows them."""
    session = session_of("failures", seed, half)
    ends = [check.ends for check in CHECKS[half != PUBLIC]]
    logs = [said(session.messages[one.at]) for one in session.owed(CommandFailure)]
    assert sum(not any(end in log for end in ends) for log in logs) == 2


@all_cases("course", COURSES)
def test_a_course_is_made_of_known_turns(course: tuple[str, ...]) -> None:
    """Each has a failure, and asks of a failure come after it."""
    turns = ("fails", "buried", "passes", "elsewhere", "narrower", "edits", "asked")
    assert set(course) <= set(turns)
    first = min(course.index(one) for one in ("fails", "buried") if one in course)
    assert all(at > first for at, turn in enumerate(course) if turn == "asked")
