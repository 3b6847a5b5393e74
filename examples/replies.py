"""What a scripted model says, as OpenAI's Chat Completions and Anthropic's Messages have it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

from loom.providers.counts import counter_for

Wire = dict[str, Any]
Call = tuple[str, Wire]  # the name of a tool and its arguments
FUNCTION = {"type": "function"}


def _id(kind: str) -> str:
    return f"{kind}_{uuid4().hex[:16]}"


def openai_reply(text: str, calls: list[Call], body: Wire) -> tuple[Wire, Iterator[str]]:
    """A reply of Chat Completions to the request `body`: whole, and as server-sent events."""
    functions = [{"name": name, "arguments": json.dumps(given)} for name, given in calls]
    made: list[Wire] = [{"id": _id("call"), **FUNCTION, "function": one} for one in functions]
    end = "tool_calls" if calls else "stop"
    head = {"id": _id("chatcmpl"), "created": 0, "model": body.get("model", "")}
    message: Wire = {"role": "assistant", "content": text or None, "tool_calls": made or None}
    whole = {"index": 0, "message": message, "finish_reason": end}
    reply = {**head, "object": "chat.completion", "choices": [whole]}
    deltas: list[Wire] = [{"role": "assistant"}]
    deltas += [{"content": word} for word in re.findall(r"\S+\s*", text)]
    deltas += [{"tool_calls": [{"index": at, **call}]} for at, call in enumerate(made)]
    choices = [{"index": 0, "delta": one, "finish_reason": None} for one in deltas]
    choices.append({"index": 0, "delta": {}, "finish_reason": end})
    chunks = ({**head, "object": "chat.completion.chunk", "choices": [one]} for one in choices)
    return reply, (f"data: {one}\n\n" for one in [*map(json.dumps, chunks), "[DONE]"])


def anthropic_reply(text: str, calls: list[Call], body: Wire) -> tuple[Wire, Iterator[str]]:
    """A reply of the Messages API to the request `body`: whole, and as server-sent events."""
    blocks: list[Wire] = [{"type": "text", "text": text}] if text else []
    for name, given in calls:
        blocks.append({"type": "tool_use", "id": _id("toolu"), "name": name, "input": given})
    end = {"stop_reason": "tool_use" if calls else "end_turn", "stop_sequence": None}
    usage = {"input_tokens": counter_for()(json.dumps(body)), "output_tokens": 1}
    head: Wire = {"id": _id("msg"), "type": "message", "role": "assistant"}
    head |= {"usage": usage, "model": body.get("model", "")}
    events: list[Wire] = [{"type": "message_start", "message": {**head, "content": [], **end}}]
    for at, block in enumerate(blocks):
        start, delta = {**block, "text": ""}, {"type": "text_delta", "text": text}
        if block["type"] == "tool_use":
            start = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        events += [{"type": "content_block_start", "index": at, "content_block": start},
                   {"type": "content_block_delta", "index": at, "delta": delta},
                   {"type": "content_block_stop", "index": at}]  # fmt: skip
    events += [{"type": "message_delta", "delta": end, "usage": usage}, {"type": "message_stop"}]
    reply = {**head, "content": blocks, **end}
    return reply, (f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events)
