"""Replies that were cut off: what was reasoned is no answer, and the loop goes on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import loom
from loom.inputs import Reasoning, Reply
from loom.providers.formats import FORMATS, decode
from loom.providers.formats.ended import cut_off, ended
from tests.kit.cases import all_cases

THOUGHT = "It may be 42.\n```python\nprint(42)\n```\nOr <b>43</b>"
OPEN = f"<think>\n{THOUGHT}"


def chat(text: str, finish: str | None, **more: Any) -> dict[str, Any]:
    """A Chat Completion of a model that writes tags."""
    message = {"role": "assistant", "content": text} | more
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return {"model": "qwen3", "choices": [choice]}


def message(text: str, stop: str | None) -> dict[str, Any]:
    """A Message of a server that speaks Anthropic's format."""
    content = [{"type": "text", "text": text}]
    return {"type": "message", "role": "assistant", "model": "qwen3", "content": content} | {
        "stop_reason": stop
    }


def candidate(text: str, finish: str | None) -> dict[str, Any]:
    """A response of generateContent."""
    content = {"role": "model", "parts": [{"text": text}]}
    return {"candidates": [{"content": content, "finishReason": finish}], "modelVersion": "qwen3"}


def response(text: str, status: str) -> dict[str, Any]:
    """A Response."""
    content = [{"type": "output_text", "text": text, "annotations": []}]
    item = {"type": "message", "role": "assistant", "id": "m", "content": content}
    return {"object": "response", "id": "r", "model": "qwen3", "status": status, "output": [item]}


CUT = {
    "chat": chat(OPEN, "length"),
    "chat, unsaid": chat(OPEN, None),
    "messages": message(OPEN, "max_tokens"),
    "gemini": candidate(OPEN, "MAX_TOKENS"),
    "responses": response(OPEN, "incomplete"),
    "text": OPEN,
    "upper case, attributes": f"<THINKING effort='high'>\n{THOUGHT}",
    "after a block": f"<think>first</think>\n<reasoning>{THOUGHT}",
    "reasoning of its own": chat("", "length", reasoning_content=THOUGHT),
    "hidden reasoning": chat("", "length"),
}
ENDED = {
    "an answer": chat("<think>It may be 42.</think>42", "stop"),
    "withheld": chat("", "content_filter"),
    "withheld in its middle": chat("42 and", "content_filter"),
    "before a stray opening tag": chat(f"42\n{OPEN}", "stop"),
    "it stopped by itself": chat(OPEN, "stop"),
    "it ended its turn": message(OPEN, "end_turn"),
    "closed, nothing behind": "<think>It may be 42.</think>",
    "a host's own": Reply((Reasoning("It may be 42."),)),
    "empty": "",
}


def test_a_reply_that_says_nothing_of_its_end() -> None:
    """It has no word for it; an object without choices has none either."""
    assert ended({}) == ended({"choices": []}) == ended({"choices": [{"message": {}}]}) == ""


@all_cases("reply", ENDED.values(), ids=ENDED)
def test_what_ended_is_an_answer(tmp_path: Path, reply: object) -> None:
    """Empty or withheld, it is all the model says; its reasoning is not."""
    assert not cut_off(reply, decode(reply))
    with loom.open(tmp_path / "w", durable=False) as ctx:
        ctx.user("What is it?")
        ctx.reply(reply)
        assert ctx.done and "may be" not in ctx.text and "<" not in ctx.text


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


@all_cases(
    "reply",
    [
        chat("The first half", "length"),
        message("The first half", "max_tokens"),
        candidate("The first half", "MAX_TOKENS"),
        response("The first half", "incomplete"),
        chat(f"The first half\n{OPEN}", "length"),
    ],
)
def test_half_an_answer_is_none(tmp_path: Path, reply: object) -> None:
    """Its text stands, the next request asks to go on, and what comes then is the answer."""
    with loom.open(tmp_path / "w", durable=False) as ctx:
        ctx.user("What is it?")
        ctx.turn()
        ctx.reply(reply)
        assert not ctx.done and ctx.text.strip() == "The first half"
        last = ctx.turn().request("openai")["messages"][-1]
        assert last["role"] == "user" and last["content"].startswith("[continue")
    with loom.open(tmp_path / "w", durable=False) as ctx:
        assert not ctx.done
        ctx.turn()
        ctx.reply(chat("and the other.", "stop"))
        assert ctx.done and ctx.text == "and the other."


@pytest.mark.parametrize("finish", ["length", None, "stop"])
def test_a_stream_that_ends_within(tmp_path: Path, finish: str | None) -> None:
    """Cut off where the provider says so, or says nothing; done where it says it stopped."""

    def chunks() -> Any:
        for at in range(0, len(OPEN), 3):
            yield {"model": "qwen3", "choices": [{"index": 0, "delta": {"content": OPEN[at:][:3]}}]}
        if finish:
            yield {"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}

    with loom.open(tmp_path / "w", durable=False) as ctx:
        ctx.user("What is it?")
        try:
            list(ctx.collect(chunks()))
        except loom.LoomError:
            assert finish is None and ctx.window.history.next_id == 2
            return
        assert ctx.done == (finish == "stop") and ctx.text == ""


@all_cases(
    ("text", "said"),
    [
        ("<think>a</think>\n\nb <think>c</think>", "b"),
        ("a\n</think>\nb", "b"),
        ("b\n<think>\na", "b"),
        ("It is b. <THINK>a", "It is b."),
        ("<think>", ""),
        ("</think>b", "b"),
        ("<think></think>", ""),
        ("Use `<think>` so.", "Use `"),
        ("```\n<think>\n```\n", "```"),
    ],
)
def test_what_is_said(tmp_path: Path, text: str, said: str) -> None:
    """Closed blocks leave, what stands before a lone closing tag, what after a lone opening one."""
    with loom.open(tmp_path / "w", durable=False) as ctx:
        ctx.user("What is it?")
        ctx.reply(chat(text, "stop"))
        assert ctx.text == said and ctx.done
