"""The size of a request that was sent: by partition, with what the client added, and as the
provider reported it."""

from __future__ import annotations

from msgspec import Struct

from loom.session.pressure import rho
from loom_partitions.limits import Tokens
from loom_partitions.window import Window

CLIENT = "client"  # the band of what a client sends beside the window


class SentSize(Struct, frozen=True):
    """The size of a request in tokens. A client may add a prompt and tools of its own to Loom's
    window.

    `tokens` counts the window by partition, `beside` what the client added, both as Loom counts.
    `reported` is the provider's count of both together, 0 for none. `capacity` is the room for
    both, in the provider's tokens if reported, else in Loom's. `rho` is the window's ρ. `hourly`
    are tokens written to a cache that lasts an hour. `times` is how often the request was sent, 0
    if the provider refused it."""

    tokens: Tokens
    beside: int = 0
    reported: int = 0
    capacity: int = 0
    rho: float = 0.0
    hourly: int = 0
    times: int = 1

    @property
    def counted(self) -> int:
        """The tokens of the window and of what the client added, as Loom counts."""
        return self.tokens.total + self.beside

    @property
    def total(self) -> int:
        """The tokens of the window and of what the client added, as the provider counted or,
        without a report, as Loom counts."""
        return self.reported or self.counted

    @property
    def sent(self) -> int:
        """All tokens sent for this request: `total` times the number of times it was sent."""
        return self.total * self.times

    def reused(self, kept: int) -> int:
        """Return how many of the `sent` tokens were also in the request sent just before, in the
        unit of `total`. `kept` is this number for the first sending, as Loom counts."""
        # When the request is sent again, all of it counts.
        return self.scaled(kept) + self.sent - self.total if self.times else 0

    def scaled(self, tokens: int) -> int:
        """Return `tokens`, a number that Loom counted, converted to the unit of `total`."""
        return round(tokens * self.total / self.counted) if self.counted else tokens

    @property
    def bands(self) -> dict[str, int]:
        """The tokens by partition as Loom counts, with "client" first if the client added any."""
        made = {CLIENT: self.beside} if self.beside else {}
        return made | {name: getattr(self.tokens, name) for name in self.tokens.__struct_fields__}


def sent_size(window: Window) -> SentSize:
    """Return the size of the last request of a window, or of the request that it would make now."""
    sent, limits = window.sent, window.limits
    room = limits.room if sent.reported else limits.capacity
    full = round(rho(window.tokens.total, limits), 4)
    return SentSize(
        window.tokens, sent.beside, sent.reported, room + sent.held, full, sent.hourly, sent.times
    )
