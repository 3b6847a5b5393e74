"""What steers a provider's prompt cache, and what its prices do to the choice of cuts."""

from __future__ import annotations

from typing import Any

import pytest

import loom
from loom_bench.laws import broken
from tests.kit.cases import all_cases
from tests.kit.opened import PLAIN, Open, opened_with

NOISE = "the build went on and on as builds do\n"
TOOL = {"name": "Bash", "description": "Run it.", "parameters": {"type": "object"}}
LISTS = {"openai": "messages", "responses": "input", "anthropic": "messages", "gemini": "contents"}
MARK = {"type": "ephemeral"}
Place = tuple[Any, ...]


def claude(*ids: str, thinks: bool = True) -> dict[str, Any]:
    """A reply of Anthropic with a call under every id."""
    thought = {"type": "thinking", "thinking": "Let me see.", "signature": "c2lnbmVk"}
    calls: list[dict[str, Any]] = [
        {"type": "tool_use", "id": id, "name": "Bash", "input": {"command": f"make {id}"}}
        for id in ids
    ] or [{"type": "text", "text": "Done, as you asked."}]
    head = {"type": "message", "role": "assistant", "model": "claude-sonnet-4-5"}
    ended = {"stop_reason": "tool_use" if ids else "end_turn", "usage": {"input_tokens": 0}}
    return {**head, **ended, "content": [thought] * thinks + calls}


# 8,000 tokens, for a model of Anthropic.
opened = opened_with("work", window=8_000, model="claude-sonnet-4-5", policy=PLAIN)


def acts(ctx: loom.Context, number: int) -> None:
    """What happens after turn `number`: steps, words of the user, news, an answer now and then."""
    ids = [f"c{number}_{call}" for call in range(number % 3 + 1)]
    if number % 7 == 6:
        ctx.reply(claude(thinks=number % 2 == 0))
        ctx.user(f"And now part {number}, 请.")
        return
    ctx.reply(claude(*ids, thinks=number % 4 != 1))
    for id in ids:
        ctx.result(id, "" if number % 11 == 3 else f"{id}\n" + NOISE * (number % 5 * 4))
    if number % 9 == 4:
        ctx.system(f"Rule {number}: be careful.", f"rule {number}")
    if number % 9 == 7:
        ctx.user("one")
        ctx.user("two")
    if number % 10 == 8:
        ctx.working.plan([f"part {number}", "rest"])


def marks(request: dict[str, Any]) -> list[Place]:
    """Where the cache marks stand, from the front of the prompt to its end."""
    found: list[Place] = [
        ("tools", at) for at, tool in enumerate(request.get("tools", [])) if "cache_control" in tool
    ]
    system = request.get("system", [])
    found += [("system", at) for at, block in enumerate(system) if "cache_control" in block]
    for number, message in enumerate(request["messages"]):
        blocks = message["content"] if isinstance(message["content"], list) else []
        found += [(number, at) for at, block in enumerate(blocks) if "cache_control" in block]
    return found


def last(request: dict[str, Any]) -> Place:
    """The last block of a request's messages."""
    return (len(request["messages"]) - 1, len(request["messages"][-1]["content"]) - 1)


HEADS: dict[str, tuple[dict[str, Any], str]] = {
    "bare": ({}, ""),
    "tools": ({"tools": [TOOL, {**TOOL, "name": "Read"}]}, ""),
    "both": ({"tools": [TOOL]}, "be careful"),
}


def head(request: dict[str, Any]) -> set[Place]:
    """The last block in front of the messages that another session may share: a tool, or a text of
    the system but its last."""
    if len(request["system"]) > 1:
        return {("system", len(request["system"]) - 2)}
    return {("tools", len(request["tools"]) - 1)} if request.get("tools") else set()


@all_cases(("given", "system"), HEADS.values(), ids=HEADS)
def test_where_marks_stand(opened: Open, given: dict[str, Any], system: str) -> None:
    """At the end of the head, of the request before and of this one; never on thinking."""
    ctx = opened(**given)
    if system:
        ctx.system(system)
    ctx.user("go on")
    before: dict[str, Any] = {}
    cuts = 0
    for number in range(40):
        request = ctx.turn().request("anthropic")
        wanted = {last(request)} | head(request)
        if before and ctx.window.sent.cuts == cuts:
            wanted.add(last(before))
        assert wanted <= set(marks(request))
        assert len(marks(request)) <= 4
        for message in request["messages"]:
            for block in message["content"]:
                assert block["type"] != "thinking" or "cache_control" not in block
                assert block.get("cache_control", MARK) == MARK
        assert broken("anthropic", {**request, "model": "m"}) == []
        before, cuts = request, ctx.window.sent.cuts
        acts(ctx, number)
    assert ctx.window.sent.cuts


@all_cases("format", LISTS)
def test_more_arguments(opened: Open, format: str) -> None:
    """Arguments of the host's are passed on as they are, and stand against what Loom would have
    given; only Chat streams are asked for their usage."""
    ctx = opened(model="gpt-5")
    ctx.user("go on")
    turn = ctx.turn()
    given = {"temperature": 0.2, "stop": ["END"], "model": "mine"}
    given |= {"prompt_cache_key": "mine", "max_completion_tokens": 7, "user": "u"}
    more = turn.request(format, stream=True, **given)
    assert given.items() <= more.items() and more["stream"] is True
    asked = {"include_usage": True}
    assert more.get("stream_options") == (asked if format == "openai" else None)
    for plain in (turn.request(format), turn.request(format, stream=False)):
        assert "stream_options" not in plain
    own = {"include_usage": False}
    assert turn.request(format, stream=True, stream_options=own)["stream_options"] == own
    with pytest.raises(loom.BadInput, match="no format"):
        turn.request("cohere")
