"""What a request shows, as lines without what a tool or a window puts before them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any, Protocol

from msgspec import Struct, field

from loom.inputs import Event
from loom.providers.render.message import Block, CallBlock, Message, ResultBlock, TextBlock
from loom_bench.sessions.needle import arguments
from loom_bench.truth.transcript import OLD, CallMade

NUMBER = re.compile(r"^\s*\d{1,6}(?:→|\t|:|\|)\s?")  # what file tools and `grep -n` write
QUOTE = re.compile(r"^\s*(?:[>|]\s)+|^\s*[>|]$")
BULLET = re.compile(r"^(?:[-*•]|\d{1,3}[.)])\s+")
TAGGED = re.compile(r"<([A-Za-z][\w-]*)(?:\s[^<>]*)?>.*?</\1>", re.DOTALL)
REMINDER = re.compile(r"<(system-[\w-]+)>.*?</\1>", re.DOTALL)
SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[\"'`(*\[]*[A-Z0-9])")
CODE = 5  # word characters of a line of code that says something: brackets alone do not


def bare(line: str) -> str:
    """A line without quote sign, line number and indentation, each blank a single one."""
    line = NUMBER.sub("", QUOTE.sub("", line), count=1)
    return " ".join(line.split())


@lru_cache(maxsize=8192)
def bare_lines(text: str) -> tuple[str, ...]:
    """Every line of a text, bare; "" for an empty one."""
    return tuple(map(bare, unreminded(text).splitlines()))


@lru_cache(maxsize=8192)
def significant(text: str) -> tuple[str, ...]:
    """The bare lines of a text that are more than brackets and blanks."""
    return tuple(line for line in bare_lines(text) if len(re.findall(r"\w", line)) >= CODE)


def unreminded(text: str) -> str:
    """A text without the reminders a client puts into tool results."""
    return REMINDER.sub("", text) if "<system-" in text else text


def untagged(text: str) -> str:
    """A text without blocks in tags: what a client puts beside the words of its user."""
    return TAGGED.sub("", text)


def sentences(line: str) -> Iterator[str]:
    """A bare line without its bullet, sentence by sentence."""
    for one in SENTENCE.split(BULLET.sub("", line)):
        if one:
            yield one


def words(text: str) -> int:
    """How many words a text has: what stands between blanks and has a letter, so a path is one."""
    return sum(any(map(str.isalpha, word)) for word in text.split())


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
