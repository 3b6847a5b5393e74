"""The cost of requests: tokens read from the provider's prompt cache, tokens written to it, money.

The bytes that a request shares with the front of the request before are read from the cache; the
others are written to it. Nothing ever expires."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import add

from msgspec import Struct
from msgspec.structs import astuple

from loom.inputs import ClientCompaction
from loom.providers.prices import MILLION, Prices


class Bill(Struct):
    """The tokens of `calls` requests: `sent` in all, `reused` of them read from the cache, `hourly`
    written to the cache for an hour. `peak` is the largest request."""

    calls: int = 0
    sent: int = 0
    reused: int = 0
    peak: int = 0
    hourly: int = 0

    @property
    def written(self) -> int:
        """The tokens that were written to the cache."""
        return self.sent - self.reused

    def cost(self, prices: Prices) -> float:
        """Return the dollars for the input of the requests."""
        return prices.input_cost(self.reused, self.written, self.hourly)

    def add(self, other: Bill) -> None:
        """Add the bill of other requests to this one."""
        for name in ("calls", "sent", "reused", "hourly"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.peak = max(self.peak, other.peak)


class PlainRun(Struct, frozen=True):
    """The requests that a plain client would have sent, and the first that no longer fits.

    `bill` is of all requests, as if the window had no end. `overflow` is the number, from 1, of the
    first request larger than its room, 0 when all fit; `lawful` is the bill of those before it."""

    bill: Bill
    lawful: Bill
    overflow: int = 0


class CompactionTally(Struct, frozen=True):
    """What the recording client's own compactions took, in tokens, as far as the recording says.

    For `count` compactions the model `read` the window and `wrote` a summary, and the rest of the
    window had to be written to the cache anew (`rewritten`)."""

    count: int = 0
    read: int = 0
    wrote: int = 0
    rewritten: int = 0

    def cost(self, prices: Prices) -> float:
        """Return the least dollars it can have cost: the window counts as read from the cache."""
        parts = (prices.read * self.read, prices.output * self.wrote, prices.write * self.rewritten)
        return sum(parts) / MILLION


def tally_compactions(
    compactions: Iterable[ClientCompaction], count: Callable[[str], int]
) -> CompactionTally:
    """Return the sum of a client's compactions. `count` gives the tokens of an unsized summary."""
    tally = CompactionTally()
    for one in compactions:
        wrote = one.wrote or (count(one.summary) if one.summary else 0)
        # What a client sends before the talk is still in the cache.
        more = 1, one.read or one.before, wrote, max(one.after - one.front, wrote)
        tally = CompactionTally(*map(add, astuple(tally), more))
    return tally
