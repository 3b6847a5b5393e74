"""Streams of Messages, beside what the library's own streams show."""

from collections.abc import Callable
from typing import Any

from loom.providers.formats import decode
from tests.kit.cases import all_cases

Collect = Callable[[Any], dict[str, Any]]

START = {
    "type": "message_start",
    "message": {"id": "m", "type": "message", "role": "assistant", "model": "c", "content": []},
}
STOP = {"type": "message_stop"}


def block(index: int, start: dict[str, Any], *deltas: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the events of one block."""
    return [
        {"type": "content_block_start", "index": index, "content_block": start},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def partial(*pieces: str) -> list[dict[str, Any]]:
    """Return the deltas of a call's input."""
    return [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]


USE = {"type": "tool_use", "id": "t", "name": "f", "input": {}}
TEXT = {"type": "text", "text": ""}
CITED = {"type": "char_location", "cited_text": "x", "document_index": 0}
TABLE: list[tuple[str, list[dict[str, Any]], list[dict[str, Any]]]] = [
    ("unknown events", [{"type": "news", "index": 0, "delta": {"type": "text_delta"}}], []),
    ("a delta of no block", block(0, TEXT, {"type": "text_delta", "text": "a"})[1:], []),
    ("unknown deltas", block(0, TEXT, {"type": "mood_delta", "mood": "up"}), [TEXT]),
    (
        "citations",
        block(
            0,
            TEXT,
            {"type": "text_delta", "text": "a"},
            {"type": "citations_delta", "citation": CITED},
        ),
        [TEXT | {"text": "a", "citations": [CITED]}],
    ),
    ("an empty object", block(0, USE | {"input": {"x": 1}}, *partial("{", "}")), [USE]),
    ("input cut off", block(0, USE, *partial('{"a": "b')), [USE | {"input": '{"a": "b'}]),
    ("input that is no object", block(0, USE, *partial("[1", "]")), [USE | {"input": "[1]"}]),
    (
        "a result of the server's tools",
        block(0, {"type": "web_search_tool_result", "tool_use_id": "s", "content": []}),
        [{"type": "web_search_tool_result", "tool_use_id": "s", "content": []}],
    ),
    (
        "a compaction",
        block(0, {"type": "compaction"}, {"type": "compaction_delta", "content": "so far"}),
        [{"type": "compaction", "content": "so far"}],
    ),
    (
        "events a helper derives",
        [
            *block(0, TEXT, {"type": "text_delta", "text": "a"})[:2],
            {"type": "text", "text": "a", "snapshot": "a"},
            {"type": "content_block_stop", "index": 0, "content_block": TEXT | {"text": "a"}},
            {"type": "input_json", "partial_json": "{", "snapshot": {}},
            {"type": "message_stop", "message": {"content": [TEXT | {"text": "a"}]}},
        ],
        [TEXT | {"text": "a"}],
    ),
]


@all_cases(("events", "content"), [row[1:] for row in TABLE])
def test_blocks(collect: Collect, events: list[Any], content: list[Any]) -> None:
    """A block is what it started as and what its deltas add."""
    reply = collect([START, *events, STOP])
    assert reply == {**START["message"], "content": content}
    decode(reply)
