"""ρ: tokens of the next request over the capacity (window less reply)."""

from __future__ import annotations

from msgspec import Struct

from partitions.limits import Limits, Tokens


class Pressure(Struct, frozen=True):
    """How full a request is, and what was done about it."""

    rho: float
    tokens: Tokens
    capacity: int
    level: str = ""
    pages: int = 0
    generation: int = 1

    @property
    def budget(self) -> int:
        """Tokens left in the request."""
        return self.capacity - self.tokens.total

    def __str__(self) -> str:
        """`ρ 0.83 · snip · 41 pages · generation 2`."""
        level = f" · {self.level}" if self.level else ""
        return f"ρ {self.rho:.2f}{level} · {self.pages} pages · generation {self.generation}"


def rho(tokens: int, limits: Limits) -> float:
    """Pressure of that many tokens; infinite when there is no capacity at all."""
    return tokens / limits.capacity if limits.capacity > 0 else float("inf")
