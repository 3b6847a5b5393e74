"""Stores each text and message of a report once and gives it a number."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from hashlib import sha256
from itertools import groupby
from typing import Generic, NamedTuple, TypeVar

from msgspec import json

from loom.providers.render import message as sent
from loom.providers.render.render import has_system_message
from loom.reduce.arguments import json_object
from loom.reduce.rule import canonical_tool_of_call
from loom.replay.lost.bands import OF_TOOL
from loom.report.data import BlockRow, MessageRow
from loom.text import encodable
from loom_partitions.message import Digest, Item, Notice, Step, UserTurn, name_of
from loom_partitions.stream import is_lowered
from loom_partitions.window import Window

MOST = 2_000_000  # characters of one text; requests seldom have as many in all
# What a message is: by its partition, by the family of a tool, by whose words they are.
BANDS = {"system": "instructions", "memory": "notes", "skill": "skills", "working": "working"}
FAMILIES = {**OF_TOOL, "page_in": "reads", "recall": "reads"}
VOICES = {
    "": "user", "summary": "lines", "document": "reads", "skill": "skills",
    "instructions": "instructions",
}  # fmt: skip


class MessagePlace(NamedTuple):
    """What a report says about a message beside its text: its partition, the name of its entry, its
    tokens, and its band (kind of content, such as "user" or "reads")."""

    partition: str
    entry: str
    tokens: int
    band: str


def message_places(window: Window) -> Iterator[MessagePlace]:
    """Yield a `MessagePlace` for each message of the window's request, in order. The tokens of all
    messages and of the declared tools add up to the window's tokens."""
    shown = window.behind_head
    texts = [MessagePlace(name, held.key, held.text.tokens, BANDS[name]) for name, held in shown]
    if has_system_message(window):
        rest = window.head_tokens - window.skill.tools.tokens - sum(one.tokens for one in texts)
        yield MessagePlace("system", "head", rest, "instructions")
    yield from texts
    yield from stream_places(window.history.stream, window.limits.run)


def stream_places(stream: Iterable[Item], run: int) -> Iterator[MessagePlace]:
    """Yield a `MessagePlace` for each message of the history's items. Neighbouring entries that are
    shortened to lines share one message, which takes `run` tokens more than the lines."""
    for lowered, group in groupby(
        stream, lambda item: is_lowered(item) and not isinstance(item, Notice)
    ):
        items = [*group]
        if lowered:
            names = [name_of(item) for item in items if not isinstance(item, Notice)]
            ends = dict.fromkeys((names[0], names[-1]))
            tokens = run + sum(item.tokens for item in items)
            yield MessagePlace("history", " … ".join(ends), tokens, "lines")
        for item in () if lowered else items:
            yield from _item_places(item)


def _item_places(item: Item) -> Iterator[MessagePlace]:
    """Yield a `MessagePlace` for each message of an item. A step has one for the reply and one for
    each result."""
    if isinstance(item, Notice):
        yield MessagePlace(item.partition, "notice", item.tokens, BANDS[item.partition])
        return
    results: list[int] = []
    bands = [_first_band(item)]
    if isinstance(item, Step):
        results = [outcome.text.tokens for outcome in item.in_order]
        if results:
            results[-1] += sum(paged.text.tokens for paged in item.beside)
        tools = {
            call.id: canonical_tool_of_call(call.name, json_object(call.arguments))
            for call in item.calls
        }
        bands += [FAMILIES.get(tools[one.call_id], "other") for one in item.in_order]
    for tokens, band in zip((item.tokens - sum(results), *results), bands, strict=True):
        yield MessagePlace("history", name_of(item), tokens, band)


def _first_band(item: UserTurn | Step | Digest) -> str:
    """Return the band (kind of content) of an entry's first message, such as "user" or "model"."""
    if not isinstance(item, UserTurn):
        return "model" if isinstance(item, Step) else "lines"
    ahead = "other" if item.call else "reads"
    return ahead if item.source else VOICES.get(item.voice, "other")


Row = TypeVar("Row")


class NumberedRows(Generic[Row]):
    """A list of rows, each stored once under its key."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self._numbers: dict[Hashable, int] = {}

    def number(self, key: Hashable, made: Callable[[], Row]) -> int:
        """Return the index of the row with this key. Add the row that `made` returns if the key is
        new."""
        if key not in self._numbers:
            row = made()
            self._numbers[key] = len(self.rows)
            self.rows.append(row)
        return self._numbers[key]


class ReportMessages:
    """The numbered messages, texts and tool lists of all agents of a report, without repeats. A
    text is stored up to `MOST` characters; `lengths` maps a longer text's number to its full
    length."""

    def __init__(self) -> None:
        self.messages: NumberedRows[MessageRow] = NumberedRows()
        self.texts: NumberedRows[str] = NumberedRows()
        self.tools: NumberedRows[tuple[int, ...]] = NumberedRows()
        self.lengths: dict[int, int] = {}

    def text(self, text: str) -> int:
        """Return the number of a text. Add the text if it is new."""
        text = encodable(text)
        number = self.texts.number(sha256(text.encode()).digest(), lambda: text[:MOST])
        if len(text) > MOST:
            self.lengths[number] = len(text)
        return number

    def message(self, message: sent.Message, place: MessagePlace) -> int:
        """Return the number of a message at a place. Add the message if it is new."""
        data = json.encode(message)

        def row() -> MessageRow:
            blocks = tuple(map(self._block_row, message.blocks))
            return MessageRow(message.role, *place, len(data), blocks)

        return self.messages.number((sha256(data).digest(), place), row)

    def toolset(self, documents: Iterable[str]) -> int:
        """Return the number of a list of tool declarations (JSON texts). Add a new list."""
        made = tuple(map(self.text, documents))
        return self.tools.number(made, lambda: made)

    def _block_row(self, block: sent.Block) -> BlockRow:
        """Return a block of a message as a row. Add the block's text if it is new."""
        add = self.text
        match block:
            case sent.TextBlock():
                return BlockRow("text", add(block.text), part=block.part)
            case sent.CallBlock():
                return BlockRow("call", add(block.arguments), block.name, block.id)
            case sent.ResultBlock():
                text = add(block.text)
                return BlockRow("result", text, block.name, block.call_id, error=block.error)
            case sent.ThoughtBlock():
                return BlockRow("thought", add(block.opaque), block.format)
            case sent.MediaBlock():
                return BlockRow("media", add(block.page), block.mime or block.format)
            case sent.PartBlock():  # only while a request is being made
                return BlockRow("media", add(json.encode(block.part).decode()))
