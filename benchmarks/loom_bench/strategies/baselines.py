"""Windows without paging, built in: what a harness does that only drops, cuts or summarises.

Each is a policy over the recorded groups: given all of them it returns the request, at most
`capacity` tokens, calls and results paired. A group that is too large alone is cut to fit.
Instructions of the harness stay at the head in all of them. A policy may remember where it cut
last, so each replay needs a fresh one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec.structs import replace

from loom.providers.counts.sizes import MESSAGE
from loom.providers.render.message import Message, ResultBlock, TextBlock
from loom.replay.cost import Meter
from loom_bench.strategies.history import MessageGroup, clipped, flat, newest, total

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
