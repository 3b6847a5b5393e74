"""Recorded sessions, when they lie beside the repository."""

import json
from pathlib import Path

import pytest

from loom.inputs import Event, Reasoning, Reply, Result, Session, Speech, System, ToolCall, User
from loom.providers.formats import FORMATS
from loom.providers.formats.laws import broken
from loom.providers.render.message import (
    Block,
    CallBlock,
    Message,
    ResultBlock,
    TextBlock,
    ThoughtBlock,
)
from loom.replay.importers import find, load

DATA = Path(__file__).parents[5] / "shared" / "data"

pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not DATA.is_dir(), reason="no recorded sessions beside the repository"),
]


def assert_lawful(session: Session) -> None:
    """Assert that each reply is directly followed by exactly one result for each call."""
    waiting: set[str] = set()
    for event in session.events:
        if isinstance(event, Result):
            assert event.call_id in waiting, session.name
            waiting.remove(event.call_id)
            continue
        assert not waiting, session.name
        if isinstance(event, Reply):
            assert event.parts, session.name
            waiting = {call.id for call in event.calls}
            assert len(waiting) == len(event.calls), session.name
    assert not waiting, session.name


def replies(events: tuple[Event, ...]) -> list[Reply]:
    """Return the replies among events."""
    return [event for event in events if isinstance(event, Reply)]


def test_agent_sessions() -> None:
    """All sessions load in lawful order, with the counts their manifest gives."""
    counts = {
        entry["id"]: entry
        for entry in json.loads((DATA / "agent-sessions/manifest.json").read_bytes())
    }
    paths = find([DATA / "agent-sessions"])
    assert len(paths) == len(counts) == 46
    for path in paths:
        [session] = load(path)
        assert_lawful(session)
        entry = counts[session.name]
        recorded = [event for event in session.events if event.index >= 0]
        calls = [call for reply in replies(session.events) for call in reply.calls]
        assert len(calls) == entry["tool_calls"]
        assert sum(isinstance(event, Result) for event in recorded) == entry["tool_results"]
        assert sum(isinstance(event, User) for event in recorded) == entry["user"]
        assert max(reply.prompt_tokens for reply in replies(session.events)) == entry["max_ctx"]
        made = sum(isinstance(event, Result) and event.index < 0 for event in session.events)
        assert made == entry["unanswered_calls"]


def test_claude_code_raw() -> None:
    """Raw files give the calls and results of the same session in normalised form."""
    paths = find([DATA / "claude-code-raw"])
    assert len(paths) == 3
    for path in paths:
        [raw] = load(path)
        assert_lawful(raw)
        [twin] = find((DATA / "agent-sessions/claude-code").glob(f"{path.stem}*[0-9a-f].jsonl"))
        [normalised] = load(twin)
        for kind in (Result, User):
            assert sum(isinstance(event, kind) for event in raw.events) == sum(
                isinstance(event, kind) for event in normalised.events
            )
        assert [len(reply.calls) for reply in replies(raw.events)] == [
            len(reply.calls) for reply in replies(normalised.events)
        ]
        assert [reply.prompt_tokens for reply in replies(raw.events)] == [
            reply.prompt_tokens for reply in replies(normalised.events)
        ]


@pytest.mark.parametrize("pattern", ["tau-bench/*.json", "bfcl/replay_*.jsonl"])
def test_many_in_one_file(pattern: str) -> None:
    """A file of 200 runs gives 200 sessions in lawful order that needed no mending."""
    [path] = DATA.glob(pattern)
    sessions = load(path)
    assert len({session.name for session in sessions}) == 200
    for session in sessions:
        assert_lawful(session)
        assert session.mended == ()
    assert any(isinstance(event, Result) for session in sessions for event in session.events)


def message(event: Event) -> Message:
    """Return an event as the message it is shown as at full detail."""
    match event:
        case System(text):
            return Message("system", (TextBlock(text),))
        case User(text):
            return Message("user", (TextBlock(text),))
        case Result(call_id, text, error):
            return Message("tool", (ResultBlock(call_id, "", text, error),))
        case Reply(parts):
            return Message("assistant", tuple(map(block, parts)))


def block(part: Speech | Reasoning | ToolCall) -> Block:
    """Return a part of a reply as the block it is shown as."""
    match part:
        case Speech(text):
            return TextBlock(text)
        case Reasoning(_, opaque, format):
            return ThoughtBlock(opaque, format)
        case ToolCall(id, name, arguments):
            return CallBlock(id, name, arguments)


def test_requests() -> None:
    """Every session becomes requests both providers take, and its replies read as they were."""
    for path in find([DATA / "agent-sessions", DATA / "claude-code-raw"]):
        [session] = load(path)
        messages = [message(event) for event in session.events]
        for name in ("openai", "anthropic"):
            encoder = FORMATS[name].encoder()
            encoder.extend(messages)
            assert broken(name, {**encoder.request(), "max_tokens": 1}) == [], (path, name)
            calls = [
                call
                for wire in encoder.messages
                if wire["role"] == "assistant"
                for call in FORMATS[name].decode(wire).calls
            ]
            assert calls == [call for reply in replies(session.events) for call in reply.calls]
