"""Chat Completions message lists."""

import json
from pathlib import Path
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


@pytest.mark.parametrize("value", [MESSAGES, {"messages": MESSAGES}, [{"traj": MESSAGES}]])
def test_document(document: Any, value: Any) -> None:
    """A list, an object that nests it, and a list of one such object are the same session."""
    [session] = load(document(value))
    assert (session.name, session.events, session.mended) == ("session", EVENTS, ())


def test_lines(jsonl: Any, tmp_path: Path) -> None:
    """One message a line is the same session; blank lines and a byte order mark are no matter."""
    [session] = load(jsonl(*MESSAGES))
    assert session.events == EVENTS
    path = tmp_path / "marked.jsonl"
    lines = "\n".join(json.dumps(message) for message in MESSAGES)
    path.write_text("\ufeff" + lines + "\n\n  \n", "utf-8")
    assert load(path)[0].events == EVENTS


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


def test_old_functions(document: Any) -> None:
    """The old function role answers the last call of its name."""
    asked = {"role": "assistant", "function_call": {"name": "f", "arguments": "{}"}}
    answered = {"role": "function", "name": "f", "content": "1"}
    [session] = load(document([asked, answered, {"role": "developer", "content": "d"}]))
    reply, result, system = session.events
    assert isinstance(reply, Reply)
    assert result == Result(reply.calls[0].id, "1", index=1)
    assert system == System("d", 2)
    assert session.mended == ()


def test_mended(document: Any) -> None:
    """A result without a call becomes a turn, and the session says so."""
    [session] = load(document([{"role": "user", "content": "go"}, MESSAGES[3]]))
    assert session.events[1] == User("[result without a call: c]\ndone", 1)
    assert len(session.mended) == 1


@pytest.mark.parametrize(
    "broken",
    [
        {"role": "tool", "content": "x"},
        {"role": "wizard", "content": "x"},
        {"role": ["user"], "content": "x"},
        {"role": "tool", "tool_call_id": {"id": "c"}, "content": "x"},
        {"role": "assistant", "tool_calls": "c"},
    ],
)
def test_broken_message(jsonl: Any, broken: dict[str, Any]) -> None:
    """A message that cannot be read is left out and told by its number."""
    [session] = load(jsonl(*MESSAGES, broken, {"role": "user", "content": "on"}))
    assert session.events == (*EVENTS, User("on", 6))
    [note] = session.mended
    assert note.startswith("message 5: ") and note.endswith(": it was left out")


def test_one_bad_session_fails_the_file(jsonl: Any) -> None:
    """Of many sessions none is loaded when one cannot be."""
    with pytest.raises(BadSession) as caught:
        load(jsonl({"messages": MESSAGES}, {"messages": [{"role": "tool", "content": "x"}]}))
    assert caught.value.line == 2
