"""LangChain's messages as Chat Completions has them, and back."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("langchain_core", reason="langchain-core is not installed")
pytest.importorskip("langchain", reason="langchain is not installed")

from langchain.agents.middleware import ModelRequest, ModelResponse
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

import loom
from loom.adapters.langchain import LoomMiddleware
from loom.adapters.langchain_messages import (
    assistant_to_wire,
    message_without_calls,
    messages_to_wire,
    reply_to_wire,
    wire_to_messages,
)

CALLS: list[Any] = [
    {"id": "c1", "name": "read", "args": {"path": "ä.py"}, "type": "tool_call"},
    {"id": "c2", "name": "note", "args": {"text": "x"}, "type": "tool_call"},
]
TORN: list[Any] = [
    {"id": "c3", "name": "read", "args": '{"pa', "error": None, "type": "invalid_tool_call"}
]
THOUGHT = {"type": "thinking", "thinking": "Hm.", "signature": "s1gn3d"}


def test_there_and_back() -> None:
    """Texts, calls, torn calls, results and what a provider wants back come out as they went in."""
    messages = [
        SystemMessage("You read."),
        HumanMessage([{"type": "text", "text": "Look."}, {"type": "image_url", "image_url": {}}]),
        AIMessage(
            [THOUGHT, {"type": "text", "text": "I look."}],
            tool_calls=CALLS,
            invalid_tool_calls=TORN,
            additional_kwargs={"reasoning_content": "Hm."},
        ),
        ToolMessage("line", tool_call_id="c1", name="read"),
        ToolMessage("ok", tool_call_id="c2", name="note"),
        AIMessage("Done."),
    ]
    assert wire_to_messages(messages_to_wire(messages)) == messages


def test_hidden_calls() -> None:
    """A reply without a tool's calls has none in its blocks; one that had none is itself."""
    message = AIMessage(
        [
            THOUGHT,
            {"type": "tool_use", "id": "c1", "name": "read", "input": {}},
            {"type": "tool_use", "id": "c2", "name": "note", "input": {}},
            {"type": "function_call", "id": "fc_2", "call_id": "c2", "name": "note"},
        ],
        id="a",
        tool_calls=CALLS,
        invalid_tool_calls=[{**TORN[0], "name": "note"}],
        response_metadata={"model_name": "m"},
    )
    assert message_without_calls(message, {"write"}) is message
    left = message_without_calls(message, {"note"})
    assert left.content == message.content[:2]
    assert [call["id"] for call in left.tool_calls] == ["c1"]
    assert (left.invalid_tool_calls, left.id) == ([], "a")
    assert left.response_metadata == message.response_metadata
    assert len(message.tool_calls) == 2


def test_a_reply_as_loom_takes_it() -> None:
    """Model, reason and whole prompt are told; without a reason it was cut off."""
    told = {"model_name": "m", "model_provider": "openai", "finish_reason": "stop"}
    usage: Any = {"input_tokens": 70, "output_tokens": 1, "total_tokens": 71,
                  "input_token_details": {"cache_read": 64}}  # fmt: skip
    reply = reply_to_wire(AIMessage("Yes.", response_metadata=told, usage_metadata=usage))
    assert reply["usage"] == {"prompt_tokens": 70} and reply["model"] == "m"
    assert reply["choices"] == [
        {"message": assistant_to_wire(AIMessage("Yes.")), "finish_reason": "stop"}
    ]
    assert reply_to_wire(AIMessage("Yes."))["usage"] is None
    with pytest.raises(loom.errors.BrokenStream):
        reply_to_wire(AIMessage("Ye", response_metadata={"model_provider": "openai"}))


def test_tools_a_provider_runs_are_passed_on(tmp_path: Any) -> None:
    """They have no schema to count; functions in any shape are declared, Loom's are added."""
    bare = {"name": "look", "description": "Look.", "parameters": {"type": "object"}}
    theirs = [{"google_search": {}}, {"type": "web_search_20250305", "name": "web_search"}]
    tools: list[Any] = [*theirs, bare, {"type": "function", "function": {**bare, "name": "see"}}]
    with loom.open(tmp_path / "w", durable=False) as ctx:
        given: Any = {"messages": [HumanMessage("Go.", id="h")], "tools": tools}
        asked: list[ModelRequest[Any]] = []

        def handler(request: ModelRequest[Any]) -> Any:
            asked.append(request)
            return ModelResponse(result=[AIMessage("Done.")])

        request: Any = ModelRequest(model=None, **given)  # type: ignore[arg-type]
        LoomMiddleware(ctx).wrap_model_call(request, handler)
        assert asked[0].tools[:4] == tools
        assert {tool["name"] for tool in asked[0].tools[4:]} == ctx.tools.own
        assert {*ctx.tools.declared} == {"look", "see", *ctx.tools.own}
        assert request.tools == tools and len(request.messages) == 1
