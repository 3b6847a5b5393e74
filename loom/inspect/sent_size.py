"""The size of a request that was sent: by partition, beside the window, and as it was reported."""

from __future__ import annotations

from msgspec import Struct

from loom.session.pressure import rho
from loom_partitions.limits import Tokens
from loom_partitions.window import Window

CLIENT = "client"  # the band of what a client sends beside the window


class SentSize(Struct, frozen=True):
    """A request in tokens: `tokens` by partition and what is `beside` them as Loom counts, the
    whole as `reported` by the provider (0 where it did not say), and the `capacity` that the whole
    had, in the tokens of whoever counted it. `rho` is the pressure of the window's own part, by all
    that was known of its size, the report among it; `hourly` are the tokens that were
    written to a cache for an hour, and `times` how often it was sent: 0 for one that was refused,
    which a provider does not count."""

    tokens: Tokens
    beside: int = 0
    reported: int = 0
    capacity: int = 0
    rho: float = 0.0
    hourly: int = 0
    times: int = 1

    @property
    def counted(self) -> int:
        """The whole as Loom counts it."""
        return self.tokens.total + self.beside

    @property
    def total(self) -> int:
        """The whole: as the provider counted it, else as Loom does."""
        return self.reported or self.counted

    @property
    def sent(self) -> int:
        """Tokens that were sent of it in all."""
        return self.total * self.times

    def reused(self, kept: int) -> int:
        """Tokens of these that the request before held, where it held so many of one (as Loom
        counts): of one that is sent again, all."""
        return self.scaled(kept) + self.sent - self.total if self.times else 0

    def scaled(self, tokens: int) -> int:
        """So many of the counted tokens, in those of `total`."""
        return round(tokens * self.total / self.counted) if self.counted else tokens

    @property
    def bands(self) -> dict[str, int]:
        """The counted tokens by partition, the client's part first where there is one."""
        made = {CLIENT: self.beside} if self.beside else {}
        return made | {name: getattr(self.tokens, name) for name in self.tokens.__struct_fields__}


def sent_size(window: Window) -> SentSize:
    """The size of the request a window was sent as, or would be sent as."""
    sent, limits = window.sent, window.limits
    room = limits.room if sent.reported else limits.capacity
    full = round(rho(window.tokens.total, limits), 4)
    return SentSize(
        window.tokens, sent.beside, sent.reported, room + sent.held, full, sent.hourly, sent.times
    )
