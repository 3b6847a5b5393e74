"""Streams of Responses, beside what the library's own streams show."""

from collections.abc import Callable
from typing import Any

import pytest

from loom.providers.formats.stream import StreamFailed
from loom.providers.formats.stream.responses import ResponsesCollector
from tests.kit.cases import all_cases

Collect = Callable[[Any], dict[str, Any]]

CALL = {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}", "id": "fc"}
THOUGHT = {"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "x"}
RESPONSE = {"id": "r", "object": "response", "model": "m"}
CREATED = {"type": "response.created", "response": RESPONSE | {"output": []}}


def done(index: int | None, item: dict[str, Any]) -> dict[str, Any]:
    """Return the event of an item that is done."""
    number = {} if index is None else {"output_index": index}
    return {"type": "response.output_item.done", **number, "item": item}


def last(output: Any, kind: str = "completed") -> dict[str, Any]:
    """Return the last event of a stream."""
    response = RESPONSE | {"status": kind, "output": output}
    return {"type": f"response.{kind}", "response": response}


TABLE: list[tuple[str, list[dict[str, Any]], list[dict[str, Any]]]] = [
    ("the last event's output", [last([THOUGHT, CALL])], [THOUGHT, CALL]),
    ("over that of the items", [done(0, CALL), last([THOUGHT])], [THOUGHT]),
    ("items by their index", [done(1, CALL), done(0, THOUGHT), last([])], [THOUGHT, CALL]),
    ("items without one", [done(None, THOUGHT), done(None, CALL), last(None)], [THOUGHT, CALL]),
    (
        "an item that was only begun",
        [{"type": "response.output_item.added", "output_index": 0, "item": CALL}, last([])],
        [],
    ),
    (
        "deltas and unknown events",
        [
            {"type": "response.output_text.delta", "output_index": 0, "delta": "a"},
            {"type": "response.news", "item": CALL},
            done(0, CALL),
            last([]),
        ],
        [CALL],
    ),
    ("incomplete", [done(0, CALL), last([], "incomplete")], [CALL]),
]


@all_cases(("events", "output"), [row[1:] for row in TABLE])
def test_output(collect: Collect, events: list[Any], output: list[Any]) -> None:
    """The last event's response is the reply, with the items that were done if it has none."""
    status = events[-1]["type"].removeprefix("response.")
    assert collect([CREATED, *events]) == RESPONSE | {"status": status, "output": output}


def test_done() -> None:
    """Neither items nor events about progress make a reply complete; one that fails is none."""
    collector = ResponsesCollector()
    progress = {"type": "response.in_progress", "response": RESPONSE | {"output": [CALL]}}
    for event in (CREATED, progress, done(0, CALL)):
        collector.take(event)
        assert not collector.done
    assert collector.reply() == RESPONSE | {"output": [CALL]}
    collector.take(last([]))
    assert collector.done
    failed = ResponsesCollector()
    failed.take(done(0, CALL))
    error = {"code": "server_error", "message": "oops"}
    with pytest.raises(StreamFailed, match="oops"):
        failed.take({"type": "response.failed", "response": RESPONSE | {"error": error}})
    assert not failed.done
