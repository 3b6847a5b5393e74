"""A turn its provider paused stands last, and goes on: nothing is placed behind an open call of the
provider's own but results of calls made beside it."""

from typing import Any

import pytest

import loom
from loom_bench.laws import Laws, broken
from tests.kit.cases import all_cases
from tests.kit.opened import Open, opened_with

opened = opened_with(window=40_000, model="claude-opus-5")
Wire = dict[str, Any]
USE = {"type": "server_tool_use", "id": "srvtoolu_9", "name": "web_search", "input": {"query": "x"}}
FOUND = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_9", "content": []}
MCP = {"type": "mcp_tool_use", "id": "mcptoolu_1", "name": "a", "server_name": "s", "input": {}}
MCP_FOUND = {"type": "mcp_tool_result", "tool_use_id": MCP["id"], "is_error": False, "content": []}
CODE = {"type": "server_tool_use", "id": "srvtoolu_9", "name": "code_execution", "input": {}}
CALLED = {"type": "code_execution_20260120", "tool_id": "srvtoolu_9"}


def text(said: str) -> Wire:
    """A text block."""
    return {"type": "text", "text": said}


def reply(*blocks: Wire, stop: str = "pause_turn") -> Wire:
    """A message of the provider's."""
    made = {"type": "message", "role": "assistant", "model": "claude-opus-5"}
    return {**made, "stop_reason": stop, "content": [*blocks]}


def call(id: str, **more: Any) -> Wire:
    """A call of the host's."""
    return {"type": "tool_use", "id": id, "name": "read", "input": {"n": 1}, **more}


def streamed(message: Wire) -> list[Wire]:
    """The events of a message."""
    events: list[Wire] = [{"type": "message_start", "message": {**message, "content": []}}]
    for index, block in enumerate(message["content"]):
        events.append({"type": "content_block_start", "index": index, "content_block": block})
        events.append({"type": "content_block_stop", "index": index})
    stop = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    return [*events, {"type": "message_delta", "delta": stop}, {"type": "message_stop"}]


def asked(opened: Open, *blocks: Wire, stop: str = "pause_turn", **given: Any) -> loom.Context:
    """A context that was asked to search, and its reply."""
    ctx = opened(**given)
    ctx.user("Search x.")
    ctx.turn()
    ctx.reply(reply(*blocks, stop=stop))
    return ctx


def sent(ctx: loom.Context) -> list[Wire]:
    """The messages of the next request, which is lawful."""
    request = ctx.turn().request("anthropic", cache=False)
    assert broken("anthropic", request) == []
    return request["messages"]


@all_cases("stream", [False, True])
@all_cases(("use", "found"), [(USE, FOUND), (MCP, MCP_FOUND)], ids=["search", "mcp"])
def test_a_paused_turn_stands_last_and_goes_on(
    opened: Open, use: Wire, found: Wire, stream: bool
) -> None:
    """The loop is not done; the next request ends with the reply as it came, and the one that
    follows goes on with it in the same message. Then the loop is done."""
    ctx, laws = opened("w"), Laws("anthropic")
    ctx.user("Search x.")
    ctx.turn()
    paused = reply(text("Searching."), use)
    [*ctx.collect(streamed(paused))] if stream else ctx.reply(paused)
    assert not ctx.done and not ctx.calls
    ends = sent(ctx)[-1]
    assert ends == {"role": "assistant", "content": [text("Searching."), use]}
    ctx.close()
    ctx = opened("w")
    assert not ctx.done and sent(ctx)[-1] == ends
    ctx.reply(reply(found, text("So."), stop="end_turn"))
    assert ctx.done
    ctx.user("And y?")
    request = ctx.turn().request("anthropic", cache=False)
    assert laws.check(request) == []
    assert request["messages"][1]["content"][:4] == [text("Searching."), use, found, text("So.")]
    assert request["messages"][1]["role"] == "assistant"


