"""Arguments that are no JSON object: kept as the model wrote them, sent as one, in every way in."""

from __future__ import annotations

import json
from typing import Any

import loom
from loom.providers.formats.laws import broken
from tests.kit.cases import all_cases
from tests.kit.opened import Open, opened_with

opened = opened_with(window=40_000)
Wire = dict[str, Any]
BAD = [
    '{"command": "git commit -m', "", "[]", "null", '{"a": 1} {"b": 2}', '{"a": NaN}',
    '{"q": "\\ud99c"}', "{'a': 1}", "```json\n{}\n```", '{"a": 1,}',
]  # fmt: skip


def chat(arguments: str) -> Wire:
    """A reply that calls with such arguments."""
    function = {"name": "bash", "arguments": arguments}
    call = {"id": "c1", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def by_loop(ctx: loom.Context, arguments: str) -> None:
    """The reply is given whole."""
    ctx.user("Go.")
    ctx.turn()
    ctx.reply(chat(arguments))
    ctx.result("c1", "error: the arguments are no JSON", error=True)


def by_stream(ctx: loom.Context, arguments: str) -> None:
    """The reply comes in pieces."""
    ctx.user("Go.")
    ctx.turn()
    [call] = chat("")["tool_calls"]
    pieces = [arguments[at : at + 3] for at in range(0, len(arguments), 3)]
    deltas: list[Wire] = [{"role": "assistant", "tool_calls": [{"index": 0, **call}]}]
    deltas += [{"tool_calls": [{"index": 0, "function": {"arguments": one}}]} for one in pieces]
    chunks = [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    end = {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}
    [*ctx.collect([*chunks, end])]
    ctx.result("c1", "error: the arguments are no JSON", error=True)


def by_list(ctx: loom.Context, arguments: str) -> None:
    """The client's list has the reply and its result."""
    told = {"role": "tool", "tool_call_id": "c1", "content": "error: the arguments are no JSON"}
    ctx.sync([{"role": "user", "content": "Go."}, chat(arguments), told], "openai")


@all_cases("given", [by_loop, by_stream, by_list])
@all_cases("arguments", BAD)
def test_they_are_sent_as_an_object(opened: Open, given: Any, arguments: str) -> None:
    """In all formats, lawfully, the same after a reopening; the journal has what the model wrote,
    and its result tells the model."""
    ctx = opened("w")
    given(ctx, arguments)
    requests = {name: ctx.turn().request(name) for name in
                ("openai", "responses", "anthropic", "gemini")}  # fmt: skip
    for name, request in requests.items():
        assert broken(name, request) == []
        assert "error: the arguments are no JSON" in str(request)
    calling = next(one for one in requests["openai"]["messages"] if one.get("tool_calls"))
    sent = json.loads(calling["tool_calls"][0]["function"]["arguments"])
    assert sent == ({"_raw": arguments} if arguments else {})
    [step] = [one for one in ctx.window.history.stream.entries if hasattr(one, "outcomes")]
    assert step.calls[0].arguments == arguments
    ctx.close()
    ctx = opened("w")
    assert {name: ctx.turn().request(name) for name in requests} == requests


def test_what_is_sent_is_counted(opened: Open) -> None:
    """Quotes in it are escaped there, and count."""
    arguments = '{"a": ' + '"x", ' * 300
    ctx = opened()
    by_loop(ctx, arguments)
    [step] = [one for one in ctx.window.history.stream.entries if hasattr(one, "outcomes")]
    bare = ctx._engine.sizes.call("c1", "bash", arguments)
    assert step.calls[0].tokens > bare


def test_free_text_is_no_argument(opened: Open) -> None:
    """The input of a custom call goes back as it came, in either format of its maker."""
    ctx = opened()
    ctx.user("Go.")
    ctx.turn()
    custom = {"name": "patch", "input": "*** Begin"}
    call = {"id": "c1", "type": "custom", "custom": custom}
    ctx.reply({"role": "assistant", "content": None, "tool_calls": [call]})
    ctx.result("c1", "done")
    sent = ctx.turn().request("openai")["messages"]
    assert next(one for one in sent if one.get("tool_calls"))["tool_calls"] == [call]
