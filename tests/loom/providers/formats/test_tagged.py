"""Reasoning between tags in a reply's text: told apart once, where a model may have written it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import loom
from loom.inputs import Reasoning, Reply, Speech, ToolCall
from loom.providers.formats import decode
from tests.kit.cases import all_cases

TAGGED = "<think>\nIt is 6 × 7.\n</think>\n\n42"
APART = (Reasoning("It is 6 × 7."), Speech("42"))


def chat(text: str, model: str = "", **more: Any) -> dict[str, Any]:
    """A Chat Completion."""
    return {"model": model, "choices": [{"message": {"role": "assistant", "content": text} | more}]}


def parts(reply: object) -> tuple[object, ...]:
    """What a reply is read as, reasoning without the blanks at its ends."""
    return tuple(
        Reasoning(part.text.strip(), part.opaque, part.format)
        if isinstance(part, Reasoning)
        else part
        for part in decode(reply).parts
    )


@all_cases("text", ["", "42", "Use `<think>` so.", "a < b > c", "```\n<think>\n```"])
def test_a_text_without_tags_is_as_it_was(text: str) -> None:
    """Byte for byte, quoted tags included."""
    assert decode(text).parts == ((Speech(text),) if text else ())
    assert decode(chat(text)).parts == ((Speech(text),) if text else ())


@pytest.mark.parametrize("reply", [TAGGED, chat(TAGGED), chat(TAGGED, "deepseek-r1-distill-qwen")])
def test_it_is_told_apart(reply: object) -> None:
    """In a text, in a reply of no known model, and of one that writes tags."""
    assert parts(reply) == APART


@all_cases(
    "reply",
    [
        Reply((Speech(TAGGED),)),
        chat(TAGGED, "gpt-5.1"),
        chat(TAGGED, "openai/gpt-4o"),
        {"model": "claude-opus-4-5", "role": "assistant", "type": "message",
         "content": [{"type": "text", "text": TAGGED}]},
        chat(TAGGED, "qwen3", reasoning_content="It is told."),
    ],
)  # fmt: skip
def test_where_it_means_the_word(reply: object) -> None:
    """A host's own parts, makers that write no tags, servers that told it apart already."""
    assert decode(reply).parts[-1] == Speech(TAGGED)


def test_calls_stay(tmp_path: Path) -> None:
    """Reasoning, then calls, in their order; what was reasoned is in the journal, never sent."""
    call = {"id": "c", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    reply = chat("<think>Where to look?</think>", tool_calls=[call])
    assert parts(reply) == (Reasoning("Where to look?"), ToolCall("c", "look", "{}"))
    with loom.open(tmp_path / "w", durable=False) as ctx:
        ctx.user("Look.")
        ctx.reply(reply)
        ctx.result("c", "here")
        assert "Where to look?" not in repr(ctx.turn().request())
        restored = ctx.history.restore(2).reply
        assert restored is not None and "Where to look?" in repr(restored.parts)


def test_an_unclosed_block_is_no_answer() -> None:
    """What was thought stays reasoning, also when nothing else came."""
    assert parts("<think>It is 42, as") == (Reasoning("It is 42, as"),)


def test_a_stream_cut_within_tags(tmp_path: Path) -> None:
    """Each chunk may end anywhere."""
    with loom.open(tmp_path / "w", durable=False) as ctx:
        ctx.user("What is it?")
        chunks = [
            {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": at}}]}
            for at in TAGGED
        ]
        end: dict[str, Any] = {"index": 0, "delta": {}, "finish_reason": "stop"}
        chunks.append({"object": "chat.completion.chunk", "choices": [end]})
        assert list(ctx.collect(chunks)) == chunks
        restored = ctx.history.restore(2).reply
        assert restored is not None and restored.parts[-1] == Speech("42")


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


def test_what_came_with_a_text_that_stays() -> None:
    """It is still directly before its text."""
    text = {"text": "<think>Why?</think>42", "thoughtSignature": "c2ln"}
    found = parts({"candidates": [{"content": {"role": "model", "parts": [text]}}]})
    assert [type(part) for part in found] == [Reasoning, Reasoning, Speech]
    assert any(isinstance(part, Reasoning) and "c2ln" in part.opaque for part in found)
