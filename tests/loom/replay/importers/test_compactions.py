"""The compactions that clients record of their own windows, whatever recorded them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from loom.inputs import ClientCompaction, Session, User
from loom.replay.importers import load

AT = "2026-03-04T13:30:00Z"
WHEN = 1_772_631_000_000


def said(role: str, text: str, **more: Any) -> dict[str, Any]:
    """A message as most recorders write it."""
    return {"role": role, "content": text, **more}


def recorded(tmp_path: Path, *rows: Any) -> Session:
    """The session that some lines are read as."""
    path = tmp_path / "session.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    return load(path)[0]


def claude(uuid: str, before: str, **fields: Any) -> dict[str, Any]:
    """A line of Claude Code's."""
    return {"uuid": uuid, "parentUuid": before, "timestamp": AT, "cwd": "/home/me/shop", **fields}


CLAUDE_CODE = (
    claude("1", "", type="user", message=said("user", "Go.")),
    claude("2", "1", type="assistant", message=said("assistant", [{"type": "text", "text": "Yes"}],
           id="m1", usage={"input_tokens": 5, "cache_read_input_tokens": 895})),
    claude("3", "2", type="system", subtype="compact_boundary",
           compactMetadata={"trigger": "auto", "preTokens": 1_000}),
    claude("a", "3", type="attachment", attachment={"type": "file", "content": {"text": "x = 1"}}),
    claude("4", "3", type="user", isCompactSummary=True, message=said("user", "It went.")),
    claude("5", "4", type="assistant", message=said("assistant", [{"type": "text", "text": "On."}],
           id="m2", usage={"input_tokens": 950})),
)  # fmt: skip


def pi(id: str, before: str | None, **fields: Any) -> dict[str, Any]:
    """A line of pi's."""
    return {"type": "message", "id": id, "parentId": before, "timestamp": AT, **fields}


ANSWER = [
    {"type": "thinking", "thinking": "Look."},
    {"type": "toolCall", "id": "c1", "name": "read", "arguments": {"path": "a.py"}},
]
PI = (
    {"type": "session", "version": 3, "id": "s", "timestamp": AT, "cwd": "/home/me/shop"},
    pi("1", None, message=said("user", "Go.")),
    pi("2", "1", message=said("assistant", ANSWER, model="gpt-5", usage={"input": 900})),
    pi("3", "2", message=said("toolResult", [{"type": "text", "text": "x = 1"}], toolCallId="c1")),
    pi("x", "3", message=said("user", "Not this way.")),
    pi("4", "3", type="compaction", summary="It went.", firstKeptEntryId="3", tokensBefore=1_000),
    pi(
        "5", "4", message=said("assistant", [{"type": "text", "text": "On."}], usage={"input": 950})
    ),
)
CODEX = tuple(
    {"timestamp": AT, **row}
    for row in (
        {"type": "session_meta", "payload": {"cwd": "/home/me/shop"}},
        {"type": "response_item", "payload": {"type": "message", **said("user", "Go.")}},
        {"type": "event_msg", "payload": {"type": "token_count", "info": {
            "last_token_usage": {"total_tokens": 1_000}}}},
        {"type": "compacted", "payload": {"message": "It went.", "replacement_history": [
            {"type": "message", **said("user", "Go.")}]}},
        {"type": "response_item", "payload": {"type": "message", **said("assistant", "On.")}},
    )
)  # fmt: skip
SUMMARY = said("user", "It went.", metadata={"summary": True}, id="m")
CALLED = said("assistant", "", tool_calls=[{"id": "c", "function": "bash", "arguments": {}}])
INSPECT = (
    {
        "epoch": 1, "target": "", "input": "Go.",
        "events": [{"event": "compaction", "tokens_before": 1_000, "tokens_after": 950}],
        "messages": [said("user", "Go."), CALLED, said("tool", "", tool_call_id="c"), SUMMARY],
    },
)  # fmt: skip
DEEP = (
    {
        "_summarization_event": {
            "cutoff_index": 1,
            "summary_message": {"type": "human", "data": {"content": "It went."}},
        },
        "messages": [
            {"type": "human", "data": {"content": "Go."}},
            {"type": "ai", "data": {"content": "On.", "usage_metadata": {"input_tokens": 950}}},
        ],
    },
)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (
            CLAUDE_CODE,
            ClientCompaction(
                2, 1_000, 950, trigger="auto", when=WHEN, front=900, kept=("file", "x = 1")
            ),
        ),
        (PI, ClientCompaction(3, 1_000, 950, when=WHEN, front=900, kept=("x = 1",))),
        (CODEX, ClientCompaction(1, 1_000, when=WHEN, kept=("Go.",))),
        (INSPECT, ClientCompaction(3, 1_000, 950)),
        (DEEP, ClientCompaction(1, after=950)),
    ],
    ids=["claude-code", "pi", "codex", "inspect", "deepagents"],
)
def test_each_client(tmp_path: Path, rows: tuple[Any, ...], expected: ClientCompaction) -> None:
    """When, from how many tokens to how many, what was written, and what stood on beside it."""
    session = recorded(tmp_path, *rows)
    [found] = session.compactions
    assert found.summary == "It went."
    assert (found.at, found.before, found.after) == (expected.at, expected.before, expected.after)
    assert (found.when, found.front, found.kept) == (expected.when, expected.front, expected.kept)
    assert found.trigger == expected.trigger


def test_a_session_of_pi(tmp_path: Path) -> None:
    """Of its tree the last branch, replies with their calls, the summary where it was written."""
    session = recorded(tmp_path, *PI)
    assert session.shape == "pi" and session.project == "/home/me/shop"
    assert session.usage is not None and session.usage.input == 1_850
    assert [type(one).__name__ for one in session.events] == [
        "User", "Reply", "Result", "User", "Reply",
    ]  # fmt: skip
    assert session.events[3] == User("It went.", 5, "summary")
    assert any("branches" in note for note in session.mended)
