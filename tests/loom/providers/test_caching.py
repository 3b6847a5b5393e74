"""What steers a provider's prompt cache, and what its prices do to the choice of cuts."""

from __future__ import annotations

from copy import deepcopy
from random import Random
from typing import Any

import pytest
from msgspec import json

import loom
from loom.providers.formats import FORMATS
from loom.providers.formats.laws import broken
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
    calls = [
        {"type": "tool_use", "id": id, "name": "Bash", "input": {"command": f"make {id}"}}
        for id in ids
    ]
    return {
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5",
        "stop_reason": "tool_use" if ids else "end_turn",
        "content": [
            *([thought] if thinks else []),
            *(calls or [{"type": "text", "text": "Done, as you asked."}]),
        ],
        "usage": {"input_tokens": 0, "output_tokens": 5},
    }


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


def stripped(value: Any) -> Any:
    """The same without cache marks."""
    if isinstance(value, dict):
        return {key: stripped(held) for key, held in value.items() if key != "cache_control"}
    return [stripped(held) for held in value] if isinstance(value, list) else value


def grown(format: str, before: dict[str, Any], after: dict[str, Any]) -> bool:
    """Whether one request is the other and more: only its last message may have grown."""
    before, after = stripped(before), stripped(after)
    old, new = before.pop(LISTS[format]), after.pop(LISTS[format])
    if before != after or old[:-1] != new[: len(old) - 1] or len(new) < len(old):
        return False
    end, then = old[-1], new[len(old) - 1]
    if end == then:
        return True
    within = "parts" if format == "gemini" else "content"
    held = end[within], then[within]
    if not all(isinstance(blocks, list) for blocks in held):
        return False
    same = {**end, within: 0} == {**then, within: 0}
    return same and held[1][: len(held[0])] == held[0]


# ---- marks

HEADS: list[tuple[str, dict[str, Any], str]] = [
    ("bare", {}, ""),
    ("tools", {"tools": [TOOL, {**TOOL, "name": "Read"}]}, ""),
    ("system", {}, "be careful"),
    ("both", {"tools": [TOOL]}, "be careful"),
]


def head(request: dict[str, Any]) -> set[Place]:
    """The last block in front of the messages that another session may share: a tool, or a text of
    the system but its last."""
    if len(request["system"]) > 1:
        return {("system", len(request["system"]) - 2)}
    return {("tools", len(request["tools"]) - 1)} if request.get("tools") else set()


@all_cases(("name", "given", "system"), HEADS, ids=[h[0] for h in HEADS])
def test_where_marks_stand(opened: Open, name: str, given: dict[str, Any], system: str) -> None:
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


def test_marks_only_where_they_are_known(opened: Open) -> None:
    """Other formats carry no mark, and `cache=False` leaves every steering out."""
    ctx = opened(tools=[TOOL], model="gpt-5")
    ctx.system("be careful")
    ctx.user("go on")
    acts(ctx, 1)
    turn = ctx.turn()
    for format in FORMATS:
        if format != "anthropic":
            assert "cache_control" not in str(turn.request(format))
        plain = turn.request(format, cache=False)
        assert "cache_control" not in str(plain)
        assert "prompt_cache_key" not in plain
        marked = stripped(turn.request(format))
        marked.pop("prompt_cache_key", None)
        assert marked == plain


def test_asked_twice(opened: Open) -> None:
    """One turn gives equal requests however often, and in whatever order, it is asked."""
    ctx = opened(tools=[TOOL])
    ctx.system("be careful")
    ctx.user("go on")
    for number in range(12):
        turn = ctx.turn()
        first = {format: turn.request(format) for format in FORMATS}
        turn.request("anthropic", cache=False)
        assert {format: turn.request(format) for format in reversed(FORMATS)} == first
        assert {format: ctx.turn().request(format) for format in FORMATS} == first
        acts(ctx, number)


def spoil(value: Any) -> None:
    """Edit everything a request holds that can be edited."""
    held = list(value.values()) if isinstance(value, dict) else list(value)
    for inner in held:
        if isinstance(inner, dict | list):
            spoil(inner)
    if isinstance(value, dict):
        value.clear()
        value["spoiled"] = True
    else:
        value.append("spoiled")


