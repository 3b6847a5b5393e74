"""Anthropic message lists."""

from typing import Any

from loom.inputs import Event, Reasoning, Reply, Result, Speech, ToolCall, User
from loom.replay.importers import load

MESSAGES: list[dict[str, Any]] = [
    {"role": "user", "content": "go"},
    {
        "role": "assistant",
        "content": [
            {"type": "redacted_thinking", "data": "zz"},
            {"type": "text", "text": "I look."},
            {"type": "tool_use", "id": "t", "name": "a", "input": {"x": 1}},
        ],
    },
    {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "t", "content": "x", "is_error": True},
            {"type": "text", "text": "and then"},
            {"type": "text", "text": "stop"},
        ],
    },
]
EVENTS: tuple[Event, ...] = (
    User("go", 0),
    Reply(
        (
            Reasoning("", '{"type":"redacted_thinking","data":"zz"}', "anthropic"),
            Speech("I look."),
            ToolCall("t", "a", '{"x":1}'),
        ),
        index=1,
    ),
    Result("t", "x", True, 2),
    User("and then\n\nstop", 2),
)


def test_a_result_that_cannot_be_read_leaves_the_others(jsonl: Any) -> None:
    """Of several blocks of a user's message only the one without an id is left out."""
    *before, last = MESSAGES
    odd = {"type": "tool_result", "tool_use_id": {"t": []}, "content": "y"}
    [session] = load(jsonl(*before, {**last, "content": [odd, *last["content"]]}))
    assert (session.events, len(session.mended)) == (EVENTS, 1)
