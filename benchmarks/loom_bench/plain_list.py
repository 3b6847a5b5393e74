"""A recorded session as a plain list of messages, and what messages take.

Every list is counted alike, a client's own and Loom's, and as the engine counts
(`loom.providers.counts.message_sizes`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec import json

from loom.inputs import Event, Reply, Result, Speech, System, ToolCall
from loom.providers.counts import Counter
from loom.providers.counts.message_sizes import CALL, MESSAGE, RESULT
from loom.providers.render.message import Block, CallBlock, Message, ResultBlock, TextBlock


class Meter:
    """Tokens of messages; a text is counted once, however often it is sent.

    Reasoning is left out, as no request of a recorded session sends it again.
    """

    def __init__(self, count: Counter) -> None:
        self._count = count
        self._texts: dict[str, int] = {}

    def text(self, text: str) -> int:
        """Tokens of one text."""
        known = self._texts.get(text)
        if known is None:
            known = self._texts[text] = self._count(text)
        return known

    def message(self, message: Message) -> int:
        """Tokens of one message."""
        return MESSAGE + sum(self._block(block) for block in message.blocks)

    def messages(self, messages: Iterable[Message]) -> int:
        """Tokens of a request."""
        return sum(map(self.message, messages))

    def _block(self, block: Block) -> int:
        if isinstance(block, CallBlock):
            return CALL + sum(map(self.text, (block.id, block.name, block.arguments)))
        if isinstance(block, ResultBlock):
            return RESULT + self.text(block.call_id) + self.text(block.text)
        return self.text(block.text) if isinstance(block, TextBlock) else 0


def front_share(old: Message, new: Message) -> float:
    """Share of the new message's bytes that stand at the front of the old one, 0 to 1."""
    one, two = json.encode(old), json.encode(new)
    common = 0
    for common, (left, right) in enumerate(zip(one, two, strict=False)):  # noqa: B007
        if left != right:
            break
    return common / len(two)


def message_of(event: Event, names: dict[str, str], clean: Callable[[str], str] = str) -> Message:
    """An event as a message; `names` are the tools of the open calls by their ids."""
    if isinstance(event, Reply):
        blocks: list[Block] = []
        for part in event.parts:
            if isinstance(part, Speech):
                blocks.append(TextBlock(clean(part.text)))
            elif isinstance(part, ToolCall):
                blocks.append(CallBlock(part.id, part.name, clean(part.arguments)))
        return Message("assistant", tuple(blocks))
    if isinstance(event, Result):
        name = names.get(event.call_id, "")
        return Message("tool", (ResultBlock(event.call_id, name, clean(event.text), event.error),))
    return Message(
        "system" if isinstance(event, System) else "user", (TextBlock(clean(event.text)),)
    )
