"""The providers' own libraries, raw and through their helpers, against a server that streams."""

from collections.abc import Callable
from typing import Any

import pytest

from loom.inputs import Reply, Speech, ToolCall
from loom.providers.formats import decode

Collect = Callable[[Any], dict[str, Any]]
Serve = Callable[[list[dict[str, Any]]], str]

ASKED: list[Any] = [{"role": "user", "content": "hi"}]


def chat_chunk(delta: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return a chunk of a Chat Completions stream."""
    choice = {"index": 0, "delta": delta, "finish_reason": more.pop("finish", None)}
    head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "gpt-5"}
    return {**head, "choices": [choice], **more}


def tool_delta(index: int, arguments: str, **more: Any) -> dict[str, Any]:
    """Return a delta with one call's arguments."""
    name = {"name": more.pop("name")} if "name" in more else {}
    call = {"index": index, "function": {**name, "arguments": arguments}, **more}
    return {"tool_calls": [call]}


CHAT = [
    chat_chunk({"role": "assistant", "content": ""}),
    chat_chunk({"content": "Let me "}),
    chat_chunk({"content": "look."}),
    chat_chunk(tool_delta(0, "", id="c1", type="function", name="read")),
    chat_chunk(tool_delta(0, '{"pa')),
    chat_chunk(tool_delta(1, "", id="c2", type="function", name="list")),
    chat_chunk(tool_delta(0, 'th": "a"}')),
    chat_chunk(tool_delta(1, "{}")),
    chat_chunk({}, finish="tool_calls"),
    chat_chunk({})
    | {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13}},
]
CHAT_REPLY = Reply(
    (Speech("Let me look."), ToolCall("c1", "read", '{"path": "a"}'), ToolCall("c2", "list", "{}")),
    "gpt-5",
    9,
)


def test_chat(collect: Collect, serve: Serve) -> None:
    """Chunks of `create(stream=True)` and events of `stream()` give one reply."""
    openai = pytest.importorskip("openai")
    with openai.OpenAI(base_url=serve(CHAT), api_key="x", max_retries=0) as client:
        raw = collect(client.chat.completions.create(model="m", messages=ASKED, stream=True))
        with client.chat.completions.stream(model="m", messages=ASKED) as stream:
            helped = collect(stream)
    assert decode(raw) == CHAT_REPLY
    assert helped == raw
    assert openai.types.chat.ChatCompletion.model_validate(raw).usage.total_tokens == 13


REASONING = {
    "id": "rs_1",
    "type": "reasoning",
    "summary": [{"type": "summary_text", "text": "Hm"}],
    "encrypted_content": "gAAA",
}
CALL = {
    "id": "fc_1",
    "type": "function_call",
    "call_id": "call_1",
    "name": "read",
    "arguments": '{"path": "a"}',
    "status": "completed",
}
MESSAGE = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "status": "completed",
    "content": [{"type": "output_text", "text": "Hello", "annotations": []}],
}


def response(status: str, output: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """Return a response of the Responses API."""
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": "gpt-5",
        "status": status,
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        **more,
    }


