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
from functools import partial

from msgspec.structs import replace

from loom.providers.render.message import Block, Message, ResultBlock, TextBlock
from loom_bench.plain_list import Meter
from loom_bench.session import Wire
from loom_bench.strategies.baselines import (
    Factory,
    MessageGroup,
    Policy,
    edited,
    fitted,
    flat,
    grown,
    join,
    regrouped,
)
from loom_bench.strategy import WindowBudget
from loom_bench.wires import wire_of

SNIP, HARD = 2_000, 500  # characters of a message
PREVIEW = 240  # characters of a cached tool result
FIRST, LAST = 3, 5  # messages that collapse keeps
SENTENCE = 120  # characters of each message between
DECAY = 0.5  # λ; the age runs from 0 to 1
LEAST = 5  # messages that auto keeps


def plain_ladder(capacity: int, meter: Meter) -> Policy:
    """Five levels, one a turn: cut, blank, collapse, score, and drop, on a history of its own."""
    history: list[Message] = []

    def keep(made: list[Message]) -> None:
        history[:] = flat(regrouped(made, meter) or regrouped(history, meter)[-1:])

    def left() -> list[Message]:
        pressure = meter.messages(history) / capacity
        level = next((made for over, made in LEVELS if pressure > over), None)
        if level is not None:
            keep(level(history))
        if meter.messages(history) > capacity:
            keep(snip(auto(history), HARD))
        return flat(fitted(regrouped(history, meter), capacity, meter))

    return grown(history.append, left)


def snip(messages: list[Message], most: int = SNIP) -> list[Message]:
    """Every text cut to its first characters."""
    return edited(messages, partial(_cut, most))


def _cut(most: int, block: Block) -> Block:
    if isinstance(block, TextBlock | ResultBlock) and len(block.text) > most:
        left = len(block.text) - most
        return replace(block, text=f"{block.text[:most]}\n[{left} more characters]")
    return block


def micro(messages: list[Message]) -> list[Message]:
    """Long tool results give way to a placeholder with their first characters."""
    return edited(messages, _placeholder)


def _placeholder(block: Block) -> Block:
    if isinstance(block, ResultBlock) and len(block.text) > PREVIEW:
        start = " ".join(block.text[:PREVIEW].split())
        return replace(block, text=f"[cached result, {len(block.text)} characters: {start}]")
    return block


def collapse(messages: list[Message]) -> list[Message]:
    """The first and last messages; one with a sentence of each between stands for the rest."""
    between = [(one.role, _text(one).strip()) for one in messages[FIRST:-LAST]]
    if not between:
        return messages
    lines = [f"[{role}] {text.split('. ')[0][:SENTENCE]}" for role, text in between if text]
    note = Message("user", (TextBlock("\n".join(["[collapsed]", *lines])),))
    return [*messages[:FIRST], note, *messages[-LAST:]]


def auto(messages: list[Message]) -> list[Message]:
    """The half of the messages with the highest score, in order."""
    goal = next((_words(message) for message in messages if message.role == "user"), set())
    size = len(messages)

    def score(at: int) -> float:
        shared = len(goal & _words(messages[at])) / max(len(goal), 1)
        return shared * math.exp(-DECAY * (size - at) / size)

    best = sorted(range(size), key=lambda at: (-score(at), -at))[: max(LEAST, size // 2)]
    return [messages[at] for at in sorted(best)]


# Pressure to be passed → level, the highest first.
LEVELS: tuple[tuple[float, Callable[[list[Message]], list[Message]]], ...] = (
    (0.95, auto),
    (0.9, collapse),
    (0.8, micro),
    (0.7, snip),
)


def _words(message: Message) -> set[str]:
    return set(_text(message).lower().split())


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

    Where the policy is `foreign`, a request that a provider would refuse is mended as a harness has
    to. `rescued` counts those.
    """

    tools: Sequence[Wire] = ()

    def __init__(self, budget: WindowBudget, make: Factory, *, foreign: bool = False) -> None:
        self._budget = budget
        self._foreign = foreign
        self._policy = make(budget.room, budget.reader.meter)
        self._groups: list[MessageGroup] = []
        self._taken = 0
        self._given: dict[int, Wire] = {}  # id of a message → as it was given
        self.rescued = 0

    def request(self, messages: Sequence[Wire]) -> list[Wire]:
        """The messages of the next request."""
        new = messages[self._taken :]
        for wire, read in zip(new, self._budget.reader.read(new), strict=True):
            self._given[id(read.message)] = wire
            join(self._groups, read.message, read.tokens)
        self._taken = len(messages)
        left = sent = self._policy(self._groups)
        if self._foreign:
            sent = mended(left, self._budget.room, self._budget.reader.meter)
            self.rescued += sent is not left
        return [self._given.get(id(message)) or wire_of(message) for message in sent]

    def ask(self, question: str) -> Sequence[str]:
        """Nothing can be asked."""
        return ()

    def close(self) -> None:
        """Close the policy, if it holds anything."""
        getattr(self._policy, "close", int)()


grouped = GroupedWindow  # a strategy, once its policy is given
