"""Figures of a budget: refused where none can be held, told in words, shared with a fork; a call of
`spawn` for which nobody can be spawned is answered, so the model goes on."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import json
from msgspec.structs import replace

import loom
from loom.capabilities.agents.child_budget import remaining_figures, requested_budget
from loom.capabilities.agents.tool import SPAWN
from loom.errors import BadInput
from loom_partitions import laws
from loom_partitions.limits import Budget
from tests.kit.cases import all_cases
from tests.kit.step import step

SMALL = Budget(steps=10, step_tokens=0, files=1, bytes=900, seconds=600, depth=3, agents=2)
OWN = Budget(steps=11, files=5, bytes=900, seconds=600, agents=6)
UNBOUND = Budget(steps=0, step_tokens=0, files=0, bytes=0, seconds=0, depth=0, agents=0)
ODD: list[Any] = [-2, -(10**9), 10**30, math.nan, math.inf, -math.inf, "5", True, None, [5], b"5"]


def commits(ctx: loom.Context) -> int:
    """Return how many commits its journal has."""
    return ctx._engine.workspace.commits


@all_cases("figure", ["steps", "step_tokens", "files", "seconds", "depth", "agents"])
@all_cases("value", ODD, ids=repr)
def test_an_odd_figure_is_refused(root: loom.Context, figure: str, value: Any) -> None:
    """The error names the figure, and nothing is recorded."""
    before = commits(root)
    with pytest.raises(BadInput, match=f"^{figure}: .* is no figure of a budget") as raised:
        root.agents.spawn("Work.", budget=replace(Budget(), **{figure: value}))
    assert str(raised.value).startswith(f"{figure}: ") and len(str(raised.value)) < 200
    assert commits(root) == before and root.agents.children == {}


def test_a_call_narrows_what_the_host_gives() -> None:
    """What it leaves out is the host's, or as usual; no limit and nothing are its alone to say."""
    for value in (*ODD, 0, -1):
        with pytest.raises(BadInput, match="steps: "):
            requested_budget({"steps": value}, None)
    assert requested_budget(None, SMALL) is SMALL
    assert requested_budget({"steps": 4, "agents": 90}, SMALL) == replace(SMALL, steps=4)
    assert requested_budget({"steps": 4}, None) == Budget(steps=4)


def said(ctx: loom.Context) -> str:
    """Return its present request as text."""
    return json.encode(ctx.turn().request()["messages"]).decode()


def test_a_child_is_told_its_budget_once(root: loom.Context) -> None:
    """From its first request on, through a renewal and a reopen; one without limits none."""
    with root.agents.spawn("Work.", name="one", budget=SMALL) as ctx:
        first = said(ctx)
        assert first.count("Your budget: 10 steps") == 1
        step(ctx)
        ctx.renew()
        assert said(ctx).count("Your budget: 10 steps") == 1
    with root.agents.child("one") as ctx:
        assert said(ctx).count("Your budget: 10 steps") == 1
    with root.agents.spawn("Work.", budget=UNBOUND) as ctx:
        assert "Your budget" not in said(ctx) and "Your budget" not in said(root)


def test_a_child_is_told_of_its_last_reply(root: loom.Context) -> None:
    """Once. With none left no request is made, and what there is can be delivered."""
    with root.agents.spawn("Work.", name="one", budget=SMALL) as ctx:
        for _ in range(9):
            assert "report now" not in said(ctx)
            step(ctx)
        told = said(ctx)
        assert "this is your last step: report now" in told and "interrupt requested" not in told
    with root.agents.child("one") as ctx:
        before = commits(ctx)
        assert said(ctx) == told and commits(ctx) == before + 1  # it is sent again
        step(ctx)
        with pytest.raises(loom.BudgetSpent, match=r"^one has used 10 of its 10 steps:"):
            ctx.turn()
        ctx.agents.deliver("What there is.")


@pytest.fixture
def one(root: loom.Context) -> Iterator[loom.Context]:
    """Yield an agent with the budget OWN."""
    with root.agents.spawn("Work.", name="one", budget=OWN) as ctx:
        yield ctx


def pools(ctx: loom.Context) -> dict[str, float]:
    """Return what is left of its pools."""
    return {
        name: value for name, value in remaining_figures(ctx._engine).items() if name != "seconds"
    }


def test_a_child_of_a_fork_has_its_share_of_that(one: loom.Context) -> None:
    """And no more, whatever it asks; a fork of a fork too."""
    with one.agents.fork("copy") as copy, copy.agents.fork("again") as again:
        assert pools(again) == {"steps": 2, "files": 1, "bytes": 225, "agents": 0}
        with pytest.raises(loom.BudgetSpent, match="agents"):
            again.agents.spawn("Work.")
        with one.agents.spawn("Work.", budget=Budget(steps=99, agents=99)) as child:
            assert pools(child)["steps"] == 5 and pools(child)["agents"] == 1


@pytest.mark.parametrize("budget", [Budget(steps=1), Budget(agents=-1)], ids=["steps", "agents"])
def test_nothing_to_share(root: loom.Context, budget: Budget) -> None:
    """A fork that could do nothing is refused, and nothing is recorded."""
    with root.agents.spawn("Work.", budget=budget) as ctx:
        commits = ctx._engine.workspace.commits
        with pytest.raises(loom.BudgetSpent):
            ctx.agents.fork("copy")
        assert ctx._engine.workspace.commits == commits


