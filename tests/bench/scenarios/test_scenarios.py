"""What holds for every scenario with planted words of two halves."""

from collections.abc import Iterable
from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import json

from loom_bench.drive import driven
from loom_bench.judges import JUDGES
from loom_bench.laws import broken
from loom_bench.scenarios import SCENARIOS, session_of
from loom_bench.session import HALVES, ChangingValue, FactDue, PressureSession, StandingRule
from loom_bench.wires import WireReader
from tests.kit.cases import all_cases, each_value
from tests.kit.owed import planted, said, table_words, watched

# Those whose words stand in tables of two columns, and those that plant by `FactPlanter`.
WORDED = ("constraints", "injection", "contradiction", "failures", "pictures", "chatter")
PLANTED = ("flood", "handover", "haul", "languages", "parallel", "superseded")
NAMES = (*WORDED, *PLANTED)
# Scenario → a digest of the messages of two seeds in both halves: who changes one says so here.
DIGESTS = {
    "handover": "1f7706e6f33a157e",
    "languages": "d16954fa31ff58b4",
    "injection": "2aae9463da729ac8",
    "superseded": "75ba70fcafbc9ae8",
    "flood": "29b316a09c4346b3",
    "parallel": "d5208bd3ac638351",
    "constraints": "26932056f4dc60b8",
    "failures": "4b7b7a41b40b24cb",
    "contradiction": "c722591da08d2158",
    "pictures": "7dc5ab0a555bef89",
    "needle": "7eb557c9f5d631f7",
    "coding": "1465b89af4b83665",
    "haul": "5a26aeb9eb49db03",
    "chatter": "1bdb2a74147e4c30",
}
SEEDS = st.integers(1, 100_000)
FEW = settings(max_examples=3, deadline=None)
every = pytest.mark.parametrize("name", NAMES)
both = pytest.mark.parametrize("half", HALVES)


@pytest.mark.parametrize("name", SCENARIOS.built())
def test_a_scenario_says_what_it_is_and_is_the_same_everywhere(name: str) -> None:
    """`loom bench list` shows the first line; a seed gives the messages it gave before."""
    about = SCENARIOS.get(name).__doc__ or ""
    assert 30 < len(about.splitlines()[0]) <= 100
    found = sha256()
    for half in HALVES:
        for seed in (1, 2):
            found.update(json.encode(session_of(name, seed, half).messages))
    assert found.hexdigest()[:16] == DIGESTS[name]


@every
@both
@given(seed=SEEDS)
@FEW
def test_any_session_is_lawful_and_owes_what_it_says(name: str, half: str, seed: int) -> None:
    """Of any seed: the same again and no other's, of the size that presses, and all that is owed
    stands where it is said to, is needed later, and can be told apart."""
    session, filler = watched(name, seed, half)
    assert session == session_of(name, seed, half)
    comes_from_its_seed(session, session_of(name, seed + 1, half))
    stands_in_its_message_alone(session, filler)
    is_needed_after_it_was_said(session)
    values_are_told_apart(session)
    ends_after_it_began(session)
    messages = list(session.messages)
    assert broken("openai", {"model": "any", "messages": messages}) == []
    assert 55_000 <= WireReader().count(messages) <= (275_000 if name == "haul" else 135_000)


def comes_from_its_seed(session: PressureSession, other: PressureSession) -> None:
    """All that is random does."""
    assert session.messages != other.messages
    assert set(planted(session)) != set(planted(other))


def stands_in_its_message_alone(session: PressureSession, filler: Iterable[int]) -> None:
    """Ordinary work that held a value would give it away."""
    held = {at: said(session.messages[at]) for at in filler}
    for at, text in planted(session):
        assert text in said(session.messages[at]).replace("\\'", "'").replace('\\"', '"')
        assert not [number for number, filled in held.items() if text in filled]


def is_needed_after_it_was_said(session: PressureSession) -> None:
    """When the model is asked, also in the middle; and its question does not hold it."""
    moments, end = set(session.moments()), len(session.messages)
    facts = session.owed(FactDue)
    for fact in facts:
        assert fact.due and min(fact.due) > fact.at
        assert moments.issuperset(fact.due)
        assert fact.value.lower() not in fact.question.lower()
        for at in fact.due:  # who asks for it does not say it
            assert fact.value not in said(session.messages[at - 1])
    assert sum(at < end for fact in facts for at in fact.due) >= 2
    assert sum(end in fact.due for fact in facts) >= 3


def values_are_told_apart(session: PressureSession) -> None:
    """No value is part of another, and one question has one value at a time."""
    values = {fact.value for fact in session.owed(FactDue)}
    assert not [(one, other) for one in values for other in values - {one} if one in other]
    due = [(fact.question, at) for fact in session.owed(FactDue) for at in fact.due]
    assert len(due) == len(set(due))


def ends_after_it_began(session: PressureSession) -> None:
    """A rule that is lifted, and a value that changes, in the order of the messages."""
    for rule in session.owed(StandingRule):
        assert rule.until is None or rule.until > rule.at
    for changing in session.owed(ChangingValue):
        at = [number for number, _ in changing.states]
        assert at == sorted(set(at))


@all_cases(("name", "half"), each_value(WORDED, HALVES))
def test_whoever_keeps_everything_has_all_that_is_needed(name: str, half: str) -> None:
    """In a window that is large enough nothing is lost, and nothing is refused."""
    judges = [JUDGES.get("facts"), JUDGES.get("lawful")]
    kept = driven(session_of(name, 3, half), lambda _: list, 400_000, judges)
    assert kept.faults == [] and kept.failed == ""
    assert kept.sums["facts_shown"] == kept.sums["facts"] > 0


@pytest.mark.parametrize("name", WORDED)
def test_tables_of_the_halves_share_no_word(name: str) -> None:
    """Nothing can be fitted to words of the held-out half."""
    assert table_words(name, 0) & table_words(name, 1) == set()
