"""The agent's loop, the planned files and the metrics of the second document."""

import json
from importlib import import_module
from typing import Any

import pytest

from benchmarks.documented.payloads import mixed, step
from loom_partitions.message import Step
from tests.kit.opened import Open
from tests.kit.requests import SMALL, messages, play, request


def test_loop(opened: Open) -> None:
    """One `ctx.result` reduces, offloads and stores; the next request shows the observation."""
    ctx = opened()
    one = step("web:search", 1)
    ctx.reply(one.reply(1))
    ctx.result(ctx.calls[0], one.result)
    made = ctx.window.history.stream.last
    assert isinstance(made, Step) and made.outcomes[0].reduction.outcome_ref
    assert ctx.page_in(made.outcomes[0].reduction.outcome_ref).text == one.result
    assert json.dumps(one.result)[1:-1] in request(ctx)


def test_prompt_order(opened: Open) -> None:
    """A request has instructions and tools first, then older steps, recent ones, the goal last."""
    ctx = opened(policy=SMALL, window=8_192, goal="Find the price.")
    ctx.system("You are careful.")
    ctx.tools.declare({"name": "look", "description": "Look.", "parameters": {"type": "object"}})
    play(ctx, *mixed(5))
    ctx.renew()
    sent = ctx.turn().request("openai")
    texts = [str(one["content"]) for one in sent["messages"]]
    assert sent["tools"][0]["function"]["name"] == "look"
    assert texts[0].startswith("You are careful.")
    assert "[earlier" in texts[1] and "goal: Find the price." in texts[-1]
    assert [one["role"] for one in messages(ctx)].count("tool") >= 1


# The plan's file → the module that does it.
PLANNED = {
    "step.py": "loom_partitions.message",
    "reducer.py": "loom.reduce.rules",
    "compactor.py": "loom.compress.step",
    "offloader.py": "loom_paging.pager",
    "tools.py": "loom.capabilities.toolbox.descriptor",
    "isolation.py": "loom.capabilities.agents.family",
    "spawn.py": "loom.capabilities.agents.spawn_order",
    "hierarchy.py": "loom.capabilities.toolbox.registry",
    "scripts.py": "loom.capabilities.toolbox.scripts",
    "semantic.py": "loom.search.semantic",
}


@pytest.mark.parametrize("planned", PLANNED)
def test_planned_file(planned: str) -> None:
    """Each file of the plan has a module in Loom that does its work."""
    assert import_module(PLANNED[planned]).__doc__


@pytest.mark.exact
@pytest.mark.parametrize(
    ("figure", "most"),
    [("tokens_per_step", 100), ("tokens_10_steps", 1_500)],
    ids=["step", "ten steps"],
)
def test_metric(measured: dict[str, Any], figure: str, most: float) -> None:
    """A reduced step takes at most 100 tokens, the history of ten mixed ones 1,500."""
    assert measured[figure] <= most


@pytest.mark.exact
def test_metric_even_steps(measured: dict[str, Any]) -> None:
    """The history of ten steps of about 500 tokens each takes at most 1,500."""
    assert measured["tokens_10_even_steps"] <= 1_500


def test_metric_errors(measured: dict[str, Any]) -> None:
    """Fewer than 5 % of the look-ups of names the window shows fail."""
    assert measured["tool_error_rate"] < 0.05
