"""The size of a request that was sent: by partition, with what the client added, and as the
provider reported it."""

from __future__ import annotations

from msgspec import Struct

from loom.session.pressure import rho
from loom_partitions.limits import Tokens
from loom_partitions.window import Window

CLIENT = "client"  # the band of what a client sends beside the window


class SentSize(Struct, frozen=True):
    """The size of a request in tokens. "The whole" is Loom's window and what the client sent with
    it.

    As Loom counts, `tokens` are the window's by partition and `beside` the client's. `reported` is
    the whole as the provider counted, 0 where it did not say. `capacity` is the room for the whole,
    counted by the provider if it reported, else by Loom. `rho` is the pressure of the window.
    `hourly` are tokens written to a cache that lasts an hour. `times` is how often the request was
    sent; 0 for a refused request, which no provider counts."""

    tokens: Tokens
    beside: int = 0
    reported: int = 0
    capacity: int = 0
    rho: float = 0.0
    hourly: int = 0
    times: int = 1

    @property
    def counted(self) -> int:
        """The tokens of window and client's part, as Loom counts them."""
        return self.tokens.total + self.beside

    @property
    def total(self) -> int:
        """The tokens of window and client's part, as the provider reported them, else as Loom
        counts."""
        return self.reported or self.counted

    @property
    def sent(self) -> int:
        """`total`, summed over every time the request was sent."""
        return self.total * self.times

    def reused(self, kept: int) -> int:
        """Return the tokens, of all times the request was sent, that the provider had just before;
        counted as `total` is. The first time that is the front, `kept` tokens as Loom counts; later
        times it is all."""
        return self.scaled(kept) + self.sent - self.total if self.times else 0

    def scaled(self, tokens: int) -> int:
        """Return a number of tokens as Loom counts, converted to the count of `total`."""
        return round(tokens * self.total / self.counted) if self.counted else tokens

    @property
    def bands(self) -> dict[str, int]:
        """The tokens as Loom counts them by partition, after the client's part as "client"."""
        made = {CLIENT: self.beside} if self.beside else {}
        return made | {name: getattr(self.tokens, name) for name in self.tokens.__struct_fields__}


def sent_size(window: Window) -> SentSize:
    """Return the size of the request that a window was, or would be, sent as."""
    sent, limits = window.sent, window.limits
    room = limits.room if sent.reported else limits.capacity
    full = round(rho(window.tokens.total, limits), 4)
    return SentSize(
        window.tokens, sent.beside, sent.reported, room + sent.held, full, sent.hourly, sent.times
    )
