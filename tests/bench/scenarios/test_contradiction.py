"""Two sources disagree; what holds is what the user or the better source said last."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loom_bench.scenarios import session_of
from loom_bench.scenarios.contradiction import COURSES, TABLES
from loom_bench.session import HALVES, ChangingValue, FactDue
from tests.kit.cases import all_cases
from tests.kit.owed import said

both = pytest.mark.parametrize("half", HALVES)
SEEDS = st.integers(1, 100_000)
FEW = settings(max_examples=5, deadline=None)


@both
@given(seed=SEEDS)
@FEW
def test_what_is_needed_is_the_value_that_holds_then(half: str, seed: int) -> None:
    """At each moment a fact is due, it is the newest state of its thing."""
    session = session_of("contradiction", seed, half)
    things = {one.question: one.states for one in session.owed(ChangingValue)}
    assert len(things) == len(COURSES)
    for fact in session.owed(FactDue):
        for due in fact.due:
            held = [(at, value) for at, value in things[fact.question] if at < due]
            assert held[-1] == (fact.at, fact.value)


@both
@given(seed=SEEDS)
@FEW
def test_some_sources_are_wrong_later_and_some_values_are_older(half: str, seed: int) -> None:
    """The newest text on a thing is not always the right one."""
    session = session_of("contradiction", seed, half)
    states = [one.states for one in session.owed(ChangingValue)]
    changed = [one for one in states if len(one) > 1]
    assert len(changed) == 5
    again = 0
    for (_, old), (since, _) in (one[-2:] for one in changed):
        again += any(old in said(message) for message in session.messages[since + 1 :])
    assert again == 3  # the old plan, the page and the code that nobody mended


@pytest.mark.parametrize("column", (0, 1))
def test_a_denial_does_not_repeat_the_value(column: int) -> None:
    """Who keeps only the newest message on a thing has lost it."""
    assert all("{value}" not in text for text in TABLES["denies"][column])


@all_cases("course", COURSES)
def test_a_course_has_two_values_or_one_that_somebody_contests(
    course: tuple[tuple[str, int, bool], ...],
) -> None:
    """Something holds in each, and the last that holds is the end of it."""
    assert any(holds for _, _, holds in course)
    assert {which for _, which, _ in course} == {0, 1}
