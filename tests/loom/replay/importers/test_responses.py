"""Lists of Responses items: where a reply begins and ends, and what is left out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from loom.inputs import Result
from loom.replay.importers import load

Write = Callable[..., Path]
CALL = {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{ }"}
ANSWER = {"type": "function_call_output", "call_id": "c1", "output": "a\nb"}


def said(*texts: str) -> dict[str, Any]:
    """A message of the model."""
    parts = [{"type": "output_text", "text": text} for text in texts]
    return {"type": "message", "role": "assistant", "content": parts}


def test_a_result_that_failed(jsonl: Write) -> None:
    """As `loom export` marks it; a result without an id is left out and told."""
    failed = {**ANSWER, "status": "error"}
    nameless = {"type": "function_call_output", "output": "x"}
    (session,) = load(jsonl({"role": "user", "content": "Go."}, CALL, failed, nameless))
    assert [event.error for event in session.events if isinstance(event, Result)] == [True]
    assert "no `call_id`" in session.mended[0]
