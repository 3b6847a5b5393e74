"""Reasoning between tags in a reply's text: told apart once, where a model may have written it."""

from __future__ import annotations

from loom.inputs import Reasoning, ToolCall
from loom.providers.formats import decode


def parts(reply: object) -> tuple[object, ...]:
    """What a reply is read as, reasoning without the blanks at its ends."""
    return tuple(
        Reasoning(part.text.strip(), part.opaque, part.format)
        if isinstance(part, Reasoning)
        else part
        for part in decode(reply).parts
    )


def test_what_came_with_a_text_that_is_gone() -> None:
    """Its signature or id belongs to no other part: a call must not be sent back under it."""
    call = {"functionCall": {"name": "look", "args": {}}}
    text = {"text": "<think>Where?</think>", "thoughtSignature": "c2ln"}
    gemini = {"candidates": [{"content": {"role": "model", "parts": [text, call]}}]}
    assert [type(part) for part in parts(gemini)] == [Reasoning, ToolCall]
    said = {"type": "output_text", "text": "<think>Where?</think>", "annotations": [{"at": 1}]}
    items = [
        {"type": "message", "id": "msg_1", "role": "assistant", "content": [said]},
        {"type": "function_call", "call_id": "c", "name": "look", "arguments": "{}"},
    ]
    assert "msg_1" not in repr(parts({"object": "response", "output": items}))
