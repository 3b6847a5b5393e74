"""The work of collecting grows with what was sent, not with its square."""

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

from loom.providers.formats import collector_for
from tests.kit.cases import all_cases

Wire = dict[str, Any]
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


def stream(wrapped: Callable[[str], Wire], *before: Wire) -> Callable[[list[str]], Iterator[Wire]]:
    """Return what streams pieces, each wrapped, behind what begins."""
    return lambda pieces: chain(before, map(wrapped, pieces))


def called(**function: str) -> Wire:
    """Return a chunk of Chat with a piece of a call."""
    return {"choices": [{"delta": {"tool_calls": [{"index": 0, "function": function}]}}]}


def block(kind: str, **fields: Any) -> Wire:
    """Return an event of a block of Messages."""
    return {"type": f"content_block_{kind}", "index": 0, **fields}


def part(**fields: Any) -> Wire:
    """Return a chunk of Gemini with a part."""
    return {"candidates": [{"content": {"parts": [fields]}}]}


def argument(piece: str) -> Wire:
    """Return a chunk of Gemini with a piece of an argument."""
    value = {"json_path": "$.x", "string_value": piece}
    return part(function_call={"partial_args": [value], "will_continue": True})


def thought(piece: str) -> Wire:
    """Return a chunk of Chat with a piece of reasoning."""
    fragment = {"type": "reasoning.text", "index": 0, "text": piece}
    return {"choices": [{"delta": {"reasoning_details": [fragment]}}]}


USE = {"type": "tool_use", "id": "1", "name": "f", "input": {}}
STREAMS: dict[str, tuple[Callable[[list[str]], Iterator[Wire]], Callable[[Any], str]]] = {
    "a call of Chat": (
        stream(lambda piece: called(arguments=piece), called(name="f")),
        lambda r: r["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"],
    ),
    "reasoning of Chat": (
        stream(thought),
        lambda r: r["choices"][0]["message"]["reasoning_details"][0]["text"],
    ),
    "a call of Messages": (
        stream(
            lambda p: block("delta", delta={"type": "input_json_delta", "partial_json": p}),
            block("start", content_block=USE),
        ),
        lambda r: r["content"][0]["input"],
    ),
    "a text of Gemini": (
        stream(lambda piece: part(text=piece)),
        lambda r: r["candidates"][0]["content"]["parts"][0]["text"],
    ),
    "an argument of Gemini": (
        stream(argument, part(function_call={"name": "f", "will_continue": True})),
        lambda r: r["candidates"][0]["content"]["parts"][0]["function_call"]["args"]["x"],
    ),
}


@all_cases("name", STREAMS)
def test_nothing_copied(name: str) -> None:
    """A megabyte in many small pieces is joined once, never added to piece by piece."""
    begun, found = STREAMS[name]
    first, *rest = begun([Counted(PIECE)] * COUNT)
    collector = collector_for(first)
    Counted.copied = 0
    for chunk in (first, *rest):
        collector.take(chunk)
    assert found(collector.reply()) == PIECE * COUNT
    assert Counted.copied == 0
