"""Built-in windows over a recorded history: what harnesses do that only drop, cut or sum up.

Each is a policy over the recorded groups: given all of them it returns the request, at most
`capacity` tokens by one `Meter`, calls and results paired; a group too large alone is cut to fit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from loom.inputs import Event, Reply, Result
from loom.providers.counts.sizes import MESSAGE
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


LOW = 0.6  # of capacity: where a trim with hysteresis ends
HEAD = (2_000, 0.1)  # tokens, share of capacity: the larger is the head that stays
KEPT = 3  # tool results that are not cleared: the default of the providers' context editing
CLEARED = "[old tool result cleared]"
FULL, RECENT = 0.85, 0.1  # of capacity: when a summary is made, what it leaves as it is
SAID = 200  # characters of a user's message in a summary
STUB = 1_000  # tokens of a summary

Policy = Callable[[Sequence[MessageGroup]], list[Message]]
Factory = Callable[[int, Meter], Policy]


def lead(groups: Sequence[MessageGroup]) -> int:
    """How many groups at the head are the harness's instructions."""
    return next((at for at, group in enumerate(groups) if group.role != "system"), len(groups))


def fitted(groups: Sequence[MessageGroup], capacity: int, meter: Meter) -> list[MessageGroup]:
    """The instructions and the newest whole groups that fit; the newest is cut when it must be."""
    head = lead(groups)
    room = capacity - total(groups[:head])
    start = newest(groups, room, head)
    kept = list(groups[start:])
    if not kept and len(groups) > head:
        kept = [clipped(groups[-1], room, meter)]
    return [*groups[:head], *kept]


def tail(capacity: int, meter: Meter) -> Policy:
    """The newest whole messages that fit, chosen anew for every call."""
    return lambda groups: flat(fitted(groups, capacity, meter))


def tail_low(capacity: int, meter: Meter) -> Policy:
    """The newest messages, when full the oldest go until 60 % of the room are left."""
    start = 0

    def policy(groups: Sequence[MessageGroup]) -> list[Message]:
        nonlocal start
        head = lead(groups)
        start = max(start, head)
        if total(groups[:head]) + total(groups[start:]) > capacity:
            start = newest(groups, int(LOW * capacity) - total(groups[:head]), head)
            start = min(start, len(groups) - 1)
        return flat(fitted([*groups[:head], *groups[start:]], capacity, meter))

    return policy


def head_tail(capacity: int, meter: Meter) -> Policy:
    """The first tenth of the room, 2,000 tokens at least, and the newest that fit behind it."""
    most = min(max(HEAD[0], int(HEAD[1] * capacity)), capacity // 2)

    def policy(groups: Sequence[MessageGroup]) -> list[Message]:
        if total(groups) <= capacity:
            return flat(groups)
        head, used = 0, 0
        while head < len(groups) - 1 and used + groups[head].tokens <= most:
            used += groups[head].tokens
            head += 1
        first = list(groups[:head])
        if not first and len(groups) > 1:
            first, head = [clipped(groups[0], most, meter)], 1
        rest = fitted(groups[head:], capacity - total(first), meter)
        return [*flat(first), *flat(rest)]

    return policy


def clear_tools(capacity: int, meter: Meter) -> Policy:
    """When full, all but the newest 3 tool results are blanked; then the newest that fit.

    Made from the whole history for every call, as the providers' context editing is.
    """

    def policy(groups: Sequence[MessageGroup]) -> list[Message]:
        if total(groups) <= capacity:
            return flat(groups)
        results = sum(message.role == "tool" for group in groups for message in group.messages)
        return flat(fitted(_cleared(groups, results - KEPT, meter), capacity, meter))

    return policy


def _cleared(groups: Sequence[MessageGroup], count: int, meter: Meter) -> list[MessageGroup]:
    """The groups with their first `count` tool results blanked."""
    made = []
    for group in groups:
        messages = list(group.messages)
        for at, message in enumerate(messages):
            block = message.blocks[0] if message.blocks else None
            if count > 0 and isinstance(block, ResultBlock):
                messages[at] = Message("tool", (replace(block, text=CLEARED),))
                count -= 1
        same = tuple(messages) == group.messages
        made.append(group if same else MessageGroup(tuple(messages), meter.messages(messages)))
    return made


def summary_stub(capacity: int, meter: Meter) -> Policy:
    """At 85 % all but the newest 10 % give way to an extract of what the user said.

    A stand-in for a summary by a model: it costs nothing, and it holds no exact text of the work.
    """
    start = 0
    most = min(STUB, capacity // 8)

    def policy(groups: Sequence[MessageGroup]) -> list[Message]:
        nonlocal start
        head = lead(groups)
        start = max(start, head)
        before = stub(flat(groups[head:start]), meter, most) if start > head else []
        shown = [*groups[:head], *before, *groups[start:]]
        if total(shown) > FULL * capacity:
            recent = newest(groups, int(RECENT * capacity), start)
            start = min(recent, len(groups) - 1)
            before = stub(flat(groups[head:start]), meter, most) if start > head else []
        rest = capacity - total(groups[:head]) - total(before)
        kept = fitted(groups[start:], rest, meter)
        return flat([*groups[:head], *before, *kept])

    return policy


def stub(messages: Iterable[Message], meter: Meter, most: int = STUB) -> list[MessageGroup]:
    """One group that says how each message of the user began, the newest in `most` tokens."""
    said = said_by_user(messages)
    text = "Summary of the conversation so far. The user said:"
    used = meter.text(text) + MESSAGE
    lines: list[str] = []
    for line in reversed(said):
        used += meter.text(line) + 1
        if used > most:
            break
        lines.append(line)
    message = Message("user", (TextBlock("\n".join([text, *reversed(lines)])),))
    return [MessageGroup((message,), meter.message(message))]


def said_by_user(messages: Iterable[Message]) -> list[str]:
    """How each message of the user begins, a line each."""
    texts = (
        block.text
        for message in messages
        if message.role == "user"
        for block in message.blocks
        if isinstance(block, TextBlock)
    )
    return [f"- {' '.join(text.split())[:SAID]}" for text in texts]
