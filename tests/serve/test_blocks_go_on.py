"""What goes on as its client sent it: blocks the proxy does not know, reasoning, paused turns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("uvicorn")

import httpx2

from tests.serve.proxied import PATHS, proxy
from tests.serve.upstream import Upstream

Wire = dict[str, Any]
CALL = {"id": "f:0", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
USE = {"type": "server_tool_use", "id": "srvtoolu_9", "name": "web_search", "input": {"query": "x"}}
TOOL_USE = {"type": "tool_use", "id": "t1", "name": "ToolSearch", "input": {}}


def passed(folder: Path, format: str, model: str, messages: list[Wire], **more: Any) -> list[Wire]:
    """The list that reaches the provider."""
    key = "input" if format == "responses" else "messages"
    function = {"name": "bash", "description": "d", "parameters": {"type": "object"}}
    tools: Wire = {
        "openai": {"type": "function", "function": function},
        "responses": {"type": "function", **function},
        "anthropic": {"name": "bash", "description": "d", "input_schema": {"type": "object"}},
    }[format]
    body = {"model": model, "max_tokens": 99, "tools": [tools], key: messages, **more}
    with Upstream(lambda request, n: "ok") as up, proxy(folder, up.url, 64_000) as url:
        headers = {"x-api-key": "k"}
        answer = httpx2.post(url + PATHS[format], json=body, headers=headers, timeout=60)
        assert answer.status_code == 200, answer.text
    found: list[Wire] = up.asked[-1].body[key]
    return found


@pytest.mark.parametrize(
    "block",
    [
        {"type": "tool_reference", "tool_name": "mcp__gh__issue"},
        {"type": "search_result", "source": "s", "title": "t", "content": [], "n": None},
        {"type": "kind_of_a_day_to_come", "a": [1]},
    ],
)
def test_blocks_it_does_not_know(tmp_path: Path, block: Wire) -> None:
    """In a message and in a result they reach the provider as they came."""
    result = {"type": "tool_result", "tool_use_id": "t1", "content": [block]}
    messages = [
        {"role": "user", "content": [block, {"type": "text", "text": "Go."}]},
        {"role": "assistant", "content": [TOOL_USE]},
        {"role": "user", "content": [result]},
    ]
    sent = passed(tmp_path, "anthropic", "claude-opus-5", messages)
    assert sent[0]["content"][0] == block and sent[2]["content"][0]["content"] == [block]


@pytest.mark.parametrize("member", ["reasoning_content", "reasoning", "reasoning_details"])
@pytest.mark.parametrize("model", ["deepseek-v4-pro", "kimi-k3", "somebodys-own"])
def test_reasoning_of_a_reply(tmp_path: Path, model: str, member: str) -> None:
    """All that a client lists of it, whoever the model is."""
    given = "PLAN" if member != "reasoning_details" else [{"type": "reasoning.text", "text": "P"}]
    said = {"role": "assistant", "content": "", "tool_calls": [CALL], member: given}
    result = {"role": "tool", "tool_call_id": "f:0", "content": "a"}
    messages = [{"role": "user", "content": "Go."}, said, result]
    sent = passed(tmp_path, "openai", model, messages)
    assert next(one for one in sent if one["role"] == "assistant")[member] == given


def test_a_member_a_model_demands_is_there_from_the_first_request(tmp_path: Path) -> None:
    """The client says which model it asks, so nobody waits for a reply to know."""
    said = {"role": "assistant", "content": "", "tool_calls": [CALL]}
    result = {"role": "tool", "tool_call_id": "f:0", "content": "a"}
    messages = [{"role": "user", "content": "Go."}, said, result]
    sent = passed(tmp_path, "openai", "kimi-k2.6", messages)
    assert next(one for one in sent if one["role"] == "assistant")["reasoning_content"] == ""


def test_a_paused_turn(tmp_path: Path) -> None:
    """It stands last, as the client sent it."""
    paused = {"role": "assistant", "content": [{"type": "text", "text": "I search."}, USE]}
    messages = [{"role": "user", "content": "Search x."}, paused]
    sent = passed(tmp_path, "anthropic", "claude-opus-5", messages)
    assert [one["role"] for one in sent] == ["user", "assistant"] and sent[1] == paused
