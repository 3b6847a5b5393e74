"""Each recorded shape: what is its own, what is left out of it and told, what a file may hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from loom.errors import BadSession
from loom.inputs import (
    Event,
    Reasoning,
    RecordedUsage,
    Reply,
    Result,
    Session,
    Speech,
    System,
    ToolCall,
    User,
)  # fmt: skip
from loom.replay.importers import find, load
from loom.replay.importers.talks import shape_guess
from tests.kit.cases import all_cases

SAMPLES = Path(__file__).parent / "samples"


def test_a_result_that_cannot_be_read_leaves_the_others(jsonl: Any) -> None:
    """Of several blocks of a user's message only the one without an id is left out."""
    thought = {"type": "redacted_thinking", "data": "zz"}
    call = {"type": "tool_use", "id": "t", "name": "a", "input": {"x": 1}}
    odd = {"type": "tool_result", "tool_use_id": {"t": []}, "content": "y"}
    result = {"type": "tool_result", "tool_use_id": "t", "content": "x", "is_error": True}
    words = [{"type": "text", "text": text} for text in ("and then", "stop")]
    rows = (
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [thought, {"type": "text", "text": "I look."}, call]},
        {"role": "user", "content": [odd, result, *words]},
    )
    [session] = load(jsonl(*rows))
    opaque = Reasoning("", '{"type":"redacted_thinking","data":"zz"}', "anthropic")
    assert session.events == (
        User("go", 0),
        Reply((opaque, Speech("I look."), ToolCall("t", "a", '{"x":1}')), index=1),
        Result("t", "x", True, 2),
        User("and then\n\nstop", 2),
    )
    assert len(session.mended) == 1


def test_as_the_wire_spells_it(jsonl: Any) -> None:
    """functionCall and functionResponse, by their ids; an answer that is no text is JSON."""
    call = {"functionCall": {"id": "c1", "name": "look", "args": {"someKey": 1}}}
    answer = {"functionResponse": {"id": "c1", "name": "look", "response": {"someKey": [1]}}}
    rows = [
        {"role": "user", "parts": [{"text": "Go."}]},
        {"role": "model", "parts": [call]},
        {"role": "function", "parts": [answer]},
        {"role": "nobody", "parts": []},
    ]
    (session,) = load(jsonl(*rows))
    reply, result = session.events[1:]
    assert isinstance(reply, Reply) and reply.calls[0].arguments == '{"someKey":1}'
    assert result == Result("c1", '{"someKey":[1]}', index=2)
    assert "nobody" in session.mended[0]


def test_a_result_that_failed(jsonl: Any) -> None:
    """Responses as `loom export` marks them; a result without an id is left out and told."""
    call = {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{ }"}
    answer = {"type": "function_call_output", "output": "a"}
    failed = {**answer, "call_id": "c1", "status": "error"}
    (session,) = load(jsonl({"role": "user", "content": "Go."}, call, failed, answer))
    assert [event.error for event in session.events if isinstance(event, Result)] == [True]
    assert "no `call_id`" in session.mended[0]


@all_cases(
    ("rows", "guess"),
    [
        ([{"text": "hello"}], ""),
        ([{"type": "session_meta", "payload": {}}], "a Codex rollout, but no line is a resp"),
        ([{"type": "summary", "leafUuid": "x"}], "a session of Claude Code"),
        ([{"needle": "x", "call": 3, "last_seen": 1}], "labels"),
    ],
)
def test_guess(rows: list[Any], guess: str) -> None:
    """A few marks are enough for a guess, and none give none."""
    told = shape_guess(rows)
    assert guess in told and bool(guess) == told.startswith("it looks like")


def test_compaction(jsonl: Any) -> None:
    """The mark of a compaction is no event, the summary stays a turn of the user."""
    path = jsonl(
        {"role": "user", "content": "go"},
        {"role": "system", "content": "compacted", "compact_boundary": {"preTokens": 9}},
        {"role": "user", "content": "So far: nothing.", "compact_summary": True},
        {"role": "system", "content": "later rules"},
    )
    [session] = load(path)
    words = (User("go", 0), User("So far: nothing.", 2), System("later rules", 3))
    assert session.events == words
    [found] = session.compactions
    assert (found.at, found.before, found.summary) == (1, 9, "So far: nothing.")
    assert session.mended == ()


BROKEN: list[dict[str, Any]] = [
    *({"role": role, "content": "x"} for role in ("wizard", ["user"], {"name": "user"}, "tool")),
    *({"role": "assistant", "tool_calls": calls} for calls in ("t", ["t"], [{"id": "t"}])),
    {"type": "note"},
]


@all_cases("broken", BROKEN)
def test_broken_message(jsonl: Any, broken: dict[str, Any]) -> None:
    """A message that cannot be read is left out and told by its number."""
    first, last = ({"role": "assistant", "content": text, "ctx_tokens": 5} for text in "ab")
    [session] = load(jsonl(first, broken, last))
    assert [event.index for event in session.events] == [0, 2]
    [note] = session.mended
    assert note.startswith("message 1: ") and note.endswith(": it was left out")


CALL = {"id": "c", "type": "function", "function": {"name": "a", "arguments": '{"x": 1}'}}
MESSAGES = [
    {"role": "system", "content": "rules"},
    {"role": "user", "content": [{"type": "text", "text": "go"}]},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
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


@all_cases(
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


OWN = {"agent": "main", "message_type": "x"}


def bash(id: str) -> dict[str, Any]:
    """A call as SWE-agent keeps it."""
    return {"id": id, "type": "function", "function": {"name": "bash", "arguments": "{}"}}


def written(history: list[dict[str, Any]]) -> dict[str, Any]:
    """A trajectory with that history."""
    stats = {"tokens_sent": 900, "tokens_received": 40}
    return {"trajectory": [], "history": history, "info": {"model_stats": stats}}


def test_tool_calls(document: Any) -> None:
    """Calls and observations by their ids; one observation of two calls answers both."""
    history = [
        {"role": "system", "content": "You mend.", **OWN},
        {"role": "user", "content": [{"type": "text", "text": "Mend it."}], **OWN},
        {"role": "assistant", "content": "Look.", "thought": "Look.", "action": "ls",
         "tool_calls": [bash("c1"), bash("c2")], **OWN},
        {"role": "tool", "content": "seen", "tool_call_ids": ["c1", "c2"], **OWN},
    ]  # fmt: skip
    [session] = load(document(written(history)))
    calls = (ToolCall("c1", "bash", "{}"), ToolCall("c2", "bash", "{}"))
    assert session.events == (
        System("You mend.", 0),
        User("Mend it.", 1),
        Reply((Speech("Look."), *calls), index=2),
        Result("c1", "seen", index=3),
        Result("c2", "[see the result of c1]", index=3),
    )
    assert session.usage == RecordedUsage(900, 0, 40)


def kinds(session: Session) -> str:
    """A letter for each event: system, user, reply, result."""
    letters = {System: "s", User: "u", Reply: "r", Result: "o"}
    return "".join(letters[type(event)] for event in session.events)


def test_openhands() -> None:
    """A folder of events of OpenHands' SDK 1.58 is one session, named by the folder above."""
    folder = SAMPLES / "openhands"
    assert find([folder]) == [folder / "events"]
    [session] = load(folder / "events")
    assert session.name == "openhands"
    assert kinds(session) == "suroro" + "ror"
    assert session.events[3] == Result("call_1", "0\n1\n2\n3", index=3)