def test_an_open_call_beside_calls_of_the_host(opened: Open) -> None:
    """The results follow, and nothing else, though the plan changed; the provider's result comes
    with the next reply."""
    ctx = asked(opened, USE, call("t1"), stop="tool_use")
    ctx.result("t1", "one")
    ctx.working.plan(["look", "tell"])
    messages = sent(ctx)
    assert messages[-2]["content"] == [USE, call("t1")]
    assert [block["type"] for block in messages[-1]["content"]] == ["tool_result"]
    ctx.reply(reply(FOUND, text("So."), stop="end_turn"))
    assert ctx.done
    ctx.user("On.")
    assert FOUND in sent(ctx)[-2]["content"]


def test_calls_made_by_the_providers_code(opened: Open) -> None:
    """One after another: the code stays open in a reply before, and nothing stands between."""
    ctx = asked(opened, CODE, call("t1", caller=CALLED), stop="tool_use")
    ctx.result("t1", "one")
    sent(ctx)
    ctx.reply(reply(call("t2", caller=CALLED), stop="tool_use"))
    ctx.result("t2", "two")
    ctx.working.plan(["add", "tell"])
    messages = sent(ctx)
    results = [message for message in messages if message["role"] == "user"][1:]
    assert [len(message["content"]) for message in results] == [1, 1]
    assert messages[-2]["content"] == [call("t2", caller=CALLED)]


@pytest.mark.parametrize("renewed", [False, True])
def test_a_user_who_speaks_in_between(opened: Open, renewed: bool) -> None:
    """What the user says ends the pause: the call that has no result is left out, as it would be
    refused; so it is where a late reply brings the result."""
    ctx = asked(opened, USE)
    sent(ctx)
    ctx.user("Stop, tell me of y.")
    if renewed:
        ctx.renew(4_000)
    messages = sent(ctx)
    assert messages[-1]["role"] == "user" and USE not in messages[-2]["content"]
    ctx.reply(reply(FOUND, text("y is"), stop="end_turn"))
    ctx.user("On.")
    assert FOUND not in sent(ctx)[-2]["content"]


def test_a_pause_outlives_a_cut(opened: Open) -> None:
    """A renewal keeps the reply that waits as it came; the dashboard follows when it can."""
    ctx = opened(window=12_000)
    for number in range(6):
        ctx.user(f"{number} " + "word " * 200)
        ctx.turn()
        ctx.reply(reply(text("Yes."), stop="end_turn"))
    ctx.user("Search x.")
    ctx.turn()
    thought = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
    ctx.reply(reply(thought, text("Searching."), USE))
    ctx.renew(600)
    assert sent(ctx)[-1]["content"] == [thought, text("Searching."), USE]
    ctx.reply(reply(FOUND, text("So."), stop="end_turn"))
    ctx.user("On.")
    assert "[dashboard" in str(sent(ctx)[-1])


@pytest.mark.parametrize("format", ["openai", "responses", "gemini"])
def test_a_pause_of_another_provider(opened: Open, format: str) -> None:
    """A model of another provider is asked to go on, and told what was left open."""
    ctx = asked(opened, text("Searching."), USE)
    ctx.resize(40_000, model="gemini-3-pro" if format == "gemini" else "gpt-5.6")
    request = ctx.turn().request(format)
    assert broken(format, request) == [] and "srvtoolu_9" in str(request)
    ends = request[{"openai": "messages", "responses": "input", "gemini": "contents"}[format]][-1]
    assert ends["role"] == "user"


def test_a_clients_list_that_ends_paused(opened: Open) -> None:
    """In sync too, and the list that goes on from it."""
    ctx = opened(model="")
    listed = [
        {"role": "user", "content": "Search x."},
        {"role": "assistant", "content": [text("Searching."), USE]},
    ]
    messages = ctx.sync(listed, "anthropic").request("anthropic", cache=False)["messages"]
    assert messages[-1] == listed[-1] and [one["role"] for one in messages] == ["user", "assistant"]
    listed.append({"role": "assistant", "content": [FOUND, text("So.")]})
    listed.append({"role": "user", "content": "On."})
    request = ctx.sync(listed, "anthropic").request("anthropic", cache=False)
    assert broken("anthropic", request) == []
    assert request["messages"][1]["content"] == [text("Searching."), USE, FOUND, text("So.")]
