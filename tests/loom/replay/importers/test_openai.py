"""Chat Completions message lists."""

from typing import Any

import pytest

from loom.inputs import Event, Reply, Result, Speech, System, ToolCall, User
from loom.replay.importers import BadSession, load

MESSAGES = [
    {"role": "system", "content": "rules"},
    {"role": "user", "content": [{"type": "text", "text": "go"}]},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "c", "type": "function", "function": {"name": "a", "arguments": '{"x": 1}'}}
        ],
    },
    {"role": "tool", "tool_call_id": "c", "name": "a", "content": "done"},
    {"role": "assistant", "content": "ok"},
]
EVENTS: tuple[Event, ...] = (
    System("rules", 0),
    User("go", 1),
    Reply((ToolCall("c", "a", '{"x": 1}'),), index=2),
    Result("c", "done", index=3),
    Reply((Speech("ok"),), index=4),
)


@pytest.mark.parametrize(
    ("value", "names"),
    [
        ([{"traj": MESSAGES, "task_id": 0}] * 11, [f"s-{n:02d}" for n in range(11)]),
        ([{"id": "x", "messages": MESSAGES}, {"id": "y", "messages": MESSAGES}], ["x", "y"]),
        ([{"id": "x", "messages": MESSAGES}, {"id": "x", "messages": MESSAGES}], ["s-0", "s-1"]),
        ([MESSAGES, MESSAGES], ["s-0", "s-1"]),
    ],
)
def test_many(document: Any, jsonl: Any, value: Any, names: list[str]) -> None:
    """One file can hold many sessions, in a list or a line each, with indices of their own."""
    for path in (document(value, name="s.json"), jsonl(*value, name="s.jsonl")):
        sessions = load(path)
        assert [session.name for session in sessions] == names
        assert all(session.events == EVENTS for session in sessions)


def test_one_bad_session_fails_the_file(jsonl: Any) -> None:
    """Of many sessions none is loaded when one cannot be."""
    with pytest.raises(BadSession) as caught:
        load(jsonl({"messages": MESSAGES}, {"messages": [{"role": "tool", "content": "x"}]}))
    assert caught.value.line == 2
