"""The window as a value: what stands in each partition, and the counters of the fold."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from loom_partitions.limits import Budget, Limits, Sample, Tokens
from loom_partitions.message import Step
from loom_partitions.shelf import Shelf
from loom_partitions.stream import Stream, is_lowered
from loom_partitions.working import Working

SAMPLES = 64  # reported sizes the window keeps
FAULTS = 32  # page faults remembered
FOREVER = 1 << 53  # an entry no session reaches: a pin until then outlives renewals
INTERRUPTED = 1_024  # calls whose real results may still come


class Fault(Struct, frozen=True, array_like=True):
    """Something was brought back: its name, which part, and the entry that asked for it."""

    ref: str
    part: str
    entry: int


class Window(Struct, frozen=True):
    """The five partitions as they stand, and the counters of the fold.

    `asked` is the size of the last request in counted tokens, `shared` how many items at the front
    of the stream it holds just as they stand now, behind the same head (-1: not even the head).
    `stable` is how many the last cut left so, `known` how many the request before the last held.
    `interrupted` are calls answered by a stand-in, `faults` the last page faults, `pins` the
    entries that keep their detail and until which entry, `requested` what the model asked for,
    `used` the skills that were asked for, the one asked for last at the end.
    """

    limits: Limits = Limits(window=0, reply=0)
    policy: dict[str, Any] = {}
    model: str = ""
    encoding: str = ""
    key: str = ""
    samples: tuple[Sample, ...] = ()
    system: Shelf = Shelf()
    memory: Shelf = Shelf()
    skill: Shelf = Shelf()
    tools: Shelf = Shelf()
    stream: Stream = Stream()
    working: Working = Working()
    next_id: int = 1
    waiting: int = 0
    interrupted: tuple[str, ...] = ()
    faults: tuple[Fault, ...] = ()
    pins: tuple[tuple[int, int], ...] = ()
    requested: str = ""
    used: tuple[str, ...] = ()
    tried: tuple[int, int] = (-1, 0)
    turn: int = 0
    asked: int = 0
    shared: int = -1
    stable: int = -1
    known: int = -1
    cuts: int = 0
    generation: int = 1
    sent: bool = False
    placed: bool = False
    turned: bool = False
    cut_turn: int = 0
    cut_tokens: int = 0
    overflowed: bool = False
    mark: str = ""
    shed: tuple[str, ...] = ()
    renewed: bool = False
    finished: bool = False
    budget: Budget | None = None
    delivered: bool = False

    @property
    def tokens(self) -> Tokens:
        """What a request made now would hold, in tokens by partition."""
        head = Tokens(
            system=self.system.tokens + self.limits.head,
            memory=self.memory.tokens,
            skill=self.skill.tokens + self.tools.tokens,
        )
        return head + self.stream.totals

    @property
    def head_tokens(self) -> int:
        """Tokens in front of the stream."""
        shelves = (self.system, self.memory, self.skill, self.tools)
        return self.limits.head + sum(shelf.tokens for shelf in shelves)

    @property
    def head_settled(self) -> int:
        """Tokens in front of the stream after a cut, when each shelf shows what it stores."""
        shelves = (self.system, self.memory, self.skill, self.tools)
        return self.limits.head + sum(shelf.settle().tokens for shelf in shelves)

    @property
    def fresh(self) -> bool:
        """Whether it was renewed, or cut for a refusal, since the last turn."""
        return (self.renewed or self.overflowed) and self.cut_turn == self.turn

    @property
    def reusable(self) -> int:
        """Tokens in front that the last request holds byte for byte."""
        if self.shared < 0:
            return 0
        tokens, lowered = self.head_tokens, False
        for number, item in enumerate(self.stream):
            if number >= self.shared:
                break
            tokens += item.tokens
            if is_lowered(item) and not lowered:
                tokens += self.limits.run
            lowered = is_lowered(item)
        return tokens

    @property
    def growth(self) -> float:
        """Mean tokens a turn has added since the last cut."""
        return (self.tokens.total - self.cut_tokens) / max(self.turn - self.cut_turn, 1)

    @property
    def target(self) -> int:
        """Tokens a cut made now goes down to (low water)."""
        return self.limits.target(self.growth)

    @property
    def settled(self) -> bool:
        """Whether no shelf has a change waiting for a cut."""
        return all(s.settled for s in (self.system, self.memory, self.skill, self.tools))

    @property
    def open_calls(self) -> tuple[str, ...]:
        """Ids of the calls that wait for a result."""
        step = self.waiting_step
        return step.open if step else ()

    @property
    def waiting_step(self) -> Step | None:
        """The step whose calls are open."""
        if not self.waiting:
            return None
        return next(
            item
            for item in reversed(self.stream)
            if isinstance(item, Step) and item.id == self.waiting
        )
