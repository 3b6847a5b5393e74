"""Telling the shapes of replies apart."""

from types import SimpleNamespace
from typing import Any

import pytest

from loom.inputs import Reply, Speech, ToolCall
from loom.providers.formats import FORMATS, UnknownReply, decode
from tests.kit.cases import all_cases

OPENAI_CALL = {"id": "c", "type": "function", "function": {"name": "a", "arguments": "{}"}}
ANTHROPIC_CALL = {"type": "tool_use", "id": "c", "name": "a", "input": {}}
RESPONSES_CALL = {"type": "function_call", "call_id": "c", "name": "a", "arguments": "{}"}
GEMINI_CALL = {"id": "c", "name": "a"}
SAID = Reply((Speech("hi"),))
CALLED = Reply((ToolCall("c", "a", "{}"),))


@all_cases(
    ("reply", "expected"),
    [
        (SAID, SAID),
        ("hi", SAID),
        ("", Reply(())),
        ({"role": "assistant", "content": "hi"}, SAID),
        ({"role": "assistant", "content": [{"type": "text", "text": "hi"}]}, SAID),
        ({"choices": [{"message": {"role": "assistant", "content": "hi"}}]}, SAID),
        (
            {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "hi"}]},
            SAID,
        ),
        ({"role": "assistant", "content": None, "tool_calls": [OPENAI_CALL]}, CALLED),
        ({"role": "assistant", "content": [ANTHROPIC_CALL]}, CALLED),
        ({"output": [RESPONSES_CALL]}, CALLED),
        (SimpleNamespace(output=[SimpleNamespace(**RESPONSES_CALL)]), CALLED),
        ({"candidates": [{"content": {"parts": [{"functionCall": GEMINI_CALL}]}}]}, CALLED),
        (SimpleNamespace(candidates=[{"content": {"parts": [{"text": "hi"}]}}]), SAID),
        ({"promptFeedback": {"blockReason": "SAFETY"}}, Reply(())),
        (SimpleNamespace(role="assistant", content=[SimpleNamespace(**ANTHROPIC_CALL)]), CALLED),
    ],
)
def test_decode(reply: object, expected: Reply) -> None:
    """A reply is read by its shape, whoever gave it."""
    assert decode(reply) == expected


@all_cases(
    ("value", "given"),
    [
        (None, "NoneType"),
        (7, "int"),
        ({"output": []}, "'output'"),
        ({}, "(none)"),
        (object(), "object"),
        ([], "list"),
    ],
)
def test_unknown(value: Any, given: str) -> None:
    """A refusal says what was given and what would have been accepted."""
    with pytest.raises(UnknownReply) as caught:
        decode(value)
    assert given in str(caught.value)
    assert "Chat Completion" in caught.value.accepted


def test_formats() -> None:
    """Every format can read a reply and starts with nothing to send."""
    said = {"type": "message", "content": [{"type": "output_text", "text": "hi"}]}
    replies = {
        "openai": {"role": "assistant", "content": "hi"},
        "responses": {"object": "response", "output": [said]},
        "anthropic": {"role": "assistant", "content": "hi"},
        "gemini": {"role": "model", "parts": [{"text": "hi"}]},
    }
    for name, format in FORMATS.items():
        assert format.decode(replies[name]) == SAID, name
        [messages] = format.encoder().request().values()
        assert messages == [], name
