"""A request is the host's own: what it does to it does not reach the next one.

Hosts edit the outermost lists, the instructions, the tools and the newest messages; older messages
are shared between requests, so that a turn costs what is new.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import json

import loom
from loom.providers.formats.wire import EDITABLE
from tests.kit.cases import all_cases

MARK = "left by the host"
FORMATS = ["openai", "anthropic"]
TOOL = {"name": "look", "description": "Look.", "parameters": {"type": "object", "properties": {}}}


@pytest.fixture
def ctx(tmp_path: Path) -> Iterator[loom.Context]:
    """A context with something of everything a request is made of."""
    with loom.open(tmp_path, goal="Fix it.", tools=[TOOL], durable=False) as made:
        made.system("Be careful.")
        made.memory.remember("AGENTS.md", "Run make test.")
        made.user("go on")
        yield made


def step(ctx: loom.Context, number: int) -> None:
    """Add a step with reasoning, words, a call and its result."""
    thought = '{"type":"thinking","thinking":"hm","signature":"s"}'
    call = loom.ToolCall(f"c{number}", "look", '{"at":{"path":"a.py","lines":[1,2]}}')
    parts = (loom.Reasoning("hm", thought, "anthropic"), loom.Speech(f"step {number}"), call)
    ctx.reply(loom.Reply(parts))
    ctx.result(call, f"result {number}")


def cached(request: dict[str, Any]) -> None:
    """What a host does for a provider's cache: a mark on the last block of the last message."""
    last = request["messages"][-1]
    if isinstance(last["content"], str):
        last["content"] = [{"type": "text", "text": last["content"]}]
    last["content"][-1]["cache_control"] = MARK


def marked(value: Any) -> None:
    """A mark in every dict and every list, however deep."""
    if isinstance(value, dict):
        for item in value.values():
            marked(item)
        value["cache_control"] = MARK
    elif isinstance(value, list):
        for item in value:
            marked(item)
        value.append(MARK)


def emptied(value: Any) -> None:
    """Nothing left in any dict or list."""
    if isinstance(value, dict | list):
        for item in list(value.values() if isinstance(value, dict) else value):
            emptied(item)
        value.clear()


def in_reach(edit: Callable[[Any], None]) -> Callable[[dict[str, Any]], None]:
    """The edit, made to all a host has reason to change in a request."""

    def made(request: dict[str, Any]) -> None:
        edit(request["messages"][-EDITABLE:])
        edit(request.get("system", []))
        edit(request["tools"])
        request["messages"].append({"role": "user", "content": MARK})
        request["cache_control"] = MARK

    return made


Edit = Callable[[dict[str, Any]], None]
EDITS: list[Edit] = [lambda request: None, cached, in_reach(marked), in_reach(emptied)]


@all_cases("format", FORMATS)
@all_cases("edit", EDITS, ids=["nothing", "cached", "marked", "emptied"])
def test_the_same_turn_gives_a_fresh_request(ctx: loom.Context, format: str, edit: Edit) -> None:
    """Asked for again after it was edited, a request is as it was."""
    for number in range(4):
        turn = ctx.turn()
        before = json.encode(turn.request(format))
        edit(turn.request(format))
        assert json.encode(turn.request(format)) == before
        step(ctx, number)


@all_cases("format", FORMATS)
@all_cases("edit", EDITS, ids=["nothing", "cached", "marked", "emptied"])
def test_the_next_turn_knows_nothing_of_it(
    ctx: loom.Context, tmp_path: Path, format: str, edit: Edit
) -> None:
    """Requests after edited ones are those of a workspace that was just opened."""
    for number in range(6):
        edit(ctx.turn().request(format))
        if number % 3 == 2:
            ctx.user("and more")
        else:
            step(ctx, number)
    request = ctx.turn().request(format)
    assert MARK not in str(request)
    ctx.close()
    with loom.open(tmp_path, durable=False) as again:
        assert again.turn().request(format) == request


@pytest.mark.parametrize("format", FORMATS)
def test_an_earlier_turn_keeps_its_own(ctx: loom.Context, format: str) -> None:
    """Editing a later request leaves one the host still holds as it is."""
    held = ctx.turn().request(format)
    before = json.encode(held)
    step(ctx, 0)
    in_reach(marked)(ctx.turn().request(format))
    assert json.encode(held) == before
