"""The numbers a window lives by: sizes in tokens, fixed when it is opened or resized."""

from __future__ import annotations

from msgspec import Struct


class Limits(Struct, frozen=True, kw_only=True):
    """Sizes in tokens of the model's encoding.

    `window` is what the provider allows, `reply` what is kept free for the model's answer.
    `head` is the overhead of the leading system message, `run` that of one run of lowered
    entries (its heading and message). Both depend on the encoding, so they are recorded.
    `low_water` is the share of the capacity a cut goes down to.
    """

    window: int
    reply: int
    head: int = 0
    run: int = 0
    low_water: float = 0.60

    @property
    def capacity(self) -> int:
        """Tokens a request may hold: the window less the reply. ρ is measured against it."""
        return self.window - self.reply

    @property
    def target(self) -> int:
        """Tokens a cut goes down to (low water)."""
        return int(self.capacity * self.low_water)


class Tokens(Struct, frozen=True):
    """Tokens a request holds, by partition."""

    system: int = 0
    memory: int = 0
    skill: int = 0
    history: int = 0
    working: int = 0

    @property
    def total(self) -> int:
        """All partitions together."""
        return self.system + self.memory + self.skill + self.history + self.working

    @property
    def protected(self) -> int:
        """What compression never touches: everything but history."""
        return self.total - self.history

    def __add__(self, other: Tokens) -> Tokens:
        """Sum by partition."""
        return Tokens(
            self.system + other.system,
            self.memory + other.memory,
            self.skill + other.skill,
            self.history + other.history,
            self.working + other.working,
        )

    def plus(self, partition: str, tokens: int) -> Tokens:
        """The same with `tokens` more (or fewer) in one partition."""
        return self + Tokens(**{partition: tokens})
