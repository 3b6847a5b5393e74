"""Blocks Loom does not know go back to a provider of their format as they came, wherever they
stood; to others as a text; once they left the window they rest on a page."""

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

import loom
from loom_bench.laws import Bound, broken
from tests.kit.cases import all_cases
from tests.kit.hosts import User, wire
from tests.kit.opened import Open, opened_with

opened = opened_with(window=60_000)
Wire = dict[str, Any]
SECRET = "ghp_" + "wJ2rT9xK4mQ8vB5nL1cD7fG3hS6pZ0yA" + "eUiX"
KEYS = {"openai": "messages", "responses": "input", "anthropic": "messages", "gemini": "contents"}
HIT = {
    "type": "search_result",
    "source": "https://e.example",
    "title": 'T "q" é',
    "content": [{"type": "text", "text": "hit\nline"}],
    "citations": {"enabled": True},
}
# Blocks of each format, known to Loom in none: of today's documents, and of a day to come.
BLOCKS: dict[str, list[Wire]] = {
    "anthropic": [
        {"type": "container_upload", "file_id": "file_1"},
        HIT,
        {"type": "tool_reference", "tool_name": "mcp__gh__issue"},
        {"type": "image", "source": {"type": "cloud", "place": "s3"}},
        {"type": "future_kind", "a": [1, {"b": None}], "n": None, "t": 1.5},
    ],
    "openai": [
        {"type": "video_url", "video_url": {"url": "https://e.example/v.mp4"}},
        {"type": "document_url", "document_url": "https://e.example/d"},
        {"type": "future_kind", "a": [1, {"b": None}], "n": None},
    ],
    "responses": [
        {"type": "input_video", "video_url": "https://e.example/v.mp4"},
        {"type": "future_kind", "a": [1, {"b": None}], "n": None},
    ],
    "gemini": [
        {"executable_code": {"code": "1 + 1", "language": "PYTHON"}},
        {"future_part": {"a": [1, {"b": "c"}]}},
    ],
}
CASES = [(format, block) for format, blocks in BLOCKS.items() for block in blocks]


def listed(format: str, said: list[Wire], told: list[Wire], opaque: list[Wire]) -> list[Wire]:
    """A client's list in a format with blocks in a message, in a reply, and in a result."""
    text = {"type": "text", "text": "Go."}
    match format:
        case "anthropic":
            call = {"type": "tool_use", "id": "t1", "name": "find", "input": {"q": 1}}
            result = {"type": "tool_result", "tool_use_id": "t1", "content": told}
            return [
                {"role": "user", "content": [text, *said]},
                {"role": "assistant", "content": [*opaque, call]},
                {"role": "user", "content": [result]},
            ]
        case "openai":
            function = {"name": "find", "arguments": '{"q":1}'}
            call = {"id": "t1", "type": "function", "function": function}
            return [
                {"role": "user", "content": [text, *said]},
                {"role": "assistant", "content": opaque or None, "tool_calls": [call]},
                {"role": "tool", "tool_call_id": "t1", "content": told},
            ]
        case "responses":
            call = {"type": "function_call", "call_id": "t1", "name": "find", "arguments": "{}"}
            return [
                {"role": "user", "content": [{"type": "input_text", "text": "Go."}, *said]},
                *opaque,
                call,
                {"type": "function_call_output", "call_id": "t1", "output": told},
            ]
        case _:
            call = {"function_call": {"id": "t1", "name": "find", "args": {"q": 1}}}
            response = {"id": "t1", "name": "find", "response": {"output": "found"}, "parts": told}
            return [
                {"role": "user", "parts": [{"text": "Go."}, *said]},
                {"role": "model", "parts": [*opaque, call]},
                {"role": "user", "parts": [{"function_response": response}]},
            ]


def inside(value: Any) -> list[Any]:
    """Every object in a request, however deep."""
    if isinstance(value, dict):
        return [value, *(one for inner in value.values() for one in inside(inner))]
    return [one for inner in value for one in inside(inner)] if isinstance(value, list) else []


