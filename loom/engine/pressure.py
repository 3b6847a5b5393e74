"""ρ: tokens of the next request over the room it has (window less reply)."""

from __future__ import annotations

from msgspec import Struct

from loom_partitions.limits import Limits, Tokens


class Pressure(Struct, frozen=True):
    """How full a request is, and what was done about it.

    `tokens` and `capacity` are in tokens as Loom counts them. `estimate` is what the provider is
    expected to count and `bound` what it counts at most, `ratio` its tokens for one of ours, and
    `hidden` the tokens it adds unseen, all learned from its reports. ρ is `bound` over the room.
    """

    rho: float
    tokens: Tokens
    capacity: int
    level: str = ""
    pages: int = 0
    generation: int = 1
    estimate: int = 0
    bound: int = 0
    ratio: float = 1.0
    hidden: int = 0

    @property
    def budget(self) -> int:
        """Tokens left in the request."""
        return self.capacity - self.tokens.total

    def __str__(self) -> str:
        """`ρ 0.83 · snip · 41 pages · generation 2`; what was learned of sizes follows.

        ` · 5,210 to 5,400 tokens (×1.18 + 900 hidden)`.
        """
        level = f" · {self.level}" if self.level else ""
        line = f"ρ {self.rho:.2f}{level} · {self.pages} pages · generation {self.generation}"
        if self.bound == self.tokens.total == self.estimate:
            return line
        hidden = f" + {self.hidden:,} hidden" if self.hidden else ""
        return f"{line} · {self.estimate:,} to {self.bound:,} tokens (×{self.ratio:.2f}{hidden})"


def rho(tokens: int, limits: Limits) -> float:
    """Pressure of that many tokens as Loom counts them; infinite when there is no room at all."""
    return limits.scale.bound(tokens) / limits.room if limits.room > 0 else float("inf")
