"""Lists of Responses items: where a reply begins and ends, and what is left out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from loom.inputs import Reply, Result, Speech, System, ToolCall, User
from loom.replay.importers import load

Write = Callable[..., Path]
CALL = {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{ }"}
ANSWER = {"type": "function_call_output", "call_id": "c1", "output": "a\nb"}


def said(*texts: str) -> dict[str, Any]:
    """A message of the model."""
    parts = [{"type": "output_text", "text": text} for text in texts]
    return {"type": "message", "role": "assistant", "content": parts}


def test_a_request(document: Write) -> None:
    """The input of a request with its instructions: reasoning, text and call are one reply."""
    thought = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "x"}
    items = [{"role": "user", "content": "Go."}, thought, said("I look."), CALL, ANSWER]
    (session,) = load(document({"instructions": "Be careful.", "input": items}))
    system, user, reply, result = session.events
    assert (system, user) == (System("Be careful."), User("Go.", 0))
    assert isinstance(reply, Reply) and reply.index == 1
    assert reply.parts[1:] == (Speech("I look."), ToolCall("c1", "look", "{ }"))
    assert result == Result("c1", "a\nb", index=4)
    assert session.mended == ()


def test_replies_in_a_row(jsonl: Write) -> None:
    """Two messages are two replies, two texts of one message are one; a call behind a message is of
    its reply, and what follows a result is another."""
    rows = [{"role": "user", "content": "Go."}, said("one", "still one"), said("two"), CALL, ANSWER]
    (session,) = load(jsonl(*rows, said("three")))
    replies = [event for event in session.events if isinstance(event, Reply)]
    texts = [[part.text for part in one.parts if isinstance(part, Speech)] for one in replies]
    assert texts == [["one", "still one"], ["two"], ["three"]]
    assert [len(one.calls) for one in replies] == [0, 1, 0]


def test_a_result_that_failed(jsonl: Write) -> None:
    """As `loom export` marks it; a result without an id is left out and told."""
    failed = {**ANSWER, "status": "error"}
    nameless = {"type": "function_call_output", "output": "x"}
    (session,) = load(jsonl({"role": "user", "content": "Go."}, CALL, failed, nameless))
    assert [event.error for event in session.events if isinstance(event, Result)] == [True]
    assert "no `call_id`" in session.mended[0]
