"""Texts and messages of a report, each kept once however often it is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from typing import Generic, NamedTuple, TypeVar

from msgspec import json

from loom.providers.render.message import (
    Block,
    CallBlock,
    MediaBlock,
    Message,
    PartBlock,
    ResultBlock,
    TextBlock,
    ThoughtBlock,
)
from loom.providers.render.render import leads
from loom.report.data import BlockRow, MessageRow
from loom.text import printable
from loom_partitions.message import Digest, Item, Notice, Step, UserTurn, name_of
from loom_partitions.stream import is_lowered
from loom_partitions.window import Window


class MessagePlace(NamedTuple):
    """Where a message belongs: its partition, the name of what it shows, and its tokens."""

    partition: str
    entry: str
    tokens: int


def placed(window: Window) -> Iterator[MessagePlace]:
    """A place for each message of the window's request, in its order.

    Their tokens and those of the declared tools come to the window's.
    """
    yield from _head(window)
    yield from behind(window.history.stream, window.limits.run)


def _head(window: Window) -> Iterator[MessagePlace]:
    """The leading message, then each text in a message of its own."""
    behind = [(name, held.key, held.text.tokens) for name, held in window.behind_head]
    tools = window.skill.tools.tokens
    total = window.head_tokens - tools - sum(tokens for *_, tokens in behind)
    if leads(window):
        yield MessagePlace("system", "head", total)
    yield from (MessagePlace(*place) for place in behind)


def behind(stream: Iterable[Item], run: int) -> Iterator[MessagePlace]:
    """A place for each message of a stream; a `run` of lowered entries is one message, and takes
    so many tokens beside those of its entries."""
    names: list[str] = []
    tokens = 0
    for item in stream:
        if is_lowered(item) and not isinstance(item, Notice):
            tokens += item.tokens if names else item.tokens + run
            names.append(name_of(item))
            continue
        if names:
            yield _run(names, tokens)
            names, tokens = [], 0
        yield from _one(item)
    if names:
        yield _run(names, tokens)


def _run(names: list[str], tokens: int) -> MessagePlace:
    return MessagePlace(
        "history", names[0] if len(names) == 1 else f"{names[0]} … {names[-1]}", tokens
    )


def _one(item: Item) -> Iterator[MessagePlace]:
    """The message of an item; of a step its reply and each of its results."""
    if isinstance(item, Notice):
        yield MessagePlace(item.partition, "notice", item.tokens)
    elif isinstance(item, Step):
        results = [outcome.text.tokens for outcome in item.in_order]
        if results:
            results[-1] += sum(paged.text.tokens for paged in item.beside)
        yield MessagePlace("history", name_of(item), item.tokens - sum(results))
        for tokens in results:
            yield MessagePlace("history", name_of(item), tokens)
    elif isinstance(item, UserTurn | Digest):
        yield MessagePlace("history", name_of(item), item.tokens)


MOST = 2_000_000  # characters of one text; requests seldom have as many in all
Row = TypeVar("Row")


class Numbered(Generic[Row]):
    """Rows, each once, by number."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self._numbers: dict[object, int] = {}

    def number(self, key: object, made: Callable[[], Row]) -> int:
        """The number of the row that a key stands for, which is made when it is new."""
        if key not in self._numbers:
            row = made()
            self._numbers[key] = len(self.rows)
            self.rows.append(row)
        return self._numbers[key]


class ReportMessages:
    """Messages, their texts and lists of tools by number, for all agents of a report. Of a text
    that is too long its first `MOST` characters are kept; `lengths` has how long it is."""

    def __init__(self) -> None:
        self.messages: Numbered[MessageRow] = Numbered()
        self.texts: Numbered[str] = Numbered()
        self.tools: Numbered[tuple[int, ...]] = Numbered()
        self.lengths: dict[int, int] = {}

    def text(self, text: str) -> int:
        """The number of a text."""
        text = printable(text)
        number = self.texts.number(sha256(text.encode()).digest(), lambda: text[:MOST])
        if len(text) > MOST:
            self.lengths[number] = len(text)
        return number

    def message(self, message: Message, placed: MessagePlace) -> int:
        """The number of a message that stands where `placed` says."""
        data = json.encode(message)
        return self.messages.number(
            (sha256(data).digest(), placed),
            lambda: MessageRow(
                message.role, *placed, len(data), tuple(map(self._block, message.blocks))
            ),
        )

    def toolset(self, documents: Iterable[str]) -> int:
        """The number of a list of tools."""
        made = tuple(map(self.text, documents))
        return self.tools.number(made, lambda: made)

    def _block(self, block: Block) -> BlockRow:
        add = self.text
        match block:
            case TextBlock():
                return BlockRow("text", add(block.text), part=block.part)
            case CallBlock():
                return BlockRow("call", add(block.arguments), block.name, block.id)
            case ResultBlock():
                return BlockRow(
                    "result", add(block.text), block.name, block.call_id, error=block.error
                )
            case ThoughtBlock():
                return BlockRow("thought", add(block.opaque), block.format)
            case MediaBlock():
                return BlockRow("media", add(block.page), block.mime or block.format)
            case PartBlock():  # only while a request is being made
                return BlockRow("media", add(json.encode(block.part).decode()))
