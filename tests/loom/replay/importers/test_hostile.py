"""Recorded files with anything anywhere: a session, or the importers' own error."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import loom
from loom.inputs import Event, Reasoning, Reply, Result, Speech, System, ToolCall
from loom.replay.feed import replay
from loom.replay.importers import BadSession, load
from loom_bench.sessions.generate import session

JsonRow = dict[str, Any]
EVENTS = session(5, 7).events


def chat(event: Event) -> JsonRow:
    """An event as a Chat Completions message."""
    if isinstance(event, Result):
        return {"role": "tool", "tool_call_id": event.call_id, "content": event.text}
    if not isinstance(event, Reply):
        return {"role": _role(event), "content": event.text}
    calls = [
        {"id": c.id, "type": "function", "function": {"name": c.name, "arguments": c.arguments}}
        for c in event.calls
    ]
    return {"role": "assistant", "content": _said(event), "tool_calls": calls or None}


def blocks(event: Event) -> JsonRow:
    """An event as an Anthropic message."""
    if isinstance(event, Result):
        result = {"type": "tool_result", "tool_use_id": event.call_id, "content": event.text}
        return {"role": "user", "content": [result]}
    if not isinstance(event, Reply):
        return {"role": _role(event), "content": event.text}
    return {"role": "assistant", "content": [_block(part) for part in event.parts]}


def plain(event: Event) -> JsonRow:
    """An event as a message of the normalised form."""
    if isinstance(event, Result):
        return {
            "role": "tool", "tool_call_id": event.call_id, "content": event.text,
            "is_error": event.error,
        }  # fmt: skip
    if not isinstance(event, Reply):
        return {"role": _role(event), "content": event.text}
    calls = [{"id": c.id, "name": c.name, "arguments": c.arguments} for c in event.calls]
    row = {"role": "assistant", "content": _said(event), "thinking": "hm", "ctx_tokens": 9}
    return {**row, "tool_calls": calls}


def wrapped(events: Iterable[Event]) -> Iterator[JsonRow]:
    """Events as Claude Code's lines, a line for each block."""
    yield {"type": "summary", "summary": "x", "leafUuid": "u"}
    for at, event in enumerate(events):
        message = blocks(event)
        content = message["content"] if isinstance(event, Reply) else [None]
        for number, block in enumerate(content):
            said = {**message, "content": [block], "id": f"m{at}"} if block else message
            yield {
                "type": message["role"], "uuid": f"u{at}.{number}", "parentUuid": None,
                "sessionId": "s", "isSidechain": False, "timestamp": "2025-01-01T00:00:00Z",
                "message": said,
            }  # fmt: skip


def _role(event: Event) -> str:
    return "system" if isinstance(event, System) else "user"


def _said(reply: Reply) -> str:
    return "\n".join(part.text for part in reply.parts if isinstance(part, Speech))


def _block(part: Speech | Reasoning | ToolCall) -> JsonRow:
    if isinstance(part, ToolCall):
        return {
            "type": "tool_use", "id": part.id, "name": part.name, "input": {"given": part.arguments}
        }  # fmt: skip
    kind = "text" if isinstance(part, Speech) else "thinking"
    return {"type": kind, kind: part.text}


SHAPES: dict[str, Callable[[], Any]] = {
    "openai": lambda: [chat(event) for event in EVENTS],
    "anthropic": lambda: [blocks(event) for event in EVENTS],
    "normalised": lambda: [plain(event) for event in EVENTS],
    "claude-code": lambda: [*wrapped(EVENTS)],
    "responses": lambda: [item for event in EVENTS for item in items(event)],
    "gemini": lambda: [contents(event) for event in EVENTS],
    "nested": lambda: [{"id": "a", "system": "s", "messages": [chat(e) for e in EVENTS]}] * 2,
}
WORDS = st.sampled_from(
    ["", "user", "assistant", "tool", "function", "system", "text", "tool_use", "tool_result",
     "thinking", "\x00", "\ud800", "c1"]
)  # fmt: skip
KEYS = st.sampled_from(
    ["type", "role", "content", "text", "id", "name", "function", "source", "input", "message",
     "choices", "tool_calls", "function_call", "arguments", "data", "image_url", "usage"]
)  # fmt: skip
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)
# Where (which of all places, as a share), what stands there then (None: the member is gone).
CHANGES = st.lists(
    st.tuples(st.floats(0, 1, exclude_max=True), st.none() | VALUES.map(lambda value: [value])),
    max_size=6,
)


