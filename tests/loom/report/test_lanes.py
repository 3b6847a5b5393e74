"""Lanes: when a text stood in the window, when it left, when it came back."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import loom
from loom.engine.archive.workspace import Workspace
from loom.engine.sent_again import request_at
from loom.report.data import AgentRow, LaneRow
from loom_partitions.message import Step
from loom_partitions.stream import is_lowered
from tests.loom.report.conftest import data_of


def config(agent: AgentRow) -> LaneRow:
    """The lane of the file that is read first."""
    return next(lane for lane in agent.lanes if lane.file == "config.json")


def test_a_lane_has_no_gap(session: Path, family: Path) -> None:
    """From the request a text came in for to the last one, each request is in one span."""
    for folder in (session, family):
        [agent] = data_of(folder).agents
        last = agent.turns[-1].turn
        for lane in agent.lanes:
            covered = [t for span in lane.spans for t in range(span.first, span.last + 1)]
            assert covered == list(range(lane.spans[0].first, last + 1))


def test_states_are_those_of_the_windows(session: Path) -> None:
    """What a lane says of a request is so in the window it was made of."""
    workspace = Workspace.at_path(session, write=False)
    [agent] = data_of(session).agents
    for number in range(1, agent.turns[-1].turn + 1, 7):
        stream = request_at(workspace, number).window.history.stream
        steps = {item.id: item for item in stream if isinstance(item, Step)}
        for lane in agent.lanes:
            if not lane.entry.startswith("step_"):
                continue
            state = next((s.state for s in lane.spans if s.first <= number <= s.last), "")
            step = steps.get(int(lane.entry[5:]))
            if state in ("whole", "part"):
                assert step is not None and not is_lowered(step)
            elif state == "line":
                assert step is not None and is_lowered(step)
            elif state == "out":
                assert step is None


def test_when_a_file_left_and_came_back(session: Path) -> None:
    """It is out from the request of a cut on, until the model pages it in."""
    [agent] = data_of(session).agents
    lane = config(agent)
    gone = next(span for span in lane.spans if span.state == "out")
    cut = agent.cuts[gone.cut]
    assert cut.turn == gone.first and cut.rho >= (cut.mark or 0)
    row = next(row for row in cut.left if row.entry == lane.entry)
    assert row.after == 0 and row.pages == ("outputs/read_0001.txt",)
    assert (row.way, row.back) == ("page_in", lane.came[0][0])
    back = next(span for span in lane.spans if span.state == "back")
    assert lane.came == ((back.first, "page_in"),)


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


def test_what_left_is_what_the_certificate_says(session: Path, family: Path) -> None:
    """Sizes before and after a cut are the recorded ones, and nothing that left grew."""
    for folder in (session, family):
        [agent] = data_of(folder).agents
        assert agent.cuts
        for cut in agent.cuts:
            assert all(row.before > row.after for row in cut.left)
            if cut.mark is not None:
                assert cut.after < cut.before
