"""A plain ladder of five levels, as others build it; policies over groups as strategies.

One level a turn, the highest whose threshold the pressure passes: snip (over 0.7) cuts long
messages, micro (0.8) puts a placeholder for tool results, collapse (0.9) keeps the first three and
last five messages and a sentence of each between, auto (0.95) keeps the half that shares most
words with the goal; what is still too large gets auto and a harder snip. Nothing rests anywhere,
nothing is renewed, and no result is known by its call's id: for the documents' ladder in full, take
`loom` with the policy "graduated". Of a call whose result was dropped the other half is dropped
too, so that every request is lawful; of broken halves alone the newest group stays.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from loom.providers.render.message import Block, Message, ResultBlock, TextBlock
from loom.replay.cost import Meter
from loom_bench.session import Wire
from loom_bench.strategies.baselines import (
    Factory,
    MessageGroup,
    Policy,
    fitted,
    flat,
    regrouped,
)
from loom_bench.strategy import KeptWindow, WindowBudget
from loom_bench.wires import wire_of

SNIP, HARD = 2_000, 500  # characters of a message
PREVIEW = 240  # characters of a cached tool result
FIRST, LAST = 3, 5  # messages that collapse keeps
SENTENCE = 120  # characters of each message between
DECAY = 0.5  # λ; the age runs from 0 to 1
LEAST = 5  # messages that auto keeps

Level = Callable[[list[Message]], list[Message]]


def plain_ladder(capacity: int, meter: Meter) -> Policy:
    """Five levels, one a turn: cut, blank, collapse, score, and drop, on a history of its own."""
    history: list[Message] = []
    taken = 0

    def whole(made: list[Message], before: list[Message]) -> list[Message]:
        return flat(regrouped(made, meter) or regrouped(before, meter)[-1:])

    def policy(groups: Sequence[MessageGroup]) -> list[Message]:
        nonlocal history, taken
        arrived = flat(groups)
        history += arrived[taken:]
        taken = len(arrived)
        pressure = meter.messages(history) / capacity
        level = next((made for over, made in LEVELS if pressure > over), None)
        if level is not None:
            history = whole(level(history), history)
        if meter.messages(history) > capacity:
            history = whole(snip(auto(history), HARD), history)
        return flat(fitted(regrouped(history, meter), capacity, meter))

    return policy


def snip(messages: list[Message], most: int = SNIP) -> list[Message]:
    """Every text cut to its first characters."""
    return [
        replace(message, blocks=tuple(_cut(block, most) for block in message.blocks))
        for message in messages
    ]


def _cut(block: Block, most: int) -> Block:
    if isinstance(block, TextBlock | ResultBlock) and len(block.text) > most:
        left = len(block.text) - most
        return replace(block, text=f"{block.text[:most]}\n[{left} more characters]")
    return block


def micro(messages: list[Message]) -> list[Message]:
    """Long tool results give way to a placeholder with their first characters."""
    return [
        replace(message, blocks=tuple(_placeholder(block) for block in message.blocks))
        for message in messages
    ]


def _placeholder(block: Block) -> Block:
    if isinstance(block, ResultBlock) and len(block.text) > PREVIEW:
        start = " ".join(block.text[:PREVIEW].split())
        return replace(block, text=f"[cached result, {len(block.text)} characters: {start}]")
    return block


def collapse(messages: list[Message]) -> list[Message]:
    """The first and last messages; one with a sentence of each between stands for the rest."""
    between = messages[FIRST:-LAST]
    if not between:
        return messages
    lines = [f"[{message.role}] {sentence}" for message in between if (sentence := _first(message))]
    note = Message("user", (TextBlock("\n".join(["[collapsed]", *lines])),))
    return [*messages[:FIRST], note, *messages[-LAST:]]


def auto(messages: list[Message]) -> list[Message]:
    """The half of the messages with the highest score, in order."""
    goal = _words(next((message for message in messages if message.role == "user"), None))
    size = len(messages)

    def score(at: int) -> float:
        shared = len(goal & _words(messages[at])) / max(len(goal), 1)
        return shared * math.exp(-DECAY * (size - at) / size)

    best = sorted(range(size), key=lambda at: (-score(at), -at))[: max(LEAST, size // 2)]
    return [messages[at] for at in sorted(best)]


# Pressure to be passed → level, the highest first.
LEVELS: tuple[tuple[float, Level], ...] = (
    (0.95, auto),
    (0.9, collapse),
    (0.8, micro),
    (0.7, snip),
)


def _first(message: Message) -> str:
    text = _text(message).strip()
    return text.split(". ")[0][:SENTENCE]


def _words(message: Message | None) -> set[str]:
    return set(_text(message).lower().split()) if message is not None else set()


def _text(message: Message) -> str:
    readable = (block for block in message.blocks if isinstance(block, TextBlock | ResultBlock))
    return " ".join(block.text for block in readable)


def mended(left: list[Message], capacity: int, meter: Meter) -> list[Message]:
    """What a policy left, where a provider would take it; else mended as a harness has to: broken
    pairs leave, then the oldest groups."""
    groups = regrouped(left, meter)
    if flat(groups) == left and meter.messages(left) <= capacity:
        return left
    return flat(fitted(groups, capacity, meter))


class GroupedWindow:
    """The window of one session: what a policy leaves of its groups, as chat messages again.

    With `mended` a request that a provider would refuse is mended as a harness has to: broken pairs
    leave, then the oldest groups. `rescued` counts those.
    """

    tools: Sequence[Wire] = ()

    def __init__(self, budget: WindowBudget, make: Factory, *, mended: bool) -> None:
        self._budget = budget
        self._mended = mended
        self._policy = make(budget.room, budget.reader.meter)
        self._groups: list[MessageGroup] = []
        self._taken = 0
        self._given: dict[int, Wire] = {}  # id of a message → as it was given
        self.rescued = 0

    def request(self, messages: Sequence[Wire]) -> list[Wire]:
        """The messages of the next request."""
        for wire in messages[self._taken :]:
            self._take(wire)
        self._taken = len(messages)
        left = self._policy(self._groups)
        sent = left
        if self._mended:
            sent = mended(left, self._budget.room, self._budget.reader.meter)
            self.rescued += sent is not left
        return [self._given.get(id(message)) or wire_of(message) for message in sent]

    def ask(self, question: str) -> Sequence[str]:
        """Nothing can be asked."""
        return ()

    def close(self) -> None:
        """Close the policy, if it holds anything."""
        getattr(self._policy, "close", int)()

    def _take(self, wire: Wire) -> None:
        (message,) = self._budget.reader.messages([wire])
        tokens = self._budget.count([wire])
        self._given[id(message)] = wire
        if message.role == "tool" and self._groups:
            last = self._groups[-1]
            self._groups[-1] = MessageGroup((*last.messages, message), last.tokens + tokens)
        else:
            self._groups.append(MessageGroup((message,), tokens))


def grouped(budget: WindowBudget, make: Factory) -> KeptWindow:
    """The window of a policy over groups, whose requests are sent as it leaves them."""
    return GroupedWindow(budget, make, mended=False)


def of_package(budget: WindowBudget, make: Factory) -> KeptWindow:
    """The window of another package, mended where a provider would refuse it."""
    return GroupedWindow(budget, make, mended=True)
