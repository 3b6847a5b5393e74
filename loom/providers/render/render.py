"""The window as messages. Nothing here does I/O: page texts come from a function `read`.

Between cuts messages are only added: `Rendering.update` renders what is new and leaves all earlier
messages unchanged. After a cut all messages are rendered again. A sha256 over the messages
identifies a request."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import NamedTuple, Protocol

from msgspec import json

from loom.providers.render import quotes
from loom.providers.render.message import (
    Block,
    CallBlock,
    MediaBlock,
    Message,
    OwnResultBlock,
    OwnTextBlock,
    ResultBlock,
    TextBlock,
    ThoughtBlock,
)
from loom.providers.render.neutral import neutral
from loom.providers.render.standin import StandIn
from loom.providers.render.wording import BLANK, head_section, mark_explanation, run_heading
from loom.text import encodable, provider_tool_name
from loom_partitions.message import Call, Digest, Item, Notice, Said, Step, Text, Thought, UserTurn
from loom_partitions.sent import WindowCounters
from loom_partitions.stream import is_lowered
from loom_partitions.window import Window

LEAST = 64  # tokens that any image takes: those of what stands for one
QUOTED = 3  # bytes of a line's end and what quotes the next

PAGE_IN = "page_in"  # the tool


class ReadPageText(Protocol):
    """A function that returns the text of a page by its name."""

    def __call__(self, page: str, /) -> str:
        """Return the text of a page, or a StandIn, which says why the page cannot be read."""

    def lost(self, page: str, /) -> StandIn | None:
        """Return the StandIn for a page that cannot be read; None if it can be read."""


class MessagePositions:
    """How many whole messages of a request come before each item of history."""

    def __init__(self, head: int = 0) -> None:
        """`head` is the number of messages before the first item of history."""
        self._before = array("q")
        self._count = head
        self._lowered = False  # the last item is one of a run, which is one message

    def add(self, items: Iterable[Item]) -> None:
        """Count the messages of more items of history."""
        for item in items:
            now = is_lowered(item)
            goes_on = self._lowered and now
            # A run that goes on behind an item is no whole message there: it will differ.
            self._before.append(self._count - goes_on)
            if not goes_on:
                self._count += 1 + (len(item.outcomes) if not now and isinstance(item, Step) else 0)
            self._lowered = now

    def marks(self, sent: WindowCounters) -> tuple[int, ...]:
        """Return numbers of leading messages after which a cache mark may be set, ascending."""
        places = {self._messages_before(items) for items in (sent.stable, sent.known) if items > 0}
        return tuple(sorted(places))

    def _messages_before(self, items: int) -> int:
        return self._before[items] if items < len(self._before) else self._count


class Rendering:
    """The messages of a window's requests, kept up to date turn by turn."""

    def __init__(self, version: int = 0) -> None:
        self.messages: list[Message] = []
        self.tools: list[str] = []
        self.version = version  # rises when earlier messages changed: a new prefix
        self.encoded = 0  # bytes encoded so far: counted work
        self._digest = hashlib.sha256()
        self.positions = MessagePositions()
        self._cuts = -1
        self._items = 0

    def update(self, window: Window, read: ReadPageText) -> None:
        """Add messages for the window's new items, or render all messages again after a cut."""
        fresh: Iterable[Item]
        if window.sent.cuts != self._cuts:
            self.messages, self._digest = [], hashlib.sha256()
            self.tools = [render_text(held.text, read) for held in window.skill.tools.shown]
            self.version += 1
            self._digest.update(json.encode(self.tools))
            fresh = window.history.stream
            self._append_messages(head_messages(window, read))
            self.positions = MessagePositions(len(self.messages))
        else:
            fresh = last_items(window.history.stream, len(window.history.stream) - self._items)
        self._append_messages(stream_messages(fresh, read, window.config.mark))
        self.positions.add(fresh)
        self._cuts = window.sent.cuts
        self._items = len(window.history.stream)

    def _append_messages(self, new: Iterable[Message]) -> None:
        for message in new:
            data = json.encode(message)
            self.encoded += len(data)
            self._digest.update(data)
            self.messages.append(message)

    def holds(self, window: Window) -> bool:
        """Tell whether no cut came since the last `update`: the messages still fit the window."""
        return window.sent.cuts == self._cuts

    @property
    def sha256(self) -> str:
        """The sha256 of all that was rendered, in hex."""
        return self._digest.hexdigest()


class RenderedRequest(NamedTuple):
    """A request's content. `tools` are JSON texts; `messages` are rendered on iteration."""

    tools: list[str]
    messages: Iterable[Message]


def render_request(window: Window, read: ReadPageText, items: int | None = None) -> RenderedRequest:
    """Return a window's request, with only the first `items` items of history if that is given."""
    tools = [render_text(held.text, read) for held in window.skill.tools.shown]
    stream = islice(window.history.stream, items)
    return RenderedRequest(
        tools, chain(head_messages(window, read), stream_messages(stream, read, window.config.mark))
    )


def last_items(items: Iterable[Item], count: int) -> list[Item]:
    """Return the last `count` items, in order."""
    # Only the last items may be visited.
    back = reversed(items)  # type: ignore[call-overload]
    return [next(back) for _ in range(count)][::-1]


def render_text(text: Text, read: Callable[[str], str], beside: int = 0, mark: str = "") -> str:
    """Return a text as the window shows it: its body, or the text of its page, or a line that says
    why the page cannot be read. `beside` is the number of tokens in the text's heading. `mark` is
    removed from text that others wrote."""
    if text.body is not None:
        return text.body if text.marked else neutral(text.body, mark)
    found = read(text.page)
    if isinstance(found, StandIn):
        return found.within(text.tokens - beside)
    return neutral(encodable(found), mark)


