"""The window as a value: five partitions, their sizes, and the state of requests."""

from __future__ import annotations

from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from loom_partitions.config import Opened
from loom_partitions.history import History
from loom_partitions.limits import Limits, Tokens
from loom_partitions.sent import WindowCounters
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
    """The five partitions (C = system ⊕ memory ⊕ skill ⊕ history ⊕ working), and three more parts.

    `config` holds the settings that the workspace was opened with, with the current model. `limits`
    are the current sizes. `sent` is the state of requests and cuts.

        >>> with loom.open("memory://window") as ctx:
        ...     name = ctx.user("Build it.")
        ...     [entry.text.body for entry in ctx.window.history.stream.entries]
        ['Build it.']"""

    system: Shelf = Shelf()
    memory: Shelf = Shelf()
    skill: SkillShelf = SkillShelf()
    history: History = History()
    working: Working = Working()
    limits: Limits = NO_LIMITS
    sent: WindowCounters = WindowCounters()
    config: Opened = Opened(NO_LIMITS, {})

    @property
    def head(self) -> tuple[tuple[str, Shelf], ...]:
        """The partitions before the history, as (name, shelf) pairs in the order of a request."""
        return tuple((name, self.shelf(name)) for name in RENDERED[:3])

    @property
    def _shelves(self) -> tuple[Shelf | SkillShelf, ...]:
        return self.system, self.skill, self.memory

    def shelf(self, partition: str) -> Shelf:
        """Return the stored and shown texts of the system, memory or skill partition."""
        return self.skill.bodies if partition == "skill" else getattr(self, partition)

    def less(self, partition: str, key: str) -> Window:
        """Return the window without the text `key` of its memory or skill partition."""
        part: Any = {partition: getattr(self, partition).drop(key)}
        return replace(self, sent=replace(self.sent, shared=-1), **part)

    @property
    def tokens(self) -> Tokens:
        """The tokens of a request made now, for each partition."""
        stands = self.history.stream.totals
        return replace(
            stands,
            system=stands.system + self.system.tokens + self.limits.head,
            memory=stands.memory + self.memory.tokens,
            skill=stands.skill + self.skill.tokens,
        )

    @property
    def behind_head(self) -> tuple[tuple[str, ShelfText], ...]:
        """The texts shown in messages of their own between the first system message and the
        history, as (partition, text) pairs."""
        return tuple(
            (name, held) for name, shelf in self.head for held in shelf.shown if held.behind
        )

    @property
    def head_tokens(self) -> int:
        """The number of tokens before the history in a request made now."""
        return self.limits.head + sum(part.tokens for part in self._shelves)

    @property
    def head_settled(self) -> int:
        """The tokens that a request would have before the history if a cut were made now."""
        return self.limits.head + sum(part.settle().tokens for part in self._shelves)

    @property
    def reusable(self) -> int:
        """The number of tokens at the front of a request that equal those of the last request."""
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
        """The mean number of tokens added by each turn since the last cut."""
        sent = self.sent
        return (self.tokens.total - sent.cut_tokens) / max(sent.turn - sent.cut_turn, 1)

    @property
    def target(self) -> int:
        """How many tokens the window should have after a compression made now."""
        return self.limits.target(self.growth)

    @property
    def low(self) -> int:
        """How many tokens the window should have after a renewal made now."""
        return self.limits.low(self.growth)

    @property
    def settled(self) -> bool:
        """True when every partition shows what it stores."""
        return all(part.settled for part in self._shelves)
