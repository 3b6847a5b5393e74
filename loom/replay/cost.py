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
    """The sum of `calls` requests in tokens: `sent` in all, `reused` of them read from the
    provider's cache, `hourly` written to the cache for an hour. `peak` is the largest request."""

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
        """Return the price of the requests' input, in dollars."""
        return prices.input_cost(self.reused, self.written, self.hourly)

    def add(self, other: Bill) -> None:
        """Add the bill of other requests to this one."""
        for name in ("calls", "sent", "reused", "hourly"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.peak = max(self.peak, other.peak)


class PlainRun(Struct, frozen=True):
    """The requests of a client that sends the whole conversation each time and never compacts.

    `bill` is of all requests, as if the window had no end. `overflow` is the number, from 1, of the
    first request larger than the window's room, 0 when all fit; `lawful` is the bill of the
    requests before it."""

    bill: Bill
    lawful: Bill
    overflow: int = 0


class CompactionTally(Struct, frozen=True):
    """What the compactions of the client that was recorded took, in tokens, as far as it is known.

    In `count` compactions the model `read` the window and `wrote` a summary; afterwards the rest of
    the window was written to the cache anew (`rewritten`)."""

    count: int = 0
    read: int = 0
    wrote: int = 0
    rewritten: int = 0

    def cost(self, prices: Prices) -> float:
        """Return the lowest possible price in dollars: as if the window had been read from the
        cache."""
        parts = (prices.read * self.read, prices.output * self.wrote, prices.write * self.rewritten)
        return sum(parts) / MILLION


def tally_compactions(
    compactions: Iterable[ClientCompaction], count: Callable[[str], int]
) -> CompactionTally:
    """Return the sum over a client's compactions. `count(text)` gives the tokens of a summary whose
    size is not recorded."""
    tally = CompactionTally()
    for one in compactions:
        wrote = one.wrote or (count(one.summary) if one.summary else 0)
        # What a client sends before the talk is still in the cache.
        more = 1, one.read or one.before, wrote, max(one.after - one.front, wrote)
        tally = CompactionTally(*map(add, astuple(tally), more))
    return tally