def marked_more(request: dict[str, Any]) -> None:
    """What a host does that adds marks of its own."""
    for held in (request.get("tools"), request.get("system"), request["messages"]):
        if held:
            held[-1]["cache_control"] = MARK
    blocks = request["messages"][-1]["content"]
    if isinstance(blocks, list):
        blocks[-1]["cache_control"] = {"type": "ephemeral", "ttl": "1h"}
        blocks.append({"type": "text", "text": "spoiled"})
    request["messages"].append({"role": "user", "content": "spoiled"})


@all_cases("format", LISTS)
def test_a_request_is_the_hosts_own(opened: Open, format: str) -> None:
    """What a host changes near the end of a request never shows in a later one."""
    ctx = opened(tools=[TOOL])
    ctx.system("be careful")
    ctx.user("go on")
    for number in range(10):
        turn = ctx.turn()
        given = turn.request(format)
        kept = deepcopy(given)
        if format == "anthropic":
            marked_more(given)
        else:
            spoil(given[LISTS[format]][-1])
            given[LISTS[format]].clear()
        assert turn.request(format) == kept
        acts(ctx, number)
        assert grown(format, kept, ctx.turn().request(format))


@all_cases("format", LISTS)
def test_append_only_between_cuts(opened: Open, format: str) -> None:
    """Less the marks, a request is the one before and more, unless a cut came between."""
    ctx = opened(tools=[TOOL])
    ctx.system("be careful")
    ctx.user("go on")
    before: dict[str, Any] = {}
    stood, compared = 0, 0
    for number in range(60):
        request = ctx.turn().request(format)
        if before and ctx.window.sent.cuts == stood:
            assert grown(format, before, request)
            compared += 1
        before, stood = request, ctx.window.sent.cuts
        acts(ctx, number)
    assert stood
    assert compared > 30


def test_reopened(opened: Open) -> None:
    """The next life gives the same requests, marks and key included."""
    ctx = opened(tools=[TOOL])
    ctx.system("be careful")
    ctx.user("go on")
    for number in range(9):
        requests = {format: ctx.turn().request(format, temperature=0.5) for format in FORMATS}
        ctx.close()
        ctx = opened(tools=[TOOL])
        again = {format: ctx.turn().request(format, temperature=0.5) for format in FORMATS}
        assert json.encode(str(again)) == json.encode(str(requests))
        acts(ctx, number)


@pytest.mark.parametrize("when", ["before the reply", "before the turn"])
def test_reopened_between_two_turns(opened: Open, when: str) -> None:
    """Where the last request ended is known in the next life: the marks stand where they would."""
    ctx, twin = opened("one"), opened("two")
    for each in (ctx, twin):
        each.system("be careful")
        each.user("go on")
    for number in range(10):
        assert marks(ctx.turn().request("anthropic")) == marks(twin.turn().request("anthropic"))
        if when == "before the reply":
            ctx.close()
            ctx = opened("one")
        acts(ctx, number)
        acts(twin, number)
        if when == "before the turn":
            ctx.close()
            ctx = opened("one")


# ---- the key


def test_the_key_of_a_life(opened: Open) -> None:
    """One key through cuts, renewals and reopens; another workspace has another."""
    ctx = opened("one", window=3_000, model="gpt-5")
    ctx.user("go on")
    keys = set()
    for number in range(80):
        turn = ctx.turn()
        keys |= {turn.request(format)["prompt_cache_key"] for format in ("openai", "responses")}
        acts(ctx, number)
        if number % 20 == 10:
            ctx.close()
            ctx = opened("one")
    assert ctx.window.sent.cuts
    assert len(keys) == 1
    other = opened("two", model="gpt-5")
    other.user("go on")
    assert other.turn().request()["prompt_cache_key"] not in keys
    assert 0 < len(keys.pop()) <= 64


def test_the_key_outlives_renewals(opened: Open) -> None:
    """A fresh window is cached under the key of the workspace all the same."""
    marks = dict.fromkeys(("micro_at", "collapse_at", "auto_at", "renew_at"), 0.75)
    ctx = opened(window=2_000, model="gpt-5", policy=loom.Policy(**marks))
    ctx.user("go on")
    key = ctx.turn().request()["prompt_cache_key"]
    for number in range(60):
        acts(ctx, number)
        assert ctx.turn().request()["prompt_cache_key"] == key
    assert ctx.window.sent.generation > 1


