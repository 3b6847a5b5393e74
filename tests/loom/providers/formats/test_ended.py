"""Replies that were cut off: what was reasoned is no answer, and the loop goes on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import loom
from loom.inputs import Reasoning, ToolCall
from loom.providers.formats import FORMATS, decode
from loom.providers.formats.ended import ended
from tests.kit.cases import all_cases

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
    assert ended({}) == ended({"choices": []}) == ended({"choices": [{"message": {}}]}) == ""
    gemini = {"candidates": [{"content": {"role": "model", "parts": [text, call]}}]}
    assert [type(part) for part in decode(gemini).parts] == [Reasoning, ToolCall]
    said = {"type": "output_text", "text": "<think>Where?</think>", "annotations": [{"at": 1}]}
    items = [
        {"type": "message", "id": "msg_1", "role": "assistant", "content": [said]},
        {"type": "function_call", "call_id": "c", "name": "look", "arguments": "{}"},
    ]
    assert "msg_1" not in repr(decode({"object": "response", "output": items}).parts)
