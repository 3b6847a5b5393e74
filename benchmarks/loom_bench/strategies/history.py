"""A recorded history as messages of a request, and how their tokens are counted.

Every strategy is counted by the same `Meter`, whatever the strategy itself counts by.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from loom.inputs import Event, Reply, Result
from loom.providers.render.message import Block, CallBlock, Message, ResultBlock, TextBlock
from loom.replay.cost import Meter
from loom.replay.plain import message_of


class MessageGroup(Struct, frozen=True):
    """Messages sent whole or not at all: one message, or a reply with the results of its calls."""

    messages: tuple[Message, ...]
    tokens: int

    @property
    def role(self) -> str:
        """Who speaks first: system, user or assistant."""
        return self.messages[0].role


class RecordedHistory:
    """The recorded messages so far, in groups."""

    def __init__(self, meter: Meter) -> None:
        self.meter = meter
        self.groups: list[MessageGroup] = []
        self._names: dict[str, str] = {}

    def add(self, event: Event) -> None:
        """Take in the next event of a session in lawful order."""
        if isinstance(event, Reply):
            self._names = {call.id: call.name for call in event.calls}
        message = message_of(event, self._names)
        tokens = self.meter.message(message)
        if isinstance(event, Result):
            last = self.groups[-1]
            joined = MessageGroup((*last.messages, message), last.tokens + tokens)
            self.groups[-1] = joined
        else:
            self.groups.append(MessageGroup((message,), tokens))


def flat(groups: Iterable[MessageGroup]) -> list[Message]:
    """The messages of groups, in order."""
    return [message for group in groups for message in group.messages]


def regrouped(messages: Iterable[Message], meter: Meter) -> list[MessageGroup]:
    """Messages in groups again, broken pairs dropped: calls unanswered, results without a call.

    A reply that loses its calls keeps its words; one without words goes.
    """
    groups: list[list[Message]] = []
    for message in messages:
        if message.role == "tool":
            if groups and groups[-1][0].role == "assistant":
                groups[-1].append(message)
        else:
            groups.append([message])
    mended = (_paired(group) for group in groups)
    return [MessageGroup(tuple(group), meter.messages(group)) for group in mended if group]


def _paired(group: list[Message]) -> list[Message]:
    """A reply and its results with only the calls that have exactly one result, and the reverse."""
    reply = group[0]
    if reply.role != "assistant":
        return group
    asked = [block.id for block in reply.blocks if isinstance(block, CallBlock)]
    given: dict[str, Message] = {}
    for message in group[1:]:
        for block in message.blocks:
            if isinstance(block, ResultBlock) and block.call_id in asked:
                given.setdefault(block.call_id, message)
    if len(given) == len(asked) and len(group) == len(asked) + 1:
        return group
    blocks = tuple(
        block for block in reply.blocks if not isinstance(block, CallBlock) or block.id in given
    )
    return [replace(reply, blocks=blocks), *given.values()] if blocks else []


def total(groups: Iterable[MessageGroup]) -> int:
    """Tokens of groups."""
    return sum(group.tokens for group in groups)


def newest(groups: Sequence[MessageGroup], room: int, start: int = 0) -> int:
    """The place from which the newest whole groups fit in `room` tokens, `start` at the least."""
    used, at = 0, len(groups)
    while at > start and used + groups[at - 1].tokens <= room:
        at -= 1
        used += groups[at].tokens
    return at


def clipped(group: MessageGroup, room: int, meter: Meter) -> MessageGroup:
    """A group cut to `room` tokens: the longest text loses its end first, calls last of all."""
    while group.tokens > room:
        longest = max(_texts(group), key=lambda text: (meter.text(text), text))
        if len(longest) < 2:
            break
        over = group.tokens - room
        keep = int(len(longest) * max(1 - over / max(meter.text(longest), 1), 0.5) * 0.98)
        messages = tuple(_swapped(message, longest, longest[:keep]) for message in group.messages)
        group = MessageGroup(messages, meter.messages(messages))
    return group


def _texts(group: MessageGroup) -> list[str]:
    """The texts of a group that may be cut; its calls only when nothing else is left."""
    texts = [
        block.text
        for message in group.messages
        for block in message.blocks
        if isinstance(block, TextBlock | ResultBlock) and len(block.text) > 1
    ]
    calls = [
        block.arguments
        for message in group.messages
        for block in message.blocks
        if isinstance(block, CallBlock)
    ]
    return texts or calls


def _swapped(message: Message, old: str, new: str) -> Message:
    blocks = tuple(_with(block, old, new) for block in message.blocks)
    return replace(message, blocks=blocks)


def _with(block: Block, old: str, new: str) -> Block:
    if isinstance(block, TextBlock | ResultBlock) and block.text == old:
        return replace(block, text=new)
    if isinstance(block, CallBlock) and block.arguments == old:
        return replace(block, arguments="{}")
    return block
