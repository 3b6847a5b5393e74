"""Texts and messages of a report, each kept once however often it is shown."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256

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
from loom.report.data import BlockRow, MessageRow
from loom.report.placed import MessagePlace
from loom.text import printable

MOST = 2_000_000  # characters of one text; requests seldom have as many in all


class ReportTexts:
    """Texts by number. Of one that is too long its first `MOST` characters are kept."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.lengths: dict[int, int] = {}
        self._numbers: dict[bytes, int] = {}

    def add(self, text: str) -> int:
        """The number of a text, which is the same for the same text."""
        text = printable(text)
        key = sha256(text.encode()).digest()
        known = self._numbers.get(key)
        if known is not None:
            return known
        self._numbers[key] = number = len(self.texts)
        self.texts.append(text[:MOST])
        if len(text) > MOST:
            self.lengths[number] = len(text)
        return number


class ReportMessages:
    """Messages by number, and lists of tools by number; their texts are among `texts`."""

    def __init__(self, texts: ReportTexts) -> None:
        self.rows: list[MessageRow] = []
        self.tools: list[tuple[int, ...]] = []
        self.encoded: dict[int, bytes] = {}
        self._texts = texts
        self._numbers: dict[tuple[bytes, MessagePlace], int] = {}
        self._tools: dict[tuple[int, ...], int] = {}

    def add(self, message: Message, placed: MessagePlace) -> int:
        """The number of a message that stands where `placed` says."""
        data = json.encode(message)
        key = sha256(data).digest(), placed
        known = self._numbers.get(key)
        if known is not None:
            return known
        self._numbers[key] = number = len(self.rows)
        blocks = tuple(self._block(block) for block in message.blocks)
        partition, entry, tokens = placed
        self.rows.append(MessageRow(message.role, partition, entry, tokens, len(data), blocks))
        return number

    def toolset(self, documents: Iterable[str]) -> int:
        """The number of a list of tools."""
        made = tuple(self._texts.add(document) for document in documents)
        if made not in self._tools:
            self._tools[made] = len(self.tools)
            self.tools.append(made)
        return self._tools[made]

    def _block(self, block: Block) -> BlockRow:
        add = self._texts.add
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
