"""Sessions with one message a line, recorded by any harness."""

from typing import Any

import pytest

from loom.inputs import Reasoning, Reply, Result, Speech, System, ToolCall, User
from loom.replay.importers import load

CALL = {"id": "t", "name": "read", "arguments": {"path": "a.py"}}


def test_session(jsonl: Any) -> None:
    """Every field has its place, and an index is the number of the line."""
    path = jsonl(
        {"i": 0, "role": "system", "content": "rules"},
        {"i": 1, "role": "user", "content": "go"},
        {
            "i": 2,
            "role": "assistant",
            "thinking": "hm",
            "content": "I read.",
            "tool_calls": [CALL],
            "ctx_tokens": 77,
        },
        {
            "i": 3,
            "role": "tool",
            "name": "read",
            "tool_call_id": "t",
            "content": "x",
            "is_error": True,
        },
        {"i": 4, "role": "assistant", "tool_calls": [{**CALL, "arguments": "{bad"}]},
        {"i": 5, "role": "tool", "tool_call_id": "t"},
    )
    [session] = load(path)
    assert session.mended == ()
    assert session.events == (
        System("rules", 0),
        User("go", 1),
        Reply(
            (Reasoning("hm"), Speech("I read."), ToolCall("t", "read", '{"path":"a.py"}')),
            prompt_tokens=77,
            index=2,
        ),
        Result("t", "x", True, 3),
        Reply((ToolCall("t", "read", "{bad"),), index=4),
        Result("t", "", index=5),
    )


def test_compaction(jsonl: Any) -> None:
    """The mark of a compaction is dropped and noted, the summary stays a turn of the user."""
    path = jsonl(
        {"role": "user", "content": "go"},
        {"role": "system", "content": "compacted", "compact_boundary": {"preTokens": 9}},
        {"role": "user", "content": "So far: nothing.", "compact_summary": True},
        {"role": "system", "content": "later rules"},
    )
    [session] = load(path)
    assert session.events == (
        User("go", 0),
        User("So far: nothing.", 2),
        System("later rules", 3),
    )
    assert session.mended == ("message 1: the mark of a compaction was dropped",)


@pytest.mark.parametrize(
    "broken",
    [
        {"role": "wizard", "content": "x"},
        {"role": ["user"], "content": "x"},
        {"role": {"name": "user"}, "content": "x"},
        {"type": "note"},
        {"role": "tool", "content": "x"},
        {"role": "assistant", "tool_calls": "t"},
        {"role": "assistant", "tool_calls": ["t"]},
        {"role": "assistant", "tool_calls": [{"id": "t"}]},
    ],
)
def test_broken_message(jsonl: Any, broken: dict[str, Any]) -> None:
    """A message that cannot be read is left out and told by its number."""
    first, last = ({"role": "assistant", "content": text, "ctx_tokens": 5} for text in "ab")
    [session] = load(jsonl(first, broken, last))
    assert [event.index for event in session.events] == [0, 2]
    [note] = session.mended
    assert note.startswith("message 1: ") and note.endswith(": it was left out")
