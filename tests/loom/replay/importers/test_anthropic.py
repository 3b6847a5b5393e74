"""Anthropic message lists."""

from typing import Any

import pytest

from loom.inputs import Event, Reasoning, Reply, Result, Speech, System, ToolCall, User
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


def test_list(document: Any, jsonl: Any) -> None:
    """A list of messages, as a document or a line each, is one session."""
    for path in (document(MESSAGES), jsonl(*MESSAGES)):
        [session] = load(path)
        assert (session.events, session.mended) == (EVENTS, ())


@pytest.mark.parametrize("system", ["rules", [{"type": "text", "text": "rules"}]])
def test_system(document: Any, system: Any) -> None:
    """Instructions beside the list come first."""
    [session] = load(document({"system": system, "messages": MESSAGES}))
    assert session.events == (System("rules"), *EVENTS)


def test_system_inside(document: Any) -> None:
    """Instructions inside the list stay where they are."""
    [session] = load(document([*MESSAGES, {"role": "system", "content": "late"}]))
    assert session.events == (*EVENTS, System("late", 3))


@pytest.mark.parametrize(
    "broken",
    [
        {"role": "tool", "content": "x"},
        {"role": "assistant"},
        {"role": "user", "content": [{"type": "tool_result"}]},
    ],
)
def test_broken_message(jsonl: Any, broken: dict[str, Any]) -> None:
    """A message that cannot be read is left out and told by its number; alone it is no session."""
    [session] = load(jsonl(*MESSAGES, broken, {"role": "user", "content": "on"}))
    assert session.events == (*EVENTS, User("on", 4))
    [note] = session.mended
    assert note.startswith("message 3: ") and note.endswith(": it was left out")


def test_a_result_that_cannot_be_read_leaves_the_others(jsonl: Any) -> None:
    """Of several blocks of a user's message only the one without an id is left out."""
    *before, last = MESSAGES
    odd = {"type": "tool_result", "tool_use_id": {"t": []}, "content": "y"}
    [session] = load(jsonl(*before, {**last, "content": [odd, *last["content"]]}))
    assert (session.events, len(session.mended)) == (EVENTS, 1)