def responses_events(output: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the events of a response whose last event holds `output`."""
    usage = {
        "input_tokens": 9,
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens": 4,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 13,
    }
    part = {"type": "output_text", "text": "", "annotations": []}
    at = {"item_id": "msg_1", "output_index": 1, "content_index": 0}
    begun = MESSAGE | {"content": [], "status": "in_progress"}
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": response("in_progress", [])},
        {
            "type": "response.output_item.added",
            "output_index": 0,
            "item": REASONING | {"encrypted_content": "early", "summary": []},
        },
        {"type": "response.output_item.done", "output_index": 0, "item": REASONING},
        {"type": "response.output_item.added", "output_index": 1, "item": begun},
        {"type": "response.content_part.added", **at, "part": part},
        {"type": "response.output_text.delta", **at, "delta": "Hel", "logprobs": []},
        {"type": "response.output_text.delta", **at, "delta": "lo", "logprobs": []},
        {"type": "response.output_text.done", **at, "text": "Hello", "logprobs": []},
        {"type": "response.output_item.done", "output_index": 1, "item": MESSAGE},
        {
            "type": "response.output_item.added",
            "output_index": 2,
            "item": CALL | {"arguments": "", "status": "in_progress"},
        },
        {
            "type": "response.function_call_arguments.delta",
            "item_id": "fc_1",
            "output_index": 2,
            "delta": CALL["arguments"],
        },
        {"type": "response.output_item.done", "output_index": 2, "item": CALL},
        {"type": "response.completed", "response": response("completed", output, usage=usage)},
    ]
    return [event | {"sequence_number": number} for number, event in enumerate(events)]


@pytest.mark.parametrize("output", [[REASONING, MESSAGE, CALL], []])
def test_responses(collect: Collect, serve: Serve, output: list[dict[str, Any]]) -> None:
    """The last event's response is the reply; where it lacks the items, those done are it."""
    openai = pytest.importorskip("openai")
    url = serve(responses_events(output))
    with openai.OpenAI(base_url=url, api_key="x", max_retries=0) as client:
        raw = collect(client.responses.create(model="m", input="hi", stream=True))
        with client.responses.stream(model="m", input="hi") as stream:
            helped = collect(stream)
    for reply in (raw, helped):
        assert reply["output"] == [REASONING, MESSAGE, CALL]
        assert (reply["model"], reply["status"]) == ("gpt-5", "completed")
        assert reply["usage"]["input_tokens"] == 9
        assert openai.types.responses.Response.model_validate(reply).output_text == "Hello"


def block(index: int, start: dict[str, Any], *deltas: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the events of one block of a message."""
    return [
        {"type": "content_block_start", "index": index, "content_block": start},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def text(said: str) -> dict[str, Any]:
    """Return a delta of text."""
    return {"type": "text_delta", "text": said}


def partial(said: str) -> dict[str, Any]:
    """Return a delta of a call's input."""
    return {"type": "input_json_delta", "partial_json": said}


ANTHROPIC_EVENTS: list[dict[str, Any]] = [
    {
        "type": "message_start",
        "message": {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "claude-5",
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {"input_tokens": 4, "cache_read_input_tokens": 5, "output_tokens": 1},
        },
    },
    {"type": "ping"},
    *block(
        0,
        {"type": "thinking", "thinking": "", "signature": ""},
        {"type": "thinking_delta", "thinking": "Let "},
        {"type": "thinking_delta", "thinking": "me"},
        {"type": "signature_delta", "signature": "c2ln"},
    ),
    *block(1, {"type": "redacted_thinking", "data": "ZGF0YQ"}),
    *block(2, {"type": "text", "text": ""}, text("Hel"), text("lo")),
    *block(
        3,
        {"type": "tool_use", "id": "toolu_1", "name": "read", "input": {}},
        partial(""),
        partial('{"path": "'),
        partial('a"}'),
    ),
    *block(4, {"type": "tool_use", "id": "toolu_2", "name": "list", "input": {}}, partial("")),
    {
        "type": "message_delta",
        "delta": {"stop_reason": "tool_use", "stop_sequence": None},
        "usage": {"output_tokens": 30},
    },
    {"type": "message_stop"},
]
ANTHROPIC_CONTENT = [
    {"type": "thinking", "thinking": "Let me", "signature": "c2ln"},
    {"type": "redacted_thinking", "data": "ZGF0YQ"},
    {"type": "text", "text": "Hello"},
    {"type": "tool_use", "id": "toolu_1", "name": "read", "input": {"path": "a"}},
    {"type": "tool_use", "id": "toolu_2", "name": "list", "input": {}},
]


def test_anthropic(collect: Collect, serve: Serve) -> None:
    """Events of `create(stream=True)` and of `stream()` give one reply, nothing twice."""
    anthropic = pytest.importorskip("anthropic")
    asked = {"model": "m", "max_tokens": 9, "messages": ASKED}
    with anthropic.Anthropic(
        base_url=serve(ANTHROPIC_EVENTS), api_key="x", max_retries=0
    ) as client:
        raw = collect(client.messages.create(**asked, stream=True))
        with client.messages.stream(**asked) as stream:
            helped = collect(stream)
        with client.messages.stream(**asked) as stream:
            whole = stream.get_final_message()
    assert raw["content"] == ANTHROPIC_CONTENT
    assert helped == raw
    assert decode(raw) == decode(whole)
    assert decode(raw).prompt_tokens == 9
    assert (raw["stop_reason"], raw["usage"]["output_tokens"]) == ("tool_use", 30)


def gemini_chunk(*parts: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return a chunk as the service sends it."""
    candidate = {"index": 0, "content": {"role": "model", "parts": list(parts)}, **more}
    return {
        "candidates": [candidate],
        "modelVersion": "gemini-3",
        "responseId": "r",
        "usageMetadata": {"promptTokenCount": 9, "totalTokenCount": 13},
    }


GEMINI = [
    gemini_chunk({"text": "Let ", "thought": True}),
    gemini_chunk({"text": "me", "thought": True}),
    gemini_chunk({"text": "Hel"}),
    gemini_chunk({"text": "lo"}),
    gemini_chunk(
        {
            "functionCall": {"name": "read", "args": {"filePath": "a"}},
            "thoughtSignature": "c2ln",
        },
        {"functionCall": {"name": "list", "args": {}}},
    ),
    gemini_chunk({"text": "", "thoughtSignature": "-_8="}, finishReason="STOP"),
]
GEMINI_PARTS = [
    {"text": "Let me", "thought": True},
    {"text": "Hello"},
    {
        "function_call": {"name": "read", "args": {"filePath": "a"}},
        "thought_signature": b"sig",
    },
    {"function_call": {"name": "list", "args": {}}},
    {"text": "", "thought_signature": b"\xfb\xff"},
]


def test_gemini(collect: Collect, serve: Serve) -> None:
    """The library's chunks and the service's own JSON give one reply, signatures as bytes."""
    genai = pytest.importorskip("google.genai")
    with genai.Client(api_key="x", http_options={"base_url": serve(GEMINI)}) as client:
        reply = collect(client.models.generate_content_stream(model="m", contents="hi"))
    assert reply["candidates"] == [
        {
            "content": {"role": "model", "parts": GEMINI_PARTS},
            "index": 0,
            "finish_reason": "STOP",
        }
    ]
    assert (reply["model_version"], reply["usage_metadata"]["prompt_token_count"]) == (
        "gemini-3",
        9,
    )
    assert collect(GEMINI) == reply
    whole = genai.types.GenerateContentResponse.model_validate(reply)
    assert [part.thought_signature for part in whole.parts] == [
        None,
        None,
        b"sig",
        None,
        b"\xfb\xff",
    ]
