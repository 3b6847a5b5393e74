"""A request as the texts that stand in it, in order, and what a judge says of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Protocol

from msgspec import Struct, field

from loom.inputs import Event
from loom.providers.render.message import Block, CallBlock, Message, ResultBlock, TextBlock
from loom_bench.truth.transcript import OLD, CallMade, arguments

MADE = ("system", "user")  # roles of text that is not the model's and not a tool's


class Piece(Struct, frozen=True):
    """One block of a request: `at` is the number of its message, `kind` text, call or result.

    The text of a call is the values of its arguments a line each, without an edit's old text.
    `before` are the arguments of the call that a result answers, or of the call itself.
    """

    at: int
    role: str
    kind: str
    text: str
    name: str = ""
    call_id: str = ""
    given: Mapping[str, Any] = {}


class ShownRequest:
    """The pieces of a request."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self.pieces: list[Piece] = []
        calls: dict[str, CallBlock] = {}
        for at, message in enumerate(messages):
            for block in message.blocks:
                if isinstance(block, CallBlock):
                    calls[block.id] = block
                self.pieces += _pieces(at, message.role, block, calls)

    @cached_property
    def made(self) -> list[Piece]:
        """The texts under the roles user and system."""
        return [one for one in self.pieces if one.role in MADE]


def _pieces(at: int, role: str, block: Block, calls: Mapping[str, CallBlock]) -> Iterator[Piece]:
    if isinstance(block, TextBlock):
        yield Piece(at, role, "text", block.text)
    elif isinstance(block, CallBlock):
        given = arguments(block.arguments)
        text = "\n".join(_values(given)) if given else block.arguments
        yield Piece(at, role, "call", text, block.name, block.id, given)
    elif isinstance(block, ResultBlock):
        asked = calls.get(block.call_id)
        given = arguments(asked.arguments) if asked is not None else {}
        yield Piece(at, role, "result", block.text, block.name, block.call_id, given)


def _values(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for inner in value:
            yield from _values(inner)
    elif isinstance(value, dict):
        for key, inner in value.items():
            if key not in OLD:
                yield from _values(inner)


class Ruling(Struct):
    """What a judge found in one request: sums by name, and each fault as (kind, text)."""

    sums: Counter[str] = field(default_factory=Counter)
    faults: list[tuple[str, str]] = field(default_factory=list)

    def fault(self, kind: str, text: str) -> None:
        """Count one fault and keep its text."""
        self.sums[kind] += 1
        self.faults.append((kind, text))


class TranscriptJudge(Protocol):
    """A judge that follows the transcript and rules on requests made from it."""

    def take(self, event: Event, made: CallMade | None) -> None:
        """Take in the next event, and the call it completes."""

    def rule(self, request: ShownRequest) -> Ruling:
        """Hold a request against the transcript so far."""
