"""Failures end when the same command passes in the same folder, and not before."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import json

from loom_bench.scenarios import session_of
from loom_bench.scenarios.failures import CHECKS
from loom_bench.session import HALVES, PUBLIC, CommandFailure, PressureSession
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
