"""How Chat Completions answers, whole and as chunks; OpenRouter's `reasoning_details` on some."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from tests.providers.serving.api import Turn, Usage, pieces, sse
from tests.providers.serving.prompt import canonical, seal

BROKEN = True  # arguments are text: a model may write what is no JSON


def reply(turn: Turn) -> dict[str, Any]:
    """The completion."""
    line, message = turn.line, {"role": "assistant", "content": turn.line.text or None}
    message["refusal"] = None
    if line.thought:
        detail = {
            "type": "reasoning.text",
            "text": line.thought,
            "signature": seal(canonical(line.thought), turn.asked.prompt.end),
            "format": "anthropic-claude-v1",
            "index": 0,
        }
        message |= {"reasoning": line.thought, "reasoning_details": [detail]}
    if line.calls:
        functions = [{"name": call.name, "arguments": call.arguments} for call in line.calls]
        message["tool_calls"] = [
            {"id": f"call_{call.id}", "type": "function", "function": function}
            for call, function in zip(line.calls, functions, strict=True)
        ]
    finish = "tool_calls" if line.calls else "stop"
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": finish}
    return {**_head(turn, "chat.completion"), "choices": [choice], "usage": _usage(turn.usage)}


def _head(turn: Turn, kind: str) -> dict[str, Any]:
    return {
        "id": f"chatcmpl-{turn.name}",
        "object": kind,
        "created": int(time.time()),
        "model": turn.asked.model,
        "service_tier": "default",
        "system_fingerprint": "fp_0",
    }


def _usage(usage: Usage) -> dict[str, Any]:
    return {
        "prompt_tokens": usage.total,
        "completion_tokens": usage.output,
        "total_tokens": usage.total + usage.output,
        "prompt_tokens_details": {"cached_tokens": usage.read, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
    }


def events(turn: Turn) -> Iterator[str]:
    """The completion as chunks; usage in one of its own after the last choice, when asked for."""
    made = reply(turn)
    message, options = made["choices"][0]["message"], turn.asked.body.get("stream_options") or {}
    for delta in _deltas(message):
        yield _chunk(turn, delta, None)
    yield _chunk(turn, {}, made["choices"][0]["finish_reason"])
    if options.get("include_usage"):
        head = _head(turn, "chat.completion.chunk")
        yield sse({**head, "choices": [], "usage": made["usage"]})
    yield sse("[DONE]")


def _chunk(turn: Turn, delta: dict[str, Any], finish: str | None) -> str:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
    return sse({**_head(turn, "chat.completion.chunk"), "choices": [choice]})


def _deltas(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield {"role": "assistant", "content": "" if message["content"] else None, "refusal": None}
    for detail in message.get("reasoning_details", ()):
        same = {"type": detail["type"], "format": detail["format"], "index": detail["index"]}
        for piece in pieces(detail["text"]):
            yield {"reasoning": piece, "reasoning_details": [{**same, "text": piece}]}
        yield {"reasoning_details": [{**same, "signature": detail["signature"]}]}
    for piece in pieces(message["content"] or ""):
        yield {"content": piece}
    for index, call in enumerate(message.get("tool_calls", ())):
        function = {"name": call["function"]["name"], "arguments": ""}
        yield {"tool_calls": [{"index": index, **call, "function": function}]}
        for piece in pieces(call["function"]["arguments"]):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}
