"""A call of `spawn` for which nobody can be spawned: answered, so the model goes on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from msgspec import json

import loom
from loom.capabilities.agents.tool import SPAWN
from loom_partitions import laws
from loom_partitions.limits import Budget
from tests.kit.cases import all_cases

OWN = Budget(steps=4, files=1, bytes=900, seconds=600, agents=1)
SECRET = "sk-ant-" + "a1b2c3d4" * 4


@pytest.fixture
def one(root: loom.Context) -> Iterator[loom.Context]:
    """Yield an agent with the budget OWN, that may call `spawn`."""
    with root.agents.spawn("Work.", name="one", budget=OWN, tools=[SPAWN]) as ctx:
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


def test_over_the_budget(one: loom.Context) -> None:
    """The model is told what is left of everything, in the right number; the error still comes."""
    with one.agents.spawn(called(one, goal="Do a part."), name="a"):
        pass
    one.agents.give_up("a", "enough")
    one.agents.join("a")
    call = called(one, goal="Do another.")
    with pytest.raises(loom.BudgetSpent, match=r"^one has used 1 of its 1 agent:"):
        one.agents.spawn(call)
    assert one.calls == () and "a" not in one.agents.children
    said = told(one, call.id)
    assert said.startswith("[error] [not spawned ") and "no agents left (1 of 1 used), so" in said
    assert "Left of your budget: 1 step, 1 file, 450 bytes to hand over" in said
    assert "0 agents below" in said


@all_cases(
    ("given", "why"),
    [
        ({"goal": " "}, ": the goal is empty"),
        ({"goal": "Do.", "budget": {"steps": 0}}, "steps: 0 is no figure"),
        ({"goal": "Do.", "budget": 5}, "perhaps a name, pages and a budget"),
        ({"goal": "Do.", "name": "../up"}, "no agent can be named"),
        ({"goal": "Do.", "pages": ["outputs/none_0001.txt"]}, "grant one by the name"),
        ({"goal": "Do.", "steps": 3}, 'steps belongs in the budget: "budget": {"steps": …}'),
        ({"goal": "Do.", "pagse": []}, "unknown field `pagse`"),
        ({"goal": "Do.", "name": SECRET}, "no agent can be named"),
    ],
)
def test_what_the_model_asks_wrongly(one: loom.Context, given: dict[str, Any], why: str) -> None:
    """Each is answered with what is wrong, and no secret of the call."""
    call = called(one, **given)
    with pytest.raises(loom.LoomError):
        one.agents.spawn(call)
    assert why in told(one, call.id) and one.calls == () and one.agents.children == {}
    assert SECRET not in str(one.turn().request())


def test_what_the_model_names_is_what_the_child_gets(one: loom.Context) -> None:
    """Within what is left."""
    with one.agents.spawn(called(one, goal="Do.", budget={"steps": 2, "agents": 9})) as child:
        assert child.window.config.budget is not None
        assert child.window.config.budget.steps == 2 and child.window.config.budget.agents == -1
