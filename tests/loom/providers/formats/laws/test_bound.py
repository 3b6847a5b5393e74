"""Reasoning and its prefix, over the requests of a session."""

from typing import Any

from loom.providers.formats.laws import Bound
from tests.kit.cases import all_cases

Message = dict[str, Any]
Request = dict[str, Any]
FORMATS = ("openai", "responses", "anthropic", "gemini")


def head(format: str, text: str) -> Request:
    """Return what stands before the messages."""
    return {
        "openai": {"tools": [{"type": "function", "function": {"name": text}}]},
        "responses": {"instructions": text},
        "anthropic": {"system": [{"type": "text", "text": text}]},
        "gemini": {"config": {"system_instruction": text}},
    }[format]


def asked(format: str, text: str) -> list[Message]:
    """Return what the user says."""
    if format == "gemini":
        return [{"role": "user", "parts": [{"text": text}]}]
    return [{"role": "user", "content": text}]


def step(format: str, id: str, *, thought: str | None = "", result: str = "done") -> list[Message]:
    """Return a reply with reasoning (its own, a given one, or None) and a call, and the result."""
    opaque = f"thought of {id}" if thought == "" else thought
    if format == "openai":
        call = {"id": id, "type": "function", "function": {"name": "a", "arguments": "{}"}}
        details = {"reasoning_details": [{"data": opaque}]} if opaque else {}
        return [
            {"role": "assistant", "content": None, "tool_calls": [call], **details},
            {"role": "tool", "tool_call_id": id, "content": result},
        ]
    if format == "responses":
        item = {"type": "reasoning", "id": f"rs_{id}", "summary": [], "encrypted_content": opaque}
        return [
            *([item] if opaque else []),
            {"type": "function_call", "call_id": id, "name": "a", "arguments": "{}"},
            {"type": "function_call_output", "call_id": id, "output": result},
        ]
    if format == "anthropic":
        block = {"type": "thinking", "thinking": "t", "signature": opaque}
        use = {"type": "tool_use", "id": id, "name": "a", "input": {}}
        given = {"type": "tool_result", "tool_use_id": id, "content": result}
        return [
            {"role": "assistant", "content": [*([block] if opaque else []), use]},
            {"role": "user", "content": [given]},
        ]
    part: Message = {"function_call": {"name": "a", "args": {}}}
    if opaque:
        part["thought_signature"] = opaque.encode()
    response = {"function_response": {"name": "a", "response": {"output": result}}}
    return [{"role": "model", "parts": [part]}, {"role": "user", "parts": [response]}]


KEYS = {"openai": "messages", "responses": "input", "anthropic": "messages", "gemini": "contents"}


def made(format: str, *groups: list[Message], system: str = "s") -> Request:
    """Return a request of these messages."""
    return {**head(format, system), KEYS[format]: [m for group in groups for m in group]}


@all_cases("format", FORMATS)
def test_a_grown_request_costs_what_it_added(format: str) -> None:
    """After hundreds of steps one more is hashed alone."""
    bound, ask = Bound(format), asked(format, "go")
    steps = [step(format, f"c{number}") for number in range(300)]
    bound.check(made(format, ask, *steps[:299]))
    visited = bound.visited
    assert bound.check(made(format, ask, *steps)) == []
    assert bound.visited - visited == len(steps[0])
