"""Reasoning nobody signed goes back with its reply, as long as that stands whole: for models that
ask for it, and where a client's own list has it."""

import json
from collections import Counter
from random import Random
from typing import Any

import pytest

import loom
from tests.kit.cases import all_cases, each_value
from tests.kit.opened import Open, opened_with

opened = opened_with(window=40_000)
Wire = dict[str, Any]
THOUGHT = {"type": "thinking", "thinking": "PLAN", "signature": ""}
DETAILS = [{"type": "reasoning.text", "text": "PLAN"}]
CALL = {"id": "f:0", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
RESULT = {"role": "tool", "tool_call_id": "f:0", "content": "done"}
ASKING = ["deepseek-v4-pro", "kimi-k2.6", "kimi-k3", "moonshotai/kimi-k2-thinking", "glm-5.2",
          "zai-org/GLM-4.7", "MiniMax-M3", "deepseek-chat", "deepseek/deepseek-chat",
          "deepseek-reasoner", "mimo-v2-flash", "XiaomiMiMo/MiMo-V2.5-Pro"]  # fmt: skip
MEMBERS = [("reasoning_content", "PLAN"), ("reasoning", "PLAN"), ("reasoning_details", DETAILS)]


def chat(**more: Any) -> Wire:
    """A reply of Chat Completions that calls."""
    return {"role": "assistant", "content": "", "tool_calls": [CALL], **more}


def chunks(message: Wire) -> list[Wire]:
    """A reply as a stream of it, texts in two pieces."""
    texts = {key: one for key, one in message.items() if isinstance(one, str) and key != "role"}
    rest = {key: one for key, one in message.items() if key not in texts}
    halves = slice(0, 2), slice(2, None)
    deltas: list[Wire] = [{key: one[half] for key, one in texts.items()} for half in halves]
    deltas.append({**rest, "tool_calls": [{"index": 0, **CALL}]})
    made = [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    return [*made, {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}]


def messages_reply(**more: Any) -> Wire:
    """A reply of the Messages dialect that calls, with thinking that is not signed."""
    call = {"type": "tool_use", "id": "t1", "name": "bash", "input": {}}
    return {"type": "message", "role": "assistant", "content": [THOUGHT, call], **more}


def replied(ctx: loom.Context, format: str) -> Wire:
    """The reply in the next request."""
    messages = ctx.turn().request(format, cache=False)["messages"]
    return next(one for one in messages if one["role"] == "assistant")


@all_cases("stream", [False, True])
@all_cases(("member", "given"), MEMBERS)
@all_cases("model", ASKING)
def test_in_the_loop(opened: Open, model: str, member: str, given: Any, stream: bool) -> None:
    """A model whose row says so is given its reasoning back under the name it came by, counted."""
    ctx = opened(model=model)
    ctx.user("Go.")
    ctx.turn()
    before = ctx.pressure.tokens.total
    reply = chat(**{member: "think " * 200 if isinstance(given, str) else given})
    [*ctx.collect(chunks(reply))] if stream else ctx.reply(reply)
    ctx.result(ctx.calls[0], "done")
    assert replied(ctx, "openai")[member] == reply[member]
    if isinstance(given, str):
        assert ctx.pressure.tokens.total - before > 200


@all_cases("model", ["", "gpt-5.6", "my-deployment", "deepseek-r1", "deepseek-chat-v3-0324"])
def test_no_other_model_is_given_text(opened: Open, model: str) -> None:
    """In the loop a model nothing is known of, and one that does not ask, is not: a server may
    refuse a member it does not know. What was made to come back still does."""
    ctx = opened(model=model)
    ctx.user("Go.")
    ctx.turn()
    ctx.reply(chat(reasoning_content="PLAN"))
    ctx.result(ctx.calls[0], "done")
    assert "reasoning_content" not in replied(ctx, "openai")
    ctx.reply(chat(reasoning_details=DETAILS, tool_calls=[{**CALL, "id": "f:1"}]))
    ctx.result(ctx.calls[0], "done")
    assert "reasoning_details" in json.dumps(ctx.turn().request("openai"))


@pytest.mark.parametrize("said_by", ["window", "reply"])
def test_in_the_messages_dialect(opened: Open, said_by: str) -> None:
    """Thinking with an empty signature goes back to who asks for it, and never to Claude."""
    model = "deepseek-v4-pro"
    ctx = opened(model=model if said_by == "window" else "")
    ctx.user("Go.")
    ctx.turn()
    ctx.reply(messages_reply(**({"model": model} if said_by == "reply" else {})))
    ctx.result(ctx.calls[0], "done")
    assert replied(ctx, "anthropic")["content"][0] == THOUGHT
    request = ctx.turn().request("anthropic", model="claude-opus-5")
    assert "thinking" not in json.dumps(request["messages"])


LISTED = [
    *MEMBERS,
    ("thinking_blocks", [THOUGHT]),
    ("reasoning_text", "x"),
    ("reasoning_content", ""),
]


@all_cases("member", LISTED)
@all_cases(
    ("model", "first"),
    [
        *((model, None) for model in ("", "my-deployment", "kimi-k3")),
        *(("my-deployment", first) for first in (chat(), chat(reasoning_content="PLAN"))),
    ],
)
def test_as_the_clients_list_has_it(
    opened: Open, model: str, first: Wire | None, member: tuple[str, Any]
) -> None:
    """In sync all that a client lists of a reply's reasoning goes back, whoever the model is, in
    the next request and those after it, whether the reply was given before it was listed or not."""
    name, given = member
    ctx = opened(model=model)
    listed: list[Wire] = [{"role": "user", "content": "Go."}]
    if first:
        ctx.sync(listed, "openai").request("openai")
        ctx.reply(first)
    listed += [chat(**{name: given}), RESULT]
    for more in ([], [{"role": "user", "content": "On."}]):
        sent = ctx.sync([*listed, *more], "openai").request("openai")["messages"]
        said = next(one for one in sent if one["role"] == "assistant")
        assert said[name] == given and said.keys() == {"role", "content", "tool_calls", name}


@pytest.mark.parametrize("given", [False, True])
def test_thinking_in_a_list_of_the_messages_dialect(opened: Open, given: bool) -> None:
    """Thinking nobody signed goes back there too, to a model nothing is known of, whether the reply
    was given before or not."""
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "done"}
    listed: list[Wire] = [{"role": "user", "content": "Go."}]
    ctx = opened()
    if given:
        ctx.sync(listed, "anthropic")
        ctx.reply(messages_reply())
    listed.append({"role": "assistant", "content": messages_reply()["content"]})
    listed.append({"role": "user", "content": [result]})
    sent = ctx.sync(listed, "anthropic").request("anthropic")["messages"]
    assert sent[1]["content"][0] == THOUGHT


def test_a_secret_in_listed_reasoning_does_not_go_back(opened: Open) -> None:
    """It goes back with a mark in its place, and counts as what it is."""
    secret = "ghp_" + "wJ2rT9xK4mQ8vB5nL1cD7fG3hS6pZ0yA" + "eUiX"
    ctx = opened()
    listed: list[Wire] = [{"role": "user", "content": "Go."}]
    ctx.sync(listed, "openai")
    said = chat(reasoning_content=f"the token is {secret} " + "think " * 200)
    ctx.reply(said)
    before = ctx.pressure.tokens.total
    sent = ctx.sync([*listed, said, RESULT], "openai").request("openai")
    assert secret not in json.dumps(sent) and "the token is [redacted:" in json.dumps(sent)
    assert ctx.pressure.tokens.total - before > 200


@all_cases(
    ("model", "format", "seed"),
    [
        (*a, b)
        for a, b in each_value(
            [("kimi-k2-thinking", "openai"), ("claude-sonnet-4-5", "anthropic")], range(3)
        )
    ],
)
def test_the_newest_step_of_a_loop_keeps_it_through_a_renewal(
    opened: Open, model: str, format: str, seed: int
) -> None:
    """Where calls of the newest step are in a request, so is its reasoning, whatever was cut before
    it: its provider demands it, or it is bound to nothing."""
    chance = Random(seed)
    ctx = opened(window=8_192, reply=1_000, model=model)
    ctx.system("Rule: " + "be careful with words. " * 500)
    ctx.user("Go.")
    stood = Counter[bool]()
    for number in range(40):
        sent = ctx.turn().request(format)["messages"]
        if number:
            mine = next(one for one in reversed(sent) if one["role"] == "assistant")
            called = f'"c{number - 1}_' in json.dumps(mine)
            assert not called or f"PLAN{number - 1}." in json.dumps(mine)
            stood[called] += 1
        thinking = f"PLAN{number}. " + "think " * 30
        ids = [f"c{number}_{at}" for at in range(chance.choice([1, 2]))]
        if format == "openai":
            calls = [{**CALL, "id": id} for id in ids]
            ctx.reply(chat(reasoning_content=thinking, tool_calls=calls))
        else:
            block = {"type": "thinking", "thinking": thinking, "signature": f"S{number}"}
            uses = [{"type": "tool_use", "id": id, "name": "bash", "input": {}} for id in ids]
            ctx.reply({"type": "message", "role": "assistant", "content": [block, *uses]})
        for id in ids:
            ctx.result(id, f"{id} " + "line of output\n" * chance.choice([2, 30, 120]))
        if chance.random() < 0.15:
            ctx.user("And this too. " * 20)
    assert ctx.window.sent.generation > 3 and stood[True] > 25


def test_kimi_is_given_the_member_when_the_reasoning_is_gone(opened: Open) -> None:
    """It refuses a call without any; an empty one is taken."""
    ctx = opened(model="kimi-k2.6")
    ctx.user("Go.")
    ctx.turn()
    ctx.reply(chat())
    ctx.result(ctx.calls[0], "done")
    assert replied(ctx, "openai")["reasoning_content"] == ""
