"""Lanes: when a text stood in the window, when it left, when it came back."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import loom
from loom.report.lanes import of_user
from loom_partitions.message import Text, UserTurn
from tests.loom.report.conftest import data_of


def test_a_lane_has_no_gap(session: Path, family: Path) -> None:
    """From the request a text came in for to the last one, each request is in one span."""
    for folder in (session, family):
        [agent] = data_of(folder).agents
        last = agent.turns[-1].turn
        for lane in agent.lanes:
            covered = [t for span in lane.spans for t in range(span.first, span.last + 1)]
            assert covered == list(range(lane.spans[0].first, last + 1))


def test_what_is_read_ahead_and_recalled(folder: Path) -> None:
    """Both bring a text back, each in its own way, and a cut takes it out again."""
    with loom.open(folder, window=6_000, durable=False) as ctx:
        ctx.user("Look.")
        for number in range(30):
            ctx.turn()
            path = "a.py" if number % 8 == 0 else f"b_{number}.py"
            call = loom.ToolCall(f"c{number}", "read", json.dumps({"path": path}))
            ctx.reply(loom.Reply((loom.Speech("On."), call)))
            text = "".join(f"def f_{number}_{at}(): pass\n" for at in range(90))
            ctx.result(call.id, f"zebra {number}\n{text}")
        ctx.turn()
        ctx.reply(loom.Reply((loom.ToolCall("r", "recall", '{"query": "zebra 3"}'),)))
        ctx.turn()
    [agent] = data_of(folder).agents
    ways = {way for lane in agent.lanes for _, way in lane.came}
    assert "recall" in ways
    last = agent.turns[-1].turn
    assert {turn for lane in agent.lanes for turn, way in lane.came if way == "recall"} == {last}
    for lane in agent.lanes:
        for before, after in pairwise(lane.spans):
            assert before.last + 1 == after.first and before.state != after.state
            if after.state == "out":
                assert agent.cuts[after.cut].turn == after.first


def test_a_message_is_called_by_its_first_words() -> None:
    """What was read ahead by the file it is of."""
    assert of_user(UserTurn(1, Text(2, 5, "Do it.\nNow."), 9)).title == "Do it. Now."
    ahead = UserTurn(2, Text(2, 5, "x"), 9, source="step_0001", about="a.py", field="new_string")
    assert of_user(ahead).title == "read ahead a.py"