def head_messages(window: Window, read: ReadPageText) -> Iterator[Message]:
    """Yield the messages before history: the system message, then a user message for each text that
    ranks below it, such as a project file found while working."""
    blocks: list[Block] = []
    for partition, shelf in window.head:
        for held in shelf.shown:
            if not held.behind:
                beside = len(head_section(partition, held.key, "").encode())
                text = head_section(partition, held.key, render_text(held.text, read, beside))
                blocks.append(TextBlock(text, partition))
    config = window.config
    # The session's own text comes last: sessions share the cached prefix before it.
    told = mark_explanation(config.mark, config.ways, config.files)
    blocks += [TextBlock(told)] if head_explains_mark(window) else []
    if blocks:
        yield Message("system", tuple(blocks))
    for partition, held in window.behind_head:
        beside = len(quotes.text_behind_head(partition, held, "", config.mark).encode()) + QUOTED
        text = render_text(held.text, read, beside, config.mark)
        said = quotes.text_behind_head(partition, held, text, config.mark)
        yield Message("user", (TextBlock(said),))


def has_page_in_tool(window: Window) -> bool:
    """Tell whether the model has the tool `page_in`."""
    return any(held.key == PAGE_IN for held in window.skill.tools.current)


def head_explains_mark(window: Window) -> bool:
    """Tell whether the system message explains the session's mark (in an opened workspace)."""
    return window.limits.head > 0


def has_system_message(window: Window) -> bool:
    """Tell whether a window's requests have a system message."""
    return head_explains_mark(window) or any(
        not held.behind for _, shelf in window.head for held in shelf.shown
    )


def stream_messages(items: Iterable[Item], read: ReadPageText, mark: str) -> Iterator[Message]:
    """Yield the messages of history items. Entries shown as one line, if next to each other, share
    a message. `mark` is the session's sign on Loom's own text."""
    lines: list[str] = []
    for item in items:
        if is_lowered(item):
            lines.append(lowered_line(item, mark))
            continue
        if lines:
            yield _lowered_message(lines, mark)
            lines = []
        yield from _item_messages(item, read, mark)
    if lines:
        yield _lowered_message(lines, mark)


def lowered_line(item: Item, mark: str) -> str:
    """Return the text, mostly one line, that replaces an item that a cut shortened."""
    line = item.text if isinstance(item, Digest) else item.line  # type: ignore[union-attr]
    return neutral(line, mark)


def _lowered_message(lines: list[str], mark: str) -> Message:
    # Every line ends as it was counted: with its newline.
    return Message("user", (TextBlock(run_heading(mark) + "".join(line + "\n" for line in lines)),))


def _item_messages(item: Item, read: ReadPageText, mark: str) -> Iterator[Message]:
    if isinstance(item, Notice):
        yield Message("user", (TextBlock(item.text),))
    elif isinstance(item, UserTurn):
        said = quotes.turn_heading(item, mark)
        text = render_text(item.text, read, len(said.encode()) + QUOTED if said else 0, mark)
        text = quotes.quote_turn(item, text, mark)
        own = _own_block_page(item.text, read, mark)
        block = OwnTextBlock(text, page=own) if own else TextBlock(text if text.strip() else BLANK)
        yield Message("user", (block, *_media_blocks(item.text, read)))
    elif isinstance(item, Step):
        yield from _step_messages(item, read, mark)


def _own_block_page(text: Text, read: ReadPageText, mark: str) -> str:
    """Return the page with the provider's own blocks for a text; "" if the text itself is sent."""
    if not text.own or text.body is not None:
        return ""
    found = read(text.page)
    # Blocks that contain the session's mark are not sent.
    return "" if isinstance(found, StandIn) or neutral(found, mark) != found else text.page


def _media_blocks(text: Text, read: ReadPageText) -> Iterator[Block]:
    media = text.media
    if media is None:
        return
    # Told here, not when it is sent: a request's identity says what is in it.
    lost = read.lost(text.page)
    if lost is not None:
        yield TextBlock(lost.within(max(media.tokens, LEAST)))
    else:
        yield MediaBlock(text.page, media.type, media.detail, media.format)


def _step_messages(step: Step, read: ReadPageText, mark: str) -> Iterator[Message]:
    """Yield a step's messages: the reply, then one for each result."""
    names = {call.id: provider_tool_name(call.name) for call in step.calls}
    blocks = tuple(block for part in step.parts if (block := _part_block(part, read)) is not None)
    yield Message("assistant", blocks or (TextBlock(BLANK),))
    last = len(step.outcomes) - 1
    for at, outcome in enumerate(step.in_order):
        id = outcome.call_id
        beside = [quotes.read_ahead_block(paged, mark) for paged in step.beside if at == last]
        texts = [render_text(outcome.text, read, mark=mark), *beside]
        told = ResultBlock(id, names[id], quotes.BETWEEN.join(filter(None, texts)), outcome.error)
        if own := _own_block_page(outcome.text, read, mark):
            behind = quotes.BETWEEN.join(beside)
            told = OwnResultBlock(id, told.name, told.text, told.error, own, behind)
        yield Message("tool", (told,))


def _part_block(part: Said | Thought | Call, read: ReadPageText) -> Block | None:
    if isinstance(part, Call):
        return CallBlock(part.id, provider_tool_name(part.name), part.arguments)
    if isinstance(part, Said):
        text = render_text(part.text, read)
        return TextBlock(text) if text.strip() else None
    return ThoughtBlock(part.opaque, part.format) if part.opaque else None