def items(event: Event) -> list[JsonRow]:
    """An event as items of Responses."""
    if isinstance(event, Result):
        return [{"type": "function_call_output", "call_id": event.call_id, "output": event.text}]
    if not isinstance(event, Reply):
        return [{"role": _role(event), "content": event.text}]
    made: list[JsonRow] = [
        {"type": "function_call", "call_id": c.id, "name": c.name, "arguments": c.arguments}
        for c in event.calls
    ]
    return [{"role": "assistant", "content": _said(event) or "-"}, *made]


def contents(event: Event) -> JsonRow:
    """An event as a content of Gemini."""
    if isinstance(event, Result):
        answer = {"id": event.call_id, "name": "t", "response": {"output": event.text}}
        return {"role": "user", "parts": [{"functionResponse": answer}]}
    if not isinstance(event, Reply):
        return {"role": _role(event), "parts": [{"text": event.text}]}
    calls = [{"functionCall": {"id": c.id, "name": c.name, "args": {"a": 1}}} for c in event.calls]
    return {"role": "model", "parts": [{"text": _said(event) or "-"}, *calls]}


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every (container, key) of a JSON value."""
    members: Iterable[tuple[Any, Any]] = ()
    if isinstance(value, dict):
        members = list(value.items())
    elif isinstance(value, list):
        members = list(enumerate(value))
    for key, inner in members:
        yield value, key
        yield from places(inner)


def spoilt(rows: Any, changes: Iterable[tuple[float, list[Any] | None]]) -> Any:
    """The rows with values replaced and members left out."""
    rows = json.loads(json.dumps(rows))
    for share, value in changes:
        found = list(places(rows))
        if not found:
            break
        container, key = found[int(share * len(found))]
        if value is None:
            del container[key]
        else:
            container[key] = value[0]
    return rows


@pytest.mark.parametrize("shape", SHAPES)
@settings(max_examples=settings.default.max_examples // 2)
@given(CHANGES, st.booleans(), st.none() | st.floats(0, 1))
def test_a_session_or_a_typed_error(
    shape: str, changes: list[tuple[float, list[Any] | None]], lines: bool, end: float | None
) -> None:
    """Values replaced, members gone, bytes cut off: nothing else is raised, and what is read can be
    replayed."""
    rows = spoilt(SHAPES[shape](), changes)
    text = "".join(json.dumps(row) + "\n" for row in rows) if lines else json.dumps(rows)
    data = text.encode()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "s.jsonl"
        path.write_bytes(data if end is None else data[: int(end * len(data))])
        try:
            read = load(path)
        except BadSession:
            return
        for number, one in enumerate(read):
            where = Path(folder) / f"w{number}"
            with loom.open(
                where, window=64_000, policy=loom.Policy(own_tools=False), durable=False
            ) as ctx:
                assert list(replay(ctx, one))


def sample(name: str) -> list[Any]:
    """The values of a session that a real program wrote: its lines, its document, its events."""
    path = Path(__file__).parent / "samples" / name
    if path.is_dir():
        return [json.loads(each.read_bytes()) for each in sorted(path.iterdir())]
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in path.read_bytes().splitlines()]
    return [json.loads(path.read_bytes())]


@pytest.mark.parametrize(
    "name",
    [
        "codex.jsonl",
        "claude_code.jsonl",
        "openhands/events",
        "inspect.json",
        "mini_toolcall.traj.json",
        "mini_responses.traj.json",
        "langchain_dumpd.json",
        "langchain_to_dict.json",
    ],
)
@given(CHANGES)
def test_a_spoilt_sample(name: str, changes: list[tuple[float, list[Any] | None]]) -> None:
    """What real programs write, with values replaced and members gone, is read or refused."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "s.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in spoilt(sample(name), changes)))
        try:
            assert all(one.events for one in load(path))
        except BadSession as error:
            assert error.why


@pytest.mark.parametrize("shape", SHAPES)
def test_as_it_was_recorded(shape: str, tmp_path: Path) -> None:
    """Unspoilt, each shape is read with nothing left out, and all its calls."""
    path = tmp_path / "s.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in SHAPES[shape]()), "utf-8")
    for one in load(path):
        calls = [call for event in one.events if isinstance(event, Reply) for call in event.calls]
        assert len(calls) == sum(len(e.calls) for e in EVENTS if isinstance(e, Reply))
        assert not any("left out" in note for note in one.mended)
