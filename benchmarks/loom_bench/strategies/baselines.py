"""Built-in windows over a recorded history: what harnesses do that only drop, cut or sum up.

Each is a policy over the recorded groups: given all of them it returns the request, at most
`capacity` tokens by one `Meter`, calls and results paired; a group too large alone is cut to fit.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from loom.inputs import Event, Reply
from loom.providers.counts.message_sizes import MESSAGE
from loom.providers.render.message import Block, CallBlock, Message, ResultBlock, TextBlock
from loom_bench.plain_list import Meter, message_of

LOW = 0.6  # of capacity: where a trim with hysteresis ends
HEAD = (2_000, 0.1)  # tokens, share of capacity: the larger is the head that stays
KEPT = 3  # tool results that are not cleared: the default of the providers' context editing
CLEARED = "[old tool result cleared]"
FULL, RECENT = 0.85, 0.1  # of capacity: when a summary is made, what it leaves as it is
SAID = 200  # characters of a user's message in a summary
STUB = 1_000  # tokens of a summary


class MessageGroup(Struct, frozen=True):
    """Messages sent whole or not at all: one message, or a reply with the results of its calls."""

    messages: tuple[Message, ...]
    tokens: int

    @property
    def role(self) -> str:
        """Who speaks first: system, user or assistant."""
        return self.messages[0].role


Policy = Callable[[Sequence[MessageGroup]], list[Message]]
Factory = Callable[[int, Meter], Policy]


def join(groups: list[MessageGroup], message: Message, tokens: int) -> None:
    """Put the next message behind groups; the result of a call joins the reply with the call."""
    if message.role == "tool" and groups:
        last = groups.pop()
        groups.append(MessageGroup((*last.messages, message), last.tokens + tokens))
    else:
        groups.append(MessageGroup((message,), tokens))


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
        join(self.groups, message, self.meter.message(message))


def flat(groups: Iterable[MessageGroup]) -> list[Message]:
    """The messages of groups, in order."""
    return [message for group in groups for message in group.messages]


def total(groups: Iterable[MessageGroup]) -> int:
    """Tokens of groups."""
    return sum(group.tokens for group in groups)


def grown(add: Callable[[Message], None], left: Callable[[], list[Message]]) -> Policy:
    """The policy of a history of its own: `add` takes each message once, `left` is the request."""
    taken = 0

    def policy(groups: Sequence[MessageGroup]) -> list[Message]:
        nonlocal taken
        arrived = flat(groups)
        for message in arrived[taken:]:
            add(message)
        taken = len(arrived)
        return left()

    return policy


def edited(messages: Iterable[Message], edit: Callable[[Block], Block]) -> list[Message]:
    """Messages with each block as `edit` makes it."""
    return [replace(message, blocks=tuple(map(edit, message.blocks))) for message in messages]


def regrouped(messages: Iterable[Message], meter: Meter) -> list[MessageGroup]:
    """Messages in groups again, broken pairs dropped: calls unanswered, results without a call.

    A reply that loses its calls keeps its words; one without words goes.
    """
    groups: list[list[Message]] = []
    for message in messages:
        if message.role != "tool":
            groups.append([message])
        elif groups and groups[-1][0].role == "assistant":
            groups[-1].append(message)
    mended = (_paired(*group) for group in groups)
    return [MessageGroup(group, meter.messages(group)) for group in mended if group]


def _paired(reply: Message, *results: Message) -> tuple[Message, ...]:
    """A reply and its results with only the calls that have exactly one result, and the reverse."""
    asked = {block.id for block in reply.blocks if isinstance(block, CallBlock)}
    given: dict[str, Message] = {}
    for message in results:
        for block in message.blocks:
            if isinstance(block, ResultBlock) and block.call_id in asked:
                given.setdefault(block.call_id, message)
    if len(given) < len(asked):
        blocks = [b for b in reply.blocks if not isinstance(b, CallBlock) or b.id in given]
        if not blocks:
            return ()
        reply = replace(reply, blocks=tuple(blocks))
    return (reply, *given.values())


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
        blocks = [block for message in group.messages for block in message.blocks]
        said = [block.text for block in blocks if isinstance(block, TextBlock | ResultBlock)]
        texts = [text for text in said if len(text) > 1] or [
            block.arguments for block in blocks if isinstance(block, CallBlock)
        ]
        longest = max(texts, key=lambda text: (meter.text(text), text))
        if len(longest) < 2:
            break
        over = group.tokens - room
        keep = int(len(longest) * max(1 - over / max(meter.text(longest), 1), 0.5) * 0.98)
        messages = tuple(edited(group.messages, partial(_swapped, longest, longest[:keep])))
        group = MessageGroup(messages, meter.messages(messages))
    return group


def _swapped(old: str, new: str, block: Block) -> Block:
    if isinstance(block, TextBlock | ResultBlock) and block.text == old:
        return replace(block, text=new)
    if isinstance(block, CallBlock) and block.arguments == old:
        return replace(block, arguments="{}")
    return block


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
        results = [message for message in flat(groups) if message.role == "tool"]
        old = set(map(id, results[:-KEPT]))
        return flat(fitted([_cleared(group, old, meter) for group in groups], capacity, meter))

    return policy


def _cleared(group: MessageGroup, old: Collection[int], meter: Meter) -> MessageGroup:
    """The group with its results blanked that are among the old, by their `id`."""
    made = zip(group.messages, edited(group.messages, _blanked), strict=True)
    messages = tuple(blank if id(one) in old else one for one, blank in made)
    return group if messages == group.messages else MessageGroup(messages, meter.messages(messages))


def _blanked(block: Block) -> Block:
    return replace(block, text=CLEARED) if isinstance(block, ResultBlock) else block


def summary_stub(capacity: int, meter: Meter) -> Policy:
    """At 85 % all but the newest 10 % give way to an extract of what the user said.

    A stand-in for a summary by a model: it costs nothing, and it holds no exact text of the work.
    """
    start = 0
    most = min(STUB, capacity // 8)

    def summed(old: Sequence[MessageGroup]) -> list[MessageGroup]:
        message = Message("user", (TextBlock(stub(flat(old), meter, most)),))
        return [MessageGroup((message,), meter.message(message))] if old else []

    def policy(groups: Sequence[MessageGroup]) -> list[Message]:
        nonlocal start
        head = lead(groups)
        start = max(start, head)
        shown = [*groups[:head], *summed(groups[head:start]), *groups[start:]]
        if total(shown) > FULL * capacity:
            start = min(newest(groups, int(RECENT * capacity), start), len(groups) - 1)
        first = [*groups[:head], *summed(groups[head:start])]
        return flat([*first, *fitted(groups[start:], capacity - total(first), meter)])

    return policy


def stub(messages: Iterable[Message], meter: Meter, most: int = STUB) -> str:
    """How each message of the user began, a line each, the newest in `most` tokens."""
    said = [
        f"- {' '.join(block.text.split())[:SAID]}"
        for message in messages
        if message.role == "user"
        for block in message.blocks
        if isinstance(block, TextBlock)
    ]
    text = "Summary of the conversation so far. The user said:"
    used = meter.text(text) + MESSAGE
    lines: list[str] = []
    for line in reversed(said):
        used += meter.text(line) + 1
        if used > most:
            break
        lines.append(line)
    return "\n".join([text, *reversed(lines)])
