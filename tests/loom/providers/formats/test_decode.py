"""Replies told apart, and replies that were cut off."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import loom
from loom.errors import BadInput
from loom.inputs import Reasoning, Reply, Speech, ToolCall
from loom.providers.formats import FORMATS, decode, format_of
from loom.providers.formats.replies import end_reason
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
    with pytest.raises(BadInput, match="cannot read a reply"):
        format_of(format).decode(value)


@all_cases(("value", "given"), [(None, "NoneType"), ({"output": []}, "'output'"), ({}, "(none)")])
def test_the_refusal(value: Any, given: str) -> None:
    """It says what was given and what would have been accepted."""
    with pytest.raises(BadInput, match="cannot read a reply") as caught:
        decode(value)
    assert given in str(caught.value)
    assert "Chat Completion" in str(caught.value)


def test_an_object_that_dumps_itself() -> None:
    """It is read by what it dumps; of Messages the prompt is what was read anew plus what the cache
    wrote and served."""
    cached = {"cache_creation_input_tokens": 200, "cache_read_input_tokens": 3000}
    usage = {"input_tokens": 10, **cached, "output_tokens": 40_000}
    said = {"type": "message", "content": [{"type": "text", "text": "dumped"}]}
    dumped = {**said, "model": "claude-x", "usage": usage}
    reply = decode(SimpleNamespace(model_dump=lambda: dumped))
    assert reply == Reply((Speech("dumped"),), "claude-x", 3210)


THOUGHT = "It may be 42.\n```python\nprint(42)\n```\nOr <b>43</b>"
OPEN = f"<think>\n{THOUGHT}"


def chat(text: str, finish: str | None, **more: Any) -> dict[str, Any]:
    """A Chat Completion of a model that writes tags."""
    message = {"role": "assistant", "content": text} | more
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return {"model": "qwen3", "choices": [choice]}


CONTENT = [{"type": "text", "text": OPEN}]
ITEM = [{"type": "output_text", "text": OPEN, "annotations": []}]
MESSAGE = {"type": "message", "role": "assistant", "model": "qwen3"}
CANDIDATE = {"content": {"role": "model", "parts": [{"text": OPEN}]}, "finishReason": "MAX_TOKENS"}
RESPONSE = {
    "object": "response",
    "status": "incomplete",
    "output": [{"type": "message", "role": "assistant", "id": "m", "content": ITEM}],
}
CUT = {
    "chat": chat(OPEN, "length"),
    "chat, unsaid": chat(OPEN, None),
    "messages": {**MESSAGE, "content": CONTENT, "stop_reason": "max_tokens"},
    "gemini": {"candidates": [CANDIDATE], "modelVersion": "qwen3"},
    "responses": {"id": "r", "model": "qwen3", **RESPONSE},
    "text": OPEN,
    "upper case, attributes": f"<THINKING effort='high'>\n{THOUGHT}",
    "after a block": f"<think>first</think>\n<reasoning>{THOUGHT}",
    "reasoning of its own": chat("", "length", reasoning_content=THOUGHT),
    "hidden reasoning": chat("", "length"),
}


@all_cases("reply", CUT.values(), ids=CUT)
def test_what_was_cut_off_is_no_answer(tmp_path: Path, reply: object) -> None:
    """Not done, no text, no word of the reasoning in any request, all of it in the journal."""
    with loom.open(tmp_path / "w", durable=False) as ctx:
        ctx.user("What is it?")
        ctx.turn()
        ctx.reply(reply)
        assert not ctx.done and ctx.text == "" and ctx.calls == ()
        for name in FORMATS:
            said = json.dumps(ctx.turn().request(name), default=str)
            assert "may be" not in said and "print(42)" not in said and "think>" not in said
    with loom.open(tmp_path / "w", durable=False) as ctx:
        assert not ctx.done
        kept = ctx.history.restore(2).reply
        held = "".join(part.text for part in kept.parts if isinstance(part, Reasoning))
        assert (THOUGHT in held) == (reply is not CUT["hidden reasoning"])
        ctx.reply("42")
        assert ctx.done and ctx.text == "42"


def test_what_came_with_a_text_that_is_gone() -> None:
    """Its signature or id belongs to no other part: a call must not be sent back under it."""
    call = {"functionCall": {"name": "look", "args": {}}}
    text = {"text": "<think>Where?</think>", "thoughtSignature": "c2ln"}
    assert (
        end_reason({})
        == end_reason({"choices": []})
        == end_reason({"choices": [{"message": {}}]})
        == ""
    )
    gemini = {"candidates": [{"content": {"role": "model", "parts": [text, call]}}]}
    assert [type(part) for part in decode(gemini).parts] == [Reasoning, ToolCall]
    said = {"type": "output_text", "text": "<think>Where?</think>", "annotations": [{"at": 1}]}
    items = [
        {"type": "message", "id": "msg_1", "role": "assistant", "content": [said]},
        {"type": "function_call", "call_id": "c", "name": "look", "arguments": "{}"},
    ]
    assert "msg_1" not in repr(decode({"object": "response", "output": items}).parts)
