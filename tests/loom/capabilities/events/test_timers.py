from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.capabilities.events import Timers
from tests.kit.cases import all_cases

Clock = Any


def test_timers_fire_in_the_order_they_are_due(clock: Clock) -> None:
    """Several in one look come as they were due, not as they were set."""
    timers = Timers(clock)
    for seconds in (3, 1, 2):
        timers.at(seconds, f"t{seconds}", "x")
    clock.now += 10
    assert [signal.id.split("#")[0] for signal in timers.look()] == ["t1", "t2", "t3"]


@given(
    st.floats(0, 1e9),
    st.floats(0.001, 1e9),
    st.lists(st.floats(0, 1e9), min_size=1, max_size=20),
)
def test_a_repeating_timer_fires_at_most_once_a_look(
    first: float, every: float, steps: list[float]
) -> None:
    """Whatever the times, ids are new and a second look at one time finds nothing."""
    now = 0.0
    timers = Timers(lambda: now)
    timers.at(first, "t", "x" * 200, every=every)
    ids = []
    for step in steps:
        now += step
        ids += [signal.id for signal in timers.look()]
        assert timers.look() == []
    assert len(ids) == len(set(ids))


@all_cases(
    ("seconds", "every"),
    [(-1.0, 0.0), (float("nan"), 0.0), (float("inf"), 0.0), (1.0, -1.0), (1.0, 1e-9)],
)
def test_times_that_are_none_are_refused(clock: Clock, seconds: float, every: float) -> None:
    """A time is 0 or more; a rhythm is not endlessly fast."""
    with pytest.raises(ValueError, match="seconds"):
        Timers(clock).at(seconds, "t", "x", every=every)
