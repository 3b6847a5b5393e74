"""The texts and messages of a report, each stored once however often it is shown."""

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
    """What is known of a message beside its text: its partition, the name of its entry, its tokens,
    its band (what it is, such as "user" or "reads")."""

    partition: str
    entry: str
    tokens: int
    band: str


def message_places(window: Window) -> Iterator[MessagePlace]:
    """Yield a `MessagePlace` for each message of the window's request, in order: the head, the
    texts with a message of their own, then entries and notices. Their tokens and those of the
    declared tools add up to the window's."""
    shown = window.behind_head
    texts = [MessagePlace(name, held.key, held.text.tokens, BANDS[name]) for name, held in shown]
    if has_system_message(window):
        rest = window.head_tokens - window.skill.tools.tokens - sum(one.tokens for one in texts)
        yield MessagePlace("system", "head", rest, "instructions")
    yield from texts
    yield from stream_places(window.history.stream, window.limits.run)


def stream_places(stream: Iterable[Item], run: int) -> Iterator[MessagePlace]:
    """Yield a `MessagePlace` for each message of entries and notices. Shortened entries next to
    each other share one message, which takes `run` tokens beside theirs."""
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
    """Yield a `MessagePlace` for each message of an item: for a step the reply and each result."""
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
    """Return the band of an entry's first message, such as "user" or "model"."""
    if not isinstance(item, UserTurn):
        return "model" if isinstance(item, Step) else "lines"
    ahead = "other" if item.call else "reads"
    return ahead if item.source else VOICES.get(item.voice, "other")


Row = TypeVar("Row")


class NumberedRows(Generic[Row]):
    """Rows in the order they were added. A row is found by its key, and stored once."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self._numbers: dict[Hashable, int] = {}

    def number(self, key: Hashable, made: Callable[[], Row]) -> int:
        """Return the number of the row with that key; for a new key add the row that `made()`
        returns."""
        if key not in self._numbers:
            row = made()
            self._numbers[key] = len(self.rows)
            self.rows.append(row)
        return self._numbers[key]


class ReportMessages:
    """The messages, texts and lists of tools of all agents of a report, by number.

    Of a text that is too long the first `MOST` characters are kept, and `lengths` has the number of
    its characters."""

    def __init__(self) -> None:
        self.messages: NumberedRows[MessageRow] = NumberedRows()
        self.texts: NumberedRows[str] = NumberedRows()
        self.tools: NumberedRows[tuple[int, ...]] = NumberedRows()
        self.lengths: dict[int, int] = {}

    def text(self, text: str) -> int:
        """Return the number of a text; a new text is added."""
        text = encodable(text)
        number = self.texts.number(sha256(text.encode()).digest(), lambda: text[:MOST])
        if len(text) > MOST:
            self.lengths[number] = len(text)
        return number

    def message(self, message: sent.Message, place: MessagePlace) -> int:
        """Return the number of a message with that place; a new one is added."""
        data = json.encode(message)

        def row() -> MessageRow:
            blocks = tuple(map(self._block_row, message.blocks))
            return MessageRow(message.role, *place, len(data), blocks)

        return self.messages.number((sha256(data).digest(), place), row)

    def toolset(self, documents: Iterable[str]) -> int:
        """Return the number of a list of tool declarations; a new one is added."""
        made = tuple(map(self.text, documents))
        return self.tools.number(made, lambda: made)

    def _block_row(self, block: sent.Block) -> BlockRow:
        """Return the row of a block; its text is added if it is new."""
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
