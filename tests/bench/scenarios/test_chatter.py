"""A support desk: small messages of customers with like names, whose facts differ."""

from statistics import median

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loom_bench.scenarios import session_of
from loom_bench.scenarios.chatter import TABLES
from loom_bench.session import HALVES, PUBLIC, ChangingValue, FactDue
from tests.kit.owed import said

both = pytest.mark.parametrize("half", HALVES)
SEEDS = st.integers(1, 100_000)
FEW = settings(max_examples=5, deadline=None)


@both
@given(seed=SEEDS)
@FEW
def test_messages_are_many_and_small_and_tools_few(half: str, seed: int) -> None:
    """Most of the session is talk."""
    messages = session_of("chatter", seed, half).messages
    talk = [said(one) for one in messages if one["role"] in ("user", "assistant")]
    assert 600 <= len(messages) <= 2_000
    assert median(map(len, talk)) < 250
    assert sum(one["role"] == "tool" for one in messages) < len(messages) / 8


@both
@given(seed=SEEDS)
@FEW
def test_a_fact_is_of_the_customer_whom_its_message_and_question_name(half: str, seed: int) -> None:
    """Names share their first or last part with others."""
    session = session_of("chatter", seed, half)
    names = TABLES["name"][half != PUBLIC]
    for owed in session.owed(FactDue) + session.owed(ChangingValue):
        (name,) = [one for one in names if one in owed.question]
        states = owed.states if isinstance(owed, ChangingValue) else ((owed.at, owed.value),)
        for at, _ in states:
            assert [one for one in names if one in said(session.messages[at])] == [name]
        for due in getattr(owed, "due", ())[:-1]:
            assert name in said(session.messages[due - 1])


@pytest.mark.parametrize("column", (0, 1))
def test_no_name_is_alone_with_its_parts(column: int) -> None:
    """Who goes by a first name alone mixes customers up."""
    parts = [name.split() for name in TABLES["name"][column]]
    first = [one for one, _ in parts]
    last = [one for _, one in parts]
    shared = [one for one in parts if first.count(one[0]) > 1 or last.count(one[1]) > 1]
    assert len(shared) >= 8 and len(set(map(tuple, parts))) == len(parts)


@both
@given(seed=SEEDS)
@FEW
def test_promises_are_the_agents_own(half: str, seed: int) -> None:
    """What the agent said has to be kept as well as what it was told."""
    session = session_of("chatter", seed, half)
    promised = TABLES["promise"][half != PUBLIC]
    at = [fact.at for fact in session.owed(FactDue) if fact.value in promised]
    assert len(at) == 8
    assert {session.messages[one]["role"] for one in at} == {"assistant"}
