"""Recorded files with anything anywhere: a session, or the importers' own error."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import loom
from loom.errors import BadSession
from loom.inputs import Reply
from loom.replay.feed import replay
from loom.replay.importers import load
from tests.kit.cases import all_cases
from tests.kit.hosts import FORMATS, Called, Replied, Resulted, Told, User, wire
from tests.kit.spoilt import CHANGES, NESTED, Change, spoilt

JsonRow = dict[str, Any]
CALLS = [Called(f"c{number}", ("bash", "read")[number % 2], f"w{number}") for number in range(6)]
SESSION: list[Told] = [
    User(("Look.", "Look well."), image=True),
    Replied("I look.", tuple(CALLS[:2])),
    *(Resulted(one, "a\nb") for one in CALLS[:2]),
    Replied("Done."),
    User(("Go on.",)),
    *(told for one in CALLS[2:] for told in (Replied("On.", (one,)), Resulted(one, "c\n" * 90))),
]


def plain(message: JsonRow) -> JsonRow:
    """A message of Chat Completions in the normalised form."""
    calls = [{"id": one["id"], **one["function"]} for one in message.get("tool_calls", ())]
    return {**message, "thinking": "hm", "ctx_tokens": 9, "tool_calls": calls}


def wrapped() -> Iterator[JsonRow]:
    """Claude Code's lines, a line for each block of a reply."""
    yield {"type": "summary", "summary": "x", "leafUuid": "u"}
    for at, message in enumerate(wire("anthropic", SESSION)):
        content = message["content"] if message["role"] == "assistant" else [None]
        for number, block in enumerate(content):
            said = {**message, "content": [block], "id": f"m{at}"} if block else message
            yield {
                "type": message["role"], "uuid": f"u{at}.{number}", "parentUuid": None,
                "sessionId": "s", "isSidechain": False, "timestamp": "2025-01-01T00:00:00Z",
                "message": said,
            }  # fmt: skip


CHAT = wire("openai", SESSION)
SHAPES: dict[str, list[Any]] = {
    **{format: wire(format, SESSION) for format in FORMATS},
    "normalised": [plain(message) for message in CHAT],
    "claude-code": [*wrapped()],
    "nested": [{"id": "a", "system": "s", "messages": CHAT}] * 2,
}


# Depth is a case of its own, which test_detect has: nothing here could write it.
ANYTHING = CHANGES.map(lambda made: [one for one in made if one[1] != NESTED])


def written(value: Any) -> str:
    """A value as JSON, bytes as their digits."""
    return json.dumps(value, default=bytes.hex)


SAMPLES = Path(__file__).parent / "samples"
WRITTEN = (
    *("codex.jsonl", "claude_code.jsonl", "openhands/events", "inspect.json"),
    *("mini_toolcall.traj.json", "mini_responses.traj.json"),
    *("langchain_dumpd.json", "langchain_to_dict.json"),
)


def recorded(shape: str) -> list[Any]:
    """The rows of a shape, or of what a real program wrote."""
    if shape in SHAPES:
        return SHAPES[shape]
    path = SAMPLES / shape
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    texts = [text for file in files for text in (
        file.read_bytes().splitlines() if file.suffix == ".jsonl" else [file.read_bytes()]
    )]  # fmt: skip
    return [json.loads(text) for text in texts]


@pytest.mark.parametrize("shape", [*SHAPES, *WRITTEN])
@settings(max_examples=settings.default.max_examples // 2)
@given(ANYTHING, st.booleans(), st.none() | st.floats(0, 1))
def test_a_session_or_a_typed_error(
    shape: str, changes: list[Change], lines: bool, end: float | None
) -> None:
    """Values replaced, members gone, bytes cut off: nothing else is raised, and what is read can be
    replayed."""
    rows = spoilt(recorded(shape), changes)
    whole = not (lines and isinstance(rows, list))
    text = written(rows) if whole else "".join(f"{written(row)}\n" for row in rows)
    data = text.encode()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "s.jsonl"
        path.write_bytes(data if end is None else data[: int(end * len(data))])
        try:
            read = load(path)
        except BadSession as error:
            assert error.why
            return
        for number, one in enumerate(read):
            assert one.events
            where = Path(folder) / f"w{number}"
            policy = loom.Policy(own_tools=False)
            with loom.open(where, window=64_000, policy=policy, durable=False) as ctx:
                assert list(replay(ctx, one))


@all_cases("shape", SHAPES)
def test_as_it_was_recorded(shape: str, tmp_path: Path) -> None:
    """Unspoilt, each shape is read with nothing left out, and all its calls."""
    path = tmp_path / "s.jsonl"
    path.write_text("".join(f"{written(row)}\n" for row in SHAPES[shape]), "utf-8")
    for one in load(path):
        calls = [call for event in one.events if isinstance(event, Reply) for call in event.calls]
        assert len(calls) == len(CALLS)
        assert not any("left out" in note for note in one.mended)
