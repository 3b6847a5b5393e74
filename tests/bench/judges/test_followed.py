"""The judges that follow a whole session: truth, answers; and what holds for any part of one."""

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loom_bench.judges import JUDGES
from loom_bench.judges.truth import PREFIX
from loom_bench.laws import broken
from loom_bench.moment import BenchRuling
from loom_bench.scenarios import session_of
from loom_bench.session import HALVES, PUBLIC, PressureSession
from tests.kit.cases import all_cases

Held = Callable[..., BenchRuling]


@pytest.fixture(scope="module")
def coding() -> PressureSession:
    """A session of the scenario."""
    return session_of("coding", 1, PUBLIC)


def test_the_whole_history_is_true(held: Held, coding: PressureSession) -> None:
    """The transcript itself tells every edit and outcome and raises nobody's words."""
    sums = held(JUDGES.get("truth"), coding, coding.messages).sums
    wrong = ("stale", "untold", "resolved_open", "open_untold", "foreign", "forged", "cut_short")
    assert {name: sums[PREFIX + name] for name in wrong} == dict.fromkeys(wrong, 0)
    assert sums[PREFIX + "changed"] and sums[PREFIX + "open"]
    assert sums[PREFIX + "short_found"] == sums[PREFIX + "short_said"] > 0


@all_cases("half", HALVES)
@all_cases("seed", [1, 2])
def test_the_whole_history_answers_everything(held: Held, seed: int, half: str) -> None:
    """The reader answers from chat messages as from the simulated events, in both halves."""
    session = session_of("coding", seed, half)
    assert broken("openai", {"model": "any", "messages": list(session.messages)}) == []
    ruling = held(JUDGES.get("answers"), session, session.messages)
    assert ruling.sums["answers_held"] == ruling.sums["answers"] > 50
    assert ruling.sums["answers_lies"] == 0


@settings(
    deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25
)
@given(data=st.data())
def test_parts_of_a_session_are_not_forged(
    held: Held, owing: PressureSession, data: st.DataObject
) -> None:
    """Any of its own messages in any order: no call is forged, no order is raised."""
    picks = data.draw(st.lists(st.sampled_from(range(len(owing.messages))), max_size=12))
    request = [owing.messages[at] for at in picks]
    assert held(JUDGES.get("forged"), owing, request).sums["forged"] == 0
    assert held(JUDGES.get("orders"), owing, request).sums["orders_raised"] == 0


@settings(
    deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25
)
@given(data=st.data())
def test_the_newest_messages_tell_no_lie(
    held: Held, owing: PressureSession, data: st.DataObject
) -> None:
    """Whatever number of them: what stands behind something old is what took its place."""
    request = owing.messages[data.draw(st.integers(0, len(owing.messages))) :]
    assert held(JUDGES.get("values"), owing, request).sums["values_stale"] == 0
    assert held(JUDGES.get("failures"), owing, request).sums["false_alarms"] == 0
    assert held(JUDGES.get("rules"), owing, request).sums["lifted"] == 0
