"""Lawful requests, grown as each SDK's documentation grows them: what came is sent back as it was.

A dialogue is the keyword arguments of the next request, in plain values.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from tests.providers.serving.clients import MODELS

READ = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
PING = {"type": "object", "properties": {}}
SYSTEM = "You are careful."
LISTS = {"openai": "messages", "responses": "input", "anthropic": "messages", "gemini": "contents"}


class Asked(NamedTuple):
    """A call of a reply."""

    id: str
    name: str


def opening(api: str, text: str = "Begin.") -> dict[str, Any]:
    """The first request: a system text, two tools, what the user says."""
    both = (("read", READ), ("ping", PING))
    turn = {"role": "user", "content": text}
    common: dict[str, Any] = {"model": MODELS[api]}
    if api == "openai":
        tools = [{"type": "function", "function": {"name": n, "parameters": s}} for n, s in both]
        messages = [{"role": "system", "content": SYSTEM}, turn]
        return {**common, "messages": messages, "tools": tools, "max_completion_tokens": 500}
    if api == "responses":
        tools = [{"type": "function", "name": n, "parameters": s} for n, s in both]
        rest = {"include": ["reasoning.encrypted_content"], "store": False}
        return {**common, "instructions": SYSTEM, "input": [turn], "tools": tools, **rest}
    if api == "anthropic":
        tools = [{"name": n, "input_schema": s} for n, s in both]
        rest = {"thinking": {"type": "adaptive"}, "max_tokens": 2_000}
        return {**common, "system": SYSTEM, "messages": [turn], "tools": tools, **rest}
    functions = [{"name": n, "parameters_json_schema": s} for n, s in both]
    config = {
        "system_instruction": SYSTEM,
        "tools": [{"function_declarations": functions}],
        "thinking_config": {"include_thoughts": True},
        "automatic_function_calling": {"disable": True},
    }
    contents = [{"role": "user", "parts": [{"text": text}]}]
    return {**common, "contents": contents, "config": config}


def turns(api: str, request: dict[str, Any]) -> list[Any]:
    """The messages (items, contents) of a request."""
    listed: list[Any] = request[LISTS[api]]
    return listed


def plain(api: str, reply: Any) -> list[dict[str, Any]]:
    """What of a reply is sent back, in plain values."""
    if api == "openai":
        return [reply.choices[0].message.model_dump(exclude_none=True)]
    if api == "responses":
        return [item.model_dump(exclude_none=True) for item in reply.output]
    if api == "anthropic":
        blocks = [block.model_dump(exclude_none=True) for block in reply.content]
        return [{"role": "assistant", "content": blocks}]
    return [reply.candidates[0].content.model_dump(exclude_none=True)]


def asked(api: str, said: list[dict[str, Any]]) -> list[Asked]:
    """The calls of a reply in plain values."""
    if api == "openai":
        calls = said[0].get("tool_calls", ())
        return [Asked(call["id"], call["function"]["name"]) for call in calls]
    if api == "responses":
        return [Asked(i["call_id"], i["name"]) for i in said if i["type"] == "function_call"]
    if api == "anthropic":
        return [Asked(b["id"], b["name"]) for b in said[0]["content"] if b["type"] == "tool_use"]
    held = [part["function_call"] for part in said[0]["parts"] if "function_call" in part]
    return [Asked(call.get("id", ""), call["name"]) for call in held]


def results(api: str, calls: Iterable[Asked], text: str = "fine") -> list[dict[str, Any]]:
    """The messages that answer calls."""
    if api == "openai":
        return [{"role": "tool", "tool_call_id": call.id, "content": text} for call in calls]
    if api == "responses":
        kind = "function_call_output"
        return [{"type": kind, "call_id": call.id, "output": text} for call in calls]
    if api == "anthropic":
        same = {"type": "tool_result", "content": text}
        return [{"role": "user", "content": [{**same, "tool_use_id": c.id} for c in calls]}]
    held = [{"id": c.id, "name": c.name, "response": {"output": text}} for c in calls]
    return [{"role": "user", "parts": [{"function_response": one} for one in held]}]


def spoken(api: str, text: str) -> dict[str, Any]:
    """A message of the user."""
    if api == "gemini":
        return {"role": "user", "parts": [{"text": text}]}
    return {"role": "user", "content": text}


def grown(ask: Any, api: str, steps: int) -> dict[str, Any]:
    """A dialogue of that many tool steps, all calls answered."""
    request = opening(api)
    for _ in range(steps):
        said = plain(api, ask(**request))
        turns(api, request).extend([*said, *results(api, asked(api, said))])
    return request
