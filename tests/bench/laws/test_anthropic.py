"""The laws of Messages, each broken once."""

from typing import Any

import pytest

from loom_bench.laws import broken
from tests.kit.cases import all_cases

Block = dict[str, Any]


def user(content: Any = "go") -> Block:
    """Return a user's message."""
    return {"role": "user", "content": content}


def assistant(*blocks: Block) -> Block:
    """Return a reply."""
    return {"role": "assistant", "content": list(blocks)}


def use(id: str, **more: Any) -> Block:
    """Return a call block."""
    return {"type": "tool_use", "id": id, "name": "a", "input": {}, **more}


def res(id: str, content: Any = "done") -> Block:
    """Return a result block."""
    return {"type": "tool_result", "tool_use_id": id, "content": content}


def marked(block: Block) -> Block:
    """Return a block with a cache mark."""
    return {**block, "cache_control": {"type": "ephemeral"}}


TEXT = {"type": "text", "text": "a"}
THOUGHT = {"type": "thinking", "thinking": "a", "signature": "s"}
IMAGE = {"type": "image", "source": {"type": "url", "url": "u"}}
TOOL = {"name": "a", "input_schema": {"type": "object"}}
SERVED = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}
FOUND = {"type": "web_search_tool_result", "tool_use_id": "s", "content": []}


@pytest.mark.parametrize(
    "messages",
    [
        [user(), assistant(TEXT, SERVED)],
        [user(), assistant(SERVED, FOUND, TEXT), user()],
        [user(), assistant(SERVED, use("c")), user([res("c")]), assistant(FOUND, TEXT), user()],
    ],
)
def test_calls_of_the_providers_own(messages: list[Any]) -> None:
    """A paused turn may stand last, and results of calls made beside an open one behind it."""
    assert broken("anthropic", {"max_tokens": 1, "messages": messages}) == []


def test_thinking_that_nobody_signed() -> None:
    """Its maker refuses it; other makers' servers of the format want it back."""
    unsigned = {"type": "thinking", "thinking": "a", "signature": ""}
    request = {"max_tokens": 1, "messages": [user(), assistant(unsigned, TEXT)]}
    assert broken("anthropic", {**request, "model": "deepseek-v4-pro"}) == []
    for model in ({}, {"model": "claude-opus-5"}):
        assert "no signature" in str(broken("anthropic", {**request, **model}))


@all_cases(
    ("messages", "violations"),
    [
        ([], ["messages: there are none"]),
        (["go"], ["no object"]),
        ([assistant(TEXT)], ["role 'assistant' opens"]),
        ([{"role": "system", "content": "s"}, user()], ["no role is named 'system'"]),
        ([user(), user()], ["message 1: role 'user' follows"]),
        ([user(), assistant(use("c"))], ["no result at the end"]),
        ([user(), assistant(use("c")), user()], ["no result of 'c'"]),
        ([user(), assistant(TEXT), user([res("c")])], ["not a call"]),
        ([user(), assistant(use("c")), user([res("c"), res("c")])], ["answered twice"]),
        ([user(), assistant(use("c")), user([TEXT, res("c")])], ["after another block"]),
        ([user(), assistant(use("c")), user([res("c")]), assistant(use("c")), user([res("c")])],
         ["message 3: the id 'c' was used before"]),
        ([user(), assistant(use("c.d")), user([res("c.d")])], ["not allowed"]),
        ([user(), assistant(use("c", name="a.b")), user([res("c")])], ["the name 'a.b'"]),
        ([user(), assistant(use("c", input="{}")), user([res("c")])], ["input of 'c'"]),
        ([user([])], ["content is blank"]),
        ([user([TEXT, "a"])], ["a block is no object"]),
        ([user("")], ["text block is blank"]),
        ([user(), assistant(use("c")), user([res("c", "")])], ["tool_result block is blank"]),
        ([user(), assistant(TEXT, THOUGHT)], ["ends in thinking"]),
        ([user(), assistant({"type": "thinking", "thinking": "a"}, TEXT)], ["no signature"]),
        ([user(), assistant({"type": "redacted_thinking"}, TEXT)], ["no data"]),
        ([user([THOUGHT, TEXT])], ["a thinking block in a message of role 'user'"]),
        ([user(), assistant(marked(THOUGHT), TEXT)], ["carries a cache mark"]),
        ([user([marked(TEXT)] * 5)], ["5 marks where 4"]),
        ([user([TEXT, use("c")])], ["tool_use block in a message of role 'user'", "no result"]),
        ([user(), assistant(SERVED), user()], ["message 2: it stands behind 's'"]),
        ([user(), assistant(SERVED, use("c")), user([res("c"), TEXT])], ["stands behind 's'"]),
        ([user(), assistant(FOUND, TEXT)], ["web_search_tool_result of 's', no call"]),
    ],
)  # fmt: skip
def test_unlawful_messages(messages: list[Any], violations: list[str], finds: Any) -> None:
    """Each broken law is named once, in order."""
    finds("anthropic", {"max_tokens": 1, "messages": messages}, violations)


@all_cases(
    ("rest", "violations"),
    [
        ({}, []),
        ({"system": [TEXT, marked(TEXT)], "tools": [{**TOOL, "name": "a" * 128}]}, []),
        ({"tools": [{"type": "web_search_20250305", "name": "web_search"}]}, []),
        ({"max_tokens": None}, ["max_tokens: it is missing"]),
        ({"max_tokens": 0}, ["max_tokens: 0"]),
        ({"system": []}, ["system: it is empty"]),
        ({"system": [TEXT, IMAGE]}, ["system: block 1"]),
        ({"tools": [{**TOOL, "name": "a" * 129}]}, ["the name"]),
        ({"tools": [TOOL, TOOL]}, ["two have the name 'a'"]),
        ({"tools": [{"name": "a"}]}, ["describes no object"]),
        ({"system": [marked(TEXT)] * 2, "tools": [marked(TOOL)], "cache_control": {}},
         ["5 marks where 4"]),
    ],
)  # fmt: skip
def test_the_rest_of_a_request(rest: dict[str, Any], violations: list[str], finds: Any) -> None:
    """Instructions, tools, marks over everything, and the limit of the reply are checked too."""
    request = {"max_tokens": 1, "messages": [user([marked(TEXT)])], **rest}
    finds("anthropic", request, violations)
