"""The work of collecting grows with what was sent, not with its square."""

from collections.abc import Callable, Iterator
from typing import Any

from loom.providers.formats import collector_for
from tests.kit.cases import all_cases

COUNT = 20_000
PIECE = "0123456789" * 5


class Counted(str):
    """A text that counts the characters copied by adding to it."""

    copied = 0

    def __add__(self, other: str) -> str:
        return self._count(str.__add__(self, other))

    def __radd__(self, other: str) -> str:
        return self._count(str.__add__(str(other), str(self)))

    def _count(self, value: str) -> str:
        Counted.copied += len(value)
        return Counted(value)


def chat(pieces: list[str]) -> Iterator[object]:
    """Stream the pieces as a call's arguments."""
    head = {"id": "1", "function": {"name": "f"}}
    yield {"choices": [{"delta": {"tool_calls": [{"index": 0, **head}]}}]}
    for piece in pieces:
        delta = {"tool_calls": [{"index": 0, "function": {"arguments": piece}}]}
        yield {"choices": [{"delta": delta}]}


def anthropic(pieces: list[str]) -> Iterator[object]:
    """Stream the pieces as a call's input."""
    start = {"type": "tool_use", "id": "1", "name": "f", "input": {}}
    yield {"type": "content_block_start", "index": 0, "content_block": start}
    for piece in pieces:
        delta = {"type": "input_json_delta", "partial_json": piece}
        yield {"type": "content_block_delta", "index": 0, "delta": delta}


def gemini(pieces: list[str]) -> Iterator[object]:
    """Stream the pieces as text."""
    for piece in pieces:
        yield {"candidates": [{"content": {"parts": [{"text": piece}]}}]}


def argument(pieces: list[str]) -> Iterator[object]:
    """Stream the pieces as a streamed argument."""
    begun = {"name": "f", "will_continue": True}
    yield {"candidates": [{"content": {"parts": [{"function_call": begun}]}}]}
    for piece in pieces:
        value = {"json_path": "$.x", "string_value": piece}
        part = {"function_call": {"partial_args": [value], "will_continue": True}}
        yield {"candidates": [{"content": {"parts": [part]}}]}


def details(pieces: list[str]) -> Iterator[object]:
    """Stream the pieces as a block of reasoning."""
    for piece in pieces:
        fragment = {"type": "reasoning.text", "index": 0, "text": piece}
        yield {"choices": [{"delta": {"reasoning_details": [fragment]}}]}


FOUND: dict[Callable[[list[str]], Iterator[object]], Callable[[Any], str]] = {
    chat: lambda r: r["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"],
    anthropic: lambda r: r["content"][0]["input"],
    gemini: lambda r: r["candidates"][0]["content"]["parts"][0]["text"],
    argument: lambda r: r["candidates"][0]["content"]["parts"][0]["function_call"]["args"]["x"],
    details: lambda r: r["choices"][0]["message"]["reasoning_details"][0]["text"],
}


@all_cases("stream", FOUND)
def test_nothing_copied(stream: Callable[[list[str]], Iterator[object]]) -> None:
    """A megabyte in many small pieces is joined once, never added to piece by piece."""
    chunks = stream([Counted(PIECE)] * COUNT)
    first = next(chunks)
    collector = collector_for(first)
    Counted.copied = 0
    collector.take(first)
    for chunk in chunks:
        collector.take(chunk)
    assert FOUND[stream](collector.reply()) == PIECE * COUNT
    assert Counted.copied == 0
