"""The window as a value: five partitions, the sizes they live by, and what was sent of them."""

from __future__ import annotations

from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from loom_partitions.config import Opened
from loom_partitions.history import History
from loom_partitions.limits import Limits, Tokens
from loom_partitions.sent import RequestState
from loom_partitions.shelf import Shelf, ShelfText
from loom_partitions.skill import SkillShelf
from loom_partitions.stream import is_lowered
from loom_partitions.working import Working

# Two orders of the partitions. What a renewal gives up last comes first; compression touches the
# last one alone.
PROTECTION = ("system", "working", "memory", "skill", "history")
# What seldom changes stands in front of a request, so that a provider's cache finds it again.
RENDERED = ("system", "skill", "memory", "history", "working")
NO_LIMITS = Limits(window=0, reply=0)


class Window(Struct, frozen=True):
    """C = system ⊕ memory ⊕ skill ⊕ history ⊕ working, and what the fold keeps beside them.

    `config` is what the workspace was opened with (its model is the one of now), `limits` its
    sizes of now, `sent` what became of it in requests and cuts.
    """

    system: Shelf = Shelf()
    memory: Shelf = Shelf()
    skill: SkillShelf = SkillShelf()
    history: History = History()
    working: Working = Working()
    limits: Limits = NO_LIMITS
    sent: RequestState = RequestState()
    config: Opened = Opened(NO_LIMITS, {})

    @property
    def head(self) -> tuple[tuple[str, Shelf], ...]:
        """The partitions in front of the stream with their texts, in the order of the request."""
        return tuple((name, self.shelf(name)) for name in RENDERED[:3])

    @property
    def _shelves(self) -> tuple[Shelf | SkillShelf, ...]:
        return self.system, self.skill, self.memory

    def shelf(self, partition: str) -> Shelf:
        """The keyed texts of the system, memory or skill partition."""
        return self.skill.bodies if partition == "skill" else getattr(self, partition)

    def less(self, partition: str, key: str) -> Window:
        """The window without one text of its memory or skill partition."""
        part: Any = {partition: getattr(self, partition).drop(key)}
        return replace(self, sent=replace(self.sent, shared=-1), **part)

    @property
    def tokens(self) -> Tokens:
        """The tokens, by partition, of a request that was made now."""
        stands = self.history.stream.totals
        return replace(
            stands,
            system=stands.system + self.system.tokens + self.limits.head,
            memory=stands.memory + self.memory.tokens,
            skill=stands.skill + self.skill.tokens,
        )

    @property
    def behind_head(self) -> tuple[tuple[str, ShelfText], ...]:
        """The texts with a message of their own behind the head, and their partitions."""
        return tuple(
            (name, held) for name, shelf in self.head for held in shelf.shown if held.behind
        )

    @property
    def head_tokens(self) -> int:
        """Tokens in front of the stream."""
        return self.limits.head + sum(part.tokens for part in self._shelves)

    @property
    def head_settled(self) -> int:
        """Tokens in front of the stream after a cut, when each shelf shows all that it stores."""
        return self.limits.head + sum(part.settle().tokens for part in self._shelves)

    @property
    def reusable(self) -> int:
        """Tokens in front that the last request holds byte for byte."""
        if self.sent.shared < 0:
            return 0
        tokens, lowered = self.head_tokens, False
        for number, item in enumerate(self.history.stream):
            if number >= self.sent.shared:
                break
            tokens += item.tokens
            if is_lowered(item) and not lowered:
                tokens += self.limits.run
            lowered = is_lowered(item)
        return tokens

    @property
    def growth(self) -> float:
        """Mean tokens a turn has added since the last cut."""
        sent = self.sent
        return (self.tokens.total - sent.cut_tokens) / max(sent.turn - sent.cut_turn, 1)

    @property
    def target(self) -> int:
        """Tokens a compression made now goes down to."""
        return self.limits.target(self.growth)

    @property
    def low(self) -> int:
        """Tokens a renewal made now goes down to (low water)."""
        return self.limits.low(self.growth)

    @property
    def settled(self) -> bool:
        """True when no shelf has a change waiting for a cut."""
        return all(part.settled for part in self._shelves)
