"""The dashboard: fixed in width, whole after a cut, one line when something material changed."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from loom.providers.counts import counter_for
from loom.providers.render import dashboard
from loom.providers.render.dashboard import WIDEST, LiveValues
from loom_partitions.message import Text
from loom_partitions.surfaces import PlanItem
from loom_partitions.working import Event, Working
from tests.kit.opened import plain

COUNT = counter_for()
WORKING = Working(
    goal=Text(3, 9, "Fix the parser."),
    plan=(PlanItem("read", "done"), PlanItem("mend", "doing")),
    events=(Event(("e1",), "disk", "nearly full", "high"),),
    questions=(("q1", "which branch?"),),
)

lives = st.builds(
    LiveValues,
    rho=st.floats(0, 9.99),
    budget=st.integers(0, 999_999_999),
    generation=st.integers(1, 9_999),
    heartbeat=st.from_regex("[0-2][0-9]:[0-5][0-9]:[0-5][0-9]", fullmatch=True),
)


@given(live=lives)
def test_no_value_is_larger_than_the_widest(live: LiveValues) -> None:
    """Whatever ρ, budget and heartbeat are, the block takes at most what was reserved."""
    assert COUNT(dashboard.dashboard_block(WORKING, live)) <= COUNT(
        dashboard.dashboard_block(WORKING, WIDEST)
    )
    assert COUNT(dashboard.dashboard_delta(WORKING, live)) <= COUNT(
        dashboard.dashboard_delta(WORKING, WIDEST)
    )


def test_block_tells_everything() -> None:
    """Goal, plan, events and questions are there in words."""
    text = dashboard.dashboard_block(WORKING, LiveValues(0.5, 1_000), mark="zx73")
    for part in ("[dashboard zx73]", "ρ 0.50", "1,000 tokens left", "goal: Fix the parser."):
        assert part in text
    for part in ("plan [x] read", "plan [>] mend", "event e1 (high)", "question q1: which"):
        assert part in text


def test_events_aggregate(tmp_path: Path) -> None:
    """Of too many events the most frequent kind joins: true count, top urgency, every id."""
    with plain(tmp_path / "w", goal="Fix it.") as ctx:
        for number in range(40):
            ctx.events.signal(f"e{number}", f"lint {number}", kind="lint")
        ctx.events.signal("boom", "it broke", kind="lint", urgency="critical")
        for number in range(12):
            ctx.events.signal(f"f{number}", f"odd {number}", kind=f"kind{number}")
        events = ctx.window.working.events
        assert len(events) <= 12
        ids = [id for event in events for id in event.ids]
        assert len(ids) == len(set(ids)) == 53
        holder = next(event for event in events if "boom" in event.ids)
        assert holder.urgency == "critical"
        ctx.events.acknowledge("boom", "ignore")
        assert "boom" not in [id for event in ctx.window.working.events for id in event.ids]


def test_a_line_without_room_ends_where_a_part_does() -> None:
    """What is behind it is told by the next dashboard; half a sentence may say the opposite."""
    trim = dashboard.trim_to_room(60, len)
    line = "plan: move the client to the new shop · obligations: do not restart it by day"
    assert trim(line) == "plan: move the client to the new shop …"
    assert trim("short") == "short"
    assert len(trim("x" * 200)) <= 60