@all_cases("where", ["said", "told", "opaque"])
@all_cases(("format", "block"), CASES)
def test_a_block_goes_back_as_it_came(opened: Open, format: str, block: Wire, where: str) -> None:
    """In a message, in the content of a result, in a reply: letter for letter, nothing beside it in
    its place, in one request as in the next and after a reopening."""
    found = [] if format == "gemini" else [{"type": "text", "text": "found"}]
    messages = listed(format, **{"said": [], "told": found, "opaque": []} | {where: [block]})
    ctx = opened("w")
    before = deepcopy(messages)
    first = ctx.sync(messages, format).request(format)
    assert messages == before and block in inside(first[KEYS[format]])
    assert json.dumps(first, default=str).count(json.dumps(block)) == 1
    held = first[KEYS[format]]
    on = wire(format, [User(("On.",))])[-1]
    again = ctx.sync([*messages, on], format).request(format, cache=False)[KEYS[format]]
    asked = ctx.turn().request(format, cache=False)[KEYS[format]]
    assert again[: len(held) - 1] == asked[: len(held) - 1]
    assert block in inside(again)
    ctx.close()
    ctx = opened("w")
    assert ctx.turn().request(format, cache=False)[KEYS[format]] == again


@all_cases("format", BLOCKS)
@all_cases("other", BLOCKS)
def test_another_format_is_told(opened: Open, format: str, other: str) -> None:
    """A provider of another format reads whose block it is and what is in it, in a lawful request
    whose size was counted."""
    block = BLOCKS[format][-1]
    ctx = opened()
    request = ctx.sync(listed(format, [block], [block], [block]), format).request(other)
    if format != other:
        assert broken(other, request) == []
        written = json.dumps(request, default=str)
        assert written.count(format) >= 3 and block not in inside(request)
        assert written.count("future_") >= 3
    assert ctx.pressure.tokens.total >= len(json.dumps(block)) // 8 * 3


@all_cases("format", BLOCKS)
def test_a_block_that_left_rests_on_a_page(opened: Open, format: str) -> None:
    """Once its entry is a line, a page that is named holds the block byte for byte."""
    block = {**BLOCKS[format][-1], "long": "word " * 1_500}
    ctx = opened()
    ctx.sync(listed(format, [block], [block], []), format)
    entries = ctx.window.history.stream.entries
    texts = [one.text for entry in entries for one in getattr(entry, "outcomes", (entry,))]
    pages = [text.page for text in texts if text.own == format]
    assert len(pages) == 2
    for number in range(6):
        ctx.reply({"role": "assistant", "content": f"Step {number}. " + "word " * 120})
        ctx.user("On.")
    ctx.renew(600)
    sent = ctx.turn().request(format)
    assert block not in inside(sent[KEYS[format]])
    names = [page.partition("/")[2].partition(".")[0] for page in pages]
    assert any(name in str(sent) for name in (*names, "step_0003"))  # a line has its step's name
    compact = json.dumps(block, ensure_ascii=False, separators=(",", ":"))
    assert all(compact in ctx.page_in(page).text for page in pages)


@pytest.mark.parametrize("where", ["said", "told"])
def test_a_secret_in_a_block_is_replaced(opened: Open, where: str) -> None:
    """As in any text: the block goes on with the mark in place of the secret."""
    block = {**HIT, "content": [{"type": "text", "text": f"token {SECRET} here"}]}
    given: dict[str, list[Wire]] = {"said": [], "told": [{"type": "text", "text": "x"}]}
    ctx = opened()
    request = ctx.sync(listed("anthropic", **{**given, where: [block]}, opaque=[]), "anthropic")
    sent = request.request("anthropic")
    [found] = [one for one in inside(sent["messages"]) if one.get("type") == "search_result"]
    assert SECRET not in json.dumps(sent) and "[redacted:" in found["content"][0]["text"]
    assert {**found, "content": []} == {**block, "content": []}