def test_a_fork_made_again_costs_its_half_once(one: loom.Context, tmp_path: Path) -> None:
    """A copy that failed left the record, which the next one uses."""
    blocked = tmp_path / "w/agents/one/forks"
    blocked.write_text("a file where a folder belongs")
    with pytest.raises(OSError):
        one.agents.fork("copy")
    after = pools(one)
    assert after["steps"] == 5
    blocked.unlink()
    with one.agents.fork("copy") as copy:
        assert pools(one) == pools(copy) == after
    with pytest.raises(loom.BadInput, match="no agent can be named"):
        one.agents.fork("copy")
    assert pools(one) == after


def newest(ctx: loom.Context) -> str:
    """The newest message of a request."""
    ctx.user("And now?")
    return str(ctx.turn().request()["messages"][-1])


def test_the_parent_is_told_how_it_was_left(root: loom.Context) -> None:
    """Closed, open again, done: each is on the dashboard, and told once."""
    with root.agents.spawn("Read it.", budget=Budget(steps=3)) as child:
        assert "child agent-1 works on: Read it." in newest(root)
        child.user("Go on.")
        child.turn()
        child.reply(loom.Reply((loom.Speech("So far."),)))
    assert "child agent-1: closed without a result (1 of 3 steps used)" in newest(root)
    assert "agent-1" not in newest(root)
    with pytest.raises(loom.errors.Overdue, match="nobody has agent-1 open") as raised:
        root.agents.wait(timeout=0.0)
    assert raised.value.agents == raised.value.closed == ("agent-1",)
    with root.agents.child("agent-1") as child:
        assert "child agent-1 works on: Read it." in newest(root)
        child.agents.deliver("Read.")
    assert "child agent-1 is done, waits to be joined" in newest(root)


def test_a_reply_in_hand_is_taken_in_when_time_is_over(root: loom.Context) -> None:
    """It is paid for; no further request and no fork is made."""
    with root.agents.spawn("Read it.", budget=Budget(seconds=600)) as child:
        child.turn()
        child._engine.workspace.folded.began -= 700_000
        child.reply(loom.Reply((loom.Speech("Found."),)))
        for more in (child.turn, lambda: child.agents.fork("other")):
            with pytest.raises(loom.BudgetSpent, match="of its 600 seconds"):
                more()
        assert child.text == "Found."


FEW = Budget(steps=4, files=1, bytes=900, seconds=600, agents=1)
SECRET = "sk-ant-" + "a1b2c3d4" * 4


@pytest.fixture
def asking(root: loom.Context) -> Iterator[loom.Context]:
    """Yield an agent with the budget FEW, that may call `spawn`."""
    with root.agents.spawn("Work.", name="one", budget=FEW, tools=[SPAWN]) as ctx:
        yield ctx


def called(ctx: loom.Context, **given: Any) -> Any:
    """Let the model call `spawn`; return the call as the host gets it."""
    id = f"c{ctx.window.history.next_id}"
    ctx.turn()
    ctx.reply(loom.Reply((loom.ToolCall(id, "spawn", json.encode(given).decode()),)))
    return ctx.calls[0]


def told(ctx: loom.Context, id: str) -> str:
    """Return what the model reads as the result of a call, where all is lawful."""
    messages = ctx.turn().request()["messages"]
    assert not laws.paired(ctx.window)
    (said,) = (one["content"] for one in messages if one.get("tool_call_id") == id)
    return str(said)


def test_over_the_budget(asking: loom.Context) -> None:
    """The model is told what is left of everything, in the right number; the error still comes."""
    with asking.agents.spawn(called(asking, goal="Do a part."), name="a"):
        pass
    asking.agents.give_up("a", "enough")
    asking.agents.join("a")
    call = called(asking, goal="Do another.")
    with pytest.raises(loom.BudgetSpent, match=r"^one has used 1 of its 1 agent:"):
        asking.agents.spawn(call)
    assert asking.calls == () and "a" not in asking.agents.children
    said = told(asking, call.id)
    assert said.startswith("[error] [not spawned ") and "no agents left (1 of 1 used), so" in said
    assert "Left of your budget: 1 step, 1 file, 450 bytes to hand over" in said
    assert "0 agents below" in said


@all_cases(
    ("given", "why"),
    [
        ({"goal": " "}, ": the goal is empty"),
        ({"goal": "Do.", "budget": {"steps": 0}}, "steps: 0 is no figure"),
        ({"goal": "Do.", "budget": 5}, "perhaps a name, pages and a budget of steps"),
        ({"goal": "Do.", "name": "../up"}, "no agent can be named"),
        ({"goal": "Do.", "pages": ["outputs/none_0001.txt"]}, "grant one by the name"),
        ({"goal": "Do.", "steps": 3}, "unknown field `steps`"),
        ({"goal": "Do.", "pagse": []}, "unknown field `pagse`"),
        ({"goal": "Do.", "name": SECRET}, "no agent can be named"),
    ],
)
def test_what_the_model_asks_wrongly(asking: loom.Context, given: dict[str, Any], why: str) -> None:
    """Each is answered with what is wrong, and no secret of the call."""
    call = called(asking, **given)
    with pytest.raises(loom.LoomError):
        asking.agents.spawn(call)
    assert why in told(asking, call.id) and asking.calls == () and asking.agents.children == {}
    assert SECRET not in str(asking.turn().request())
