"""Replies of every provider's format that say "Look." and call `ls`: whole, and streamed."""

from collections.abc import Iterable
from typing import Any

from loom.providers.formats import collector_for

CALLS = [
    {"id": id, "type": "function", "function": {"name": "ls", "arguments": '{"path": "."}'}}
    for id in ("c1", "c2")
]
USED = {"prompt_tokens": 9, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}}
REPLIES: dict[str, Any] = {
    "openai": {
        "id": "r", "object": "chat.completion", "model": "gpt-4o", "usage": USED,
        "choices": [{
            "index": 0, "finish_reason": "tool_calls",
            "message": {"role": "assistant", "content": "Look.", "refusal": None,
                        "reasoning_content": "hm", "tool_calls": CALLS,
                        "reasoning_details": [{"type": "reasoning.text", "text": "hm"}]},
        }],
    },
    "responses": {
        "id": "r", "object": "response", "model": "gpt-5", "status": "completed",
        "usage": {"input_tokens": 9, "output_tokens": 2},
        "output": [
            {"type": "reasoning", "id": "rs", "encrypted_content": "gAAA",
             "summary": [{"type": "summary_text", "text": "hm"}]},
            {"type": "message", "id": "m", "role": "assistant", "status": "completed",
             "content": [{"type": "output_text", "text": "Look.", "annotations": []}]},
            {"type": "function_call", "id": "f", "call_id": "c1", "name": "ls", "arguments": "{}"},
        ],
    },
    "anthropic": {
        "id": "m", "type": "message", "role": "assistant", "model": "claude-sonnet-4",
        "stop_reason": "tool_use", "usage": {"input_tokens": 9, "cache_read_input_tokens": 4},
        "content": [
            {"type": "thinking", "thinking": "hm", "signature": "EqQB"},
            {"type": "redacted_thinking", "data": "abc"},
            {"type": "text", "text": "Look."},
            {"type": "tool_use", "id": "c1", "name": "ls", "input": {"path": "."}},
        ],
    },
    "gemini": {
        "modelVersion": "gemini-2.5-pro",
        "usageMetadata": {"promptTokenCount": 9, "totalTokenCount": 11},
        "candidates": [{
            "finishReason": "STOP",
            "content": {"role": "model", "parts": [
                {"text": "hm", "thought": True},
                {"text": "Look."},
                {"functionCall": {"id": "c1", "name": "ls", "args": {"path": "."}},
                 "thoughtSignature": "c2ln"},
                {"functionCall": {"name": "ls", "args": {}}},
            ]},
        }],
    },
}  # fmt: skip


def _piece(delta: dict[str, Any], end: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": end}
    return {"id": "r", "object": "chat.completion.chunk", "model": "m", "choices": [choice]}


def _called(number: int, **function: str) -> dict[str, Any]:
    return {"tool_calls": [{"index": number, "id": f"c{number}", "function": function}]}


STREAMS: dict[str, list[Any]] = {
    "openai": [
        _piece({"role": "assistant", "content": "Lo"}), _piece({"content": "ok."}),
        _piece(_called(0, name="ls", arguments='{"pa')), _piece(_called(0, arguments='th": "."}')),
        _piece({}, "tool_calls"), {"object": "chat.completion.chunk", "choices": [], "usage": USED},
    ],
    "responses": [
        {"type": "response.created", "response": {"id": "r", "status": "in_progress"}},
        {"type": "response.output_text.delta", "output_index": 0, "delta": "Look."},
        {"type": "response.output_item.done", "output_index": 0,
         "item": REPLIES["responses"]["output"][1]},
        {"type": "response.completed", "response": REPLIES["responses"]},
    ],
    "anthropic": [
        {"type": "message_start", "message": {**REPLIES["anthropic"], "content": []}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0,
         "delta": {"text": "Look.", "type": "text_delta"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "content_block_start", "index": 1,
         "content_block": {"type": "tool_use", "id": "c1", "name": "ls", "input": {}}},
        {"type": "content_block_delta", "index": 1,
         "delta": {"type": "input_json_delta", "partial_json": '{"path": "."}'}},
        {"type": "content_block_stop", "index": 1},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"},
         "usage": {"output_tokens": 2}},
        {"type": "message_stop"},
    ],
    "gemini": [
        {"candidates": [{"content": {"role": "model", "parts": [{"text": "Look."}]}}]},
        REPLIES["gemini"],
    ],
}  # fmt: skip


def collected(chunks: Iterable[Any]) -> dict[str, Any]:
    """Return the reply of a stream that is done at its end."""
    stream = iter(chunks)
    first = next(stream)
    collector = collector_for(first)
    collector.take(first)
    for chunk in stream:
        collector.take(chunk)
    assert collector.done
    return collector.reply()