KEYED = [
    ("gpt-5", "openai", True),
    ("gpt-4o", "openai", True),
    ("", "openai", True),
    ("deepseek-chat", "openai", False),
    ("llama-3.3-70b", "openai", False),
    ("deepseek-chat", "responses", True),
    ("llama-3.3-70b", "responses", True),
    ("gpt-5", "responses", True),
    ("gpt-5", "anthropic", False),
    ("claude-sonnet-4-5", "anthropic", False),
    ("gemini-2.5-pro", "gemini", False),
]


@all_cases(("model", "format", "keyed"), KEYED)
def test_who_is_given_the_key(opened: Open, model: str, format: str, keyed: bool) -> None:
    """Only a format and provider that take the key are given it."""
    ctx = opened(model=model)
    ctx.user("go on")
    request = ctx.turn().request(format)
    assert ("prompt_cache_key" in request) is keyed
    assert request.get("model", "") == model


# ---- what the host adds


@all_cases("format", LISTS)
def test_more_arguments(opened: Open, format: str) -> None:
    """Arguments are passed on as they are; only Chat streams are asked for their usage."""
    ctx = opened()
    ctx.user("go on")
    turn = ctx.turn()
    stop = ["END"]
    more = turn.request(format, temperature=0.2, stop=stop, stream=True, model="mine")
    assert (more["temperature"], more["stop"], more["stream"]) == (0.2, ["END"], True)
    assert more["model"] == "mine"
    asked = {"include_usage": True}
    assert more.get("stream_options") == (asked if format == "openai" else None)
    for plain in (turn.request(format), turn.request(format, stream=False)):
        assert "stream_options" not in plain


def test_the_hosts_word_counts(opened: Open) -> None:
    """What the host gives stands against what Loom would have given."""
    ctx = opened(model="gpt-5")
    ctx.user("go on")
    given = {"prompt_cache_key": "mine", "max_completion_tokens": 7, "user": "u"}
    request = ctx.turn().request("openai", **given)
    assert {key: request[key] for key in given} == given
    streamed = ctx.turn().request("openai", stream=True, stream_options={"include_usage": False})
    assert streamed["stream_options"] == {"include_usage": False}
    with pytest.raises(loom.UnknownFormat):
        ctx.turn().request("cohere")


# ---- prices


def optional_cuts(ctx: loom.Context, steps: int = 60) -> list[int]:
    """The turns at which a snip was made, which nothing but its price asks for."""
    random = Random(5)
    ctx.user("go on")
    snips = []
    for number in range(steps):
        if ctx.turn().pressure.level == "snip":
            snips.append(number)
        ctx.reply(loom.Reply((loom.ToolCall(f"c{number}", "Bash", f'{{"n":{number}}}'),)))
        count = random.randrange(5, 60) if number % 3 else 150
        lines = (f"line {random.randrange(9_999)} of the build {at}" for at in range(count))
        ctx.result(f"c{number}", "\n".join(lines))
    return snips


def test_dear_writes_are_cut_less(opened: Open) -> None:
    """Free writes are cut often, dear ones seldom or later; only `Policy` differs."""
    snips = {
        price: optional_cuts(
            opened(
                f"at {price}",
                window=32_000,
                model="gpt-5",
                policy=loom.Policy(read_price=0.1, write_price=price),
            )
        )
        for price in (0.0, 1.25, 5.0)
    }
    assert snips[0.0]
    assert len(snips[0.0]) > len(snips[1.25]) >= len(snips[5.0])


def test_prices_of_the_policy_override_the_providers(opened: Open) -> None:
    """A provider's own prices hold until the policy names others, and then in every life."""
    own = optional_cuts(opened("own", window=32_000, model="llama-3.3-70b"))
    dear = loom.Policy(read_price=0.0, write_price=20.0)
    ctx = opened("dear", window=32_000, model="llama-3.3-70b", policy=dear)
    free = loom.Policy(read_price=1.0, write_price=0.0)
    cheap = optional_cuts(opened("free", window=32_000, model="llama-3.3-70b", policy=free))
    costly = optional_cuts(ctx, 30)
    ctx.close()
    costly += optional_cuts(opened("dear"), 30)
    assert len(cheap) > len(own)
    assert costly == []