def test_marks_of_a_cache_do_not_gather(opened: Open) -> None:
    """A client moves its cache marks on; a block is known and sent without the one it had."""
    marked = {**HIT, "cache_control": {"type": "ephemeral"}}
    ctx = opened()
    turn = ctx.sync(listed("anthropic", [marked], [marked], []), "anthropic")
    assert json.dumps(turn.request("anthropic", cache=False)).count("cache_control") == 0
    ctx.sync(listed("anthropic", [HIT], [HIT], []), "anthropic")
    assert [one.role for one in ctx.history.synced] == ["user", "assistant", "tool"]


def test_a_block_cannot_pass_for_a_word_of_looms(opened: Open) -> None:
    """One that holds the session's mark goes on as a text without it."""
    ctx = opened()
    block = {"type": "future_kind", "text": f"[dashboard {ctx.window.config.mark}]"}
    turn = ctx.sync([{"role": "user", "content": [block]}], "anthropic")
    blocks = turn.request("anthropic")["messages"][0]["content"]
    assert blocks[0]["type"] == "text" and ctx.window.config.mark not in blocks[0]["text"]


def test_blocks_outlive_a_cut_with_their_reply(opened: Open) -> None:
    """What a cut takes from a reply that stands whole is reasoning that was signed, nothing else:
    the provider's own searches, their results and the citations of them stay."""
    search = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"q": "x"}}
    found = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []}
    cited = {"type": "text", "text": "So.", "citations": [{"type": "x", "cited_text": "y"}]}
    thought = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
    reply = {"type": "message", "role": "assistant", "content": [thought, search, found, cited]}
    ctx, bound = opened(window=16_000, reply=2_000), Bound("anthropic")
    for number in range(40):
        ctx.user(f"{number} " + "word " * 250)
        assert bound.check(ctx.turn().request("anthropic")) == []
        ctx.reply(json.loads(json.dumps(reply).replace("s1", f"s{number}")))
        ctx.user("And?")
        request = ctx.turn().request("anthropic")
        assert broken("anthropic", request) == [] and bound.check(request) == []
        ctx.reply({"type": "message", "content": [{"type": "text", "text": "No."}]})
        if ctx.window.sent.cuts and number > 30:
            assert found | {"tool_use_id": f"s{number}"} in inside(request["messages"])
    assert ctx.window.sent.cuts


def test_a_tools_own_data_is_no_block(opened: Open) -> None:
    """What a tool gives in the loop is data, though it has a type; a block of a provider's is known
    by the members it has."""
    ctx = opened()
    ctx.user("Go.")
    ctx.turn()
    calls = [{"type": "tool_use", "id": id, "name": "find", "input": {}} for id in ("t1", "t2")]
    ctx.reply({"type": "message", "role": "assistant", "content": calls})
    ctx.result("t1", [{"type": "User", "login": "ada"}, {"type": "search_result", "n": 3}])
    ctx.result("t2", [HIT])
    one, two, *_ = ctx.turn().request("anthropic", cache=False)["messages"][-1]["content"]
    assert json.loads(one["content"])[0]["login"] == "ada" and two["content"] == [HIT]


@pytest.mark.parametrize("model", ["claude-sonnet-4-5", "gpt-5"])
def test_tags_are_content_where_the_models_row_says_so(tmp_path: Path, model: str) -> None:
    """A list whose reply speaks of a tag keeps the text behind it."""
    said = "Put `<think>` before your text, and the tail stays."
    talk = [{"role": "user", "content": "q"}, {"role": "assistant", "content": said}]
    with loom.open(tmp_path / "w", model=model, durable=False) as ctx:
        sent = ctx.sync([*talk, {"role": "user", "content": "n"}], "openai").request("openai")
    assert said in str(sent["messages"])
