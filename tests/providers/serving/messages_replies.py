"""How Messages answers, whole and as the events of its stream."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.providers.serving.api import Turn, Usage, pieces, sse
from tests.providers.serving.prompt import canonical, encrypted, seal

BROKEN = False  # input is an object


def reply(turn: Turn) -> dict[str, Any]:
    """The message; some of its thinking is redacted."""
    line, end = turn.line, turn.asked.prompt.end
    content: list[dict[str, Any]] = []
    thinks = turn.asked.body.get("thinking", {}).get("type") in ("enabled", "adaptive")
    if thinks and line.thought and len(line.thought) % 8 == 0:
        content.append({"type": "redacted_thinking", "data": encrypted(line.thought, end)})
    elif thinks and line.thought:
        signature = seal(canonical(line.thought), end)
        content.append({"type": "thinking", "thinking": line.thought, "signature": signature})
    if line.text:
        content.append({"type": "text", "text": line.text})
    for call in line.calls:
        used = {"id": f"toolu_{call.id}", "name": call.name, "input": json.loads(call.arguments)}
        content.append({"type": "tool_use", **used})
    return {
        **_head(turn),
        "content": content,
        "stop_reason": "tool_use" if line.calls else "end_turn",
        "usage": _usage(turn.usage, turn.usage.output),
    }


def _head(turn: Turn) -> dict[str, Any]:
    return {
        "id": f"msg_{turn.name}",
        "type": "message",
        "role": "assistant",
        "model": turn.asked.model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
    }


def _usage(usage: Usage, output: int) -> dict[str, Any]:
    return {
        "input_tokens": usage.total - usage.read - usage.write,
        "cache_creation_input_tokens": usage.write,
        "cache_read_input_tokens": usage.read,
        "output_tokens": output,
        "service_tier": "standard",
    }


def events(turn: Turn) -> Iterator[str]:
    """The message as events: its head, each block, what it used."""
    whole = reply(turn)

    def event(kind: str, **data: Any) -> str:
        return sse({"type": kind, **data}, kind)

    yield event("message_start", message={**_head(turn), "usage": _usage(turn.usage, 1)})
    yield event("ping")
    for index, block in enumerate(whole["content"]):
        yield event("content_block_start", index=index, content_block=_started(block))
        for delta in _deltas(block):
            yield event("content_block_delta", index=index, delta=delta)
        yield event("content_block_stop", index=index)
    delta = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield event("message_delta", delta=delta, usage=whole["usage"])
    yield event("message_stop")


def _started(block: dict[str, Any]) -> dict[str, Any]:
    blank = {
        "text": {"text": ""},
        "thinking": {"thinking": "", "signature": ""},
        "tool_use": {"input": {}},
        "redacted_thinking": {},
    }
    return {**block, **blank[block["type"]]}


def _deltas(block: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if block["type"] == "text":
        for piece in pieces(block["text"]):
            yield {"type": "text_delta", "text": piece}
    elif block["type"] == "thinking":
        for piece in pieces(block["thinking"]):
            yield {"type": "thinking_delta", "thinking": piece}
        yield {"type": "signature_delta", "signature": block["signature"]}
    elif block["type"] == "tool_use":
        yield {"type": "input_json_delta", "partial_json": ""}
        for piece in pieces(json.dumps(block["input"]) if block["input"] else ""):
            yield {"type": "input_json_delta", "partial_json": piece}
