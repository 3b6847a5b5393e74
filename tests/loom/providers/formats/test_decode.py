"""Telling the shapes of replies apart: what is no reply is refused, never half-read."""

from types import SimpleNamespace
from typing import Any

import pytest

from loom.inputs import Reply, Speech
from loom.providers.formats import FORMATS, UnknownReply, decode
from tests.kit.cases import all_cases

CALL = {"type": "function_call", "call_id": "c"}
NONE: dict[str, list[Any]] = {
    "openai": [
        {"choices": []},
        {"choices": [{"delta": {"content": "x"}}]},
        {"role": "user", "content": "x"},
        {"role": "assistant", "tool_calls": "c"},
        {"role": "assistant", "tool_calls": [{"id": "c", "function": {}}]},
    ],
    "responses": [
        {"output": []},
        {"output": [{"text": "x"}]},
        {"object": "response", "output": "text"},
        {"object": "response", "output": [{"id": "x"}]},
        {"object": "response", "output": [CALL]},
    ],
    "anthropic": [],
    "gemini": [
        {"candidates": "x"},
        {"candidates": ["x"]},
        {"candidates": [{"content": "x"}]},
        {"role": "user", "parts": []},
        {"candidates": [{"content": {"role": "model", "parts": [{"function_call": {}}]}}]},
        {"candidates": [{"content": {"parts": ["x"]}}]},
        "text",
    ],
}


@all_cases(("format", "value"), [(name, v) for name in FORMATS for v in (*NONE[name], {}, 7, None)])
def test_what_is_no_reply(format: str, value: object) -> None:
    """Each format refuses what is broken or another's."""
    with pytest.raises(UnknownReply):
        FORMATS[format].decode(value)


@all_cases(("value", "given"), [(None, "NoneType"), ({"output": []}, "'output'"), ({}, "(none)")])
def test_the_refusal(value: Any, given: str) -> None:
    """It says what was given and what would have been accepted."""
    with pytest.raises(UnknownReply) as caught:
        decode(value)
    assert given in str(caught.value)
    assert "Chat Completion" in caught.value.accepted


def test_an_object_that_dumps_itself() -> None:
    """It is read by what it dumps; of Messages the prompt is what was read anew plus what the cache
    wrote and served."""
    cached = {"cache_creation_input_tokens": 200, "cache_read_input_tokens": 3000}
    usage = {"input_tokens": 10, **cached, "output_tokens": 40_000}
    said = {"type": "message", "content": [{"type": "text", "text": "dumped"}]}
    dumped = {**said, "model": "claude-x", "usage": usage}
    reply = decode(SimpleNamespace(model_dump=lambda: dumped))
    assert reply == Reply((Speech("dumped"),), "claude-x", 3210)
