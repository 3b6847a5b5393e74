"""What requests cost: tokens read from the provider's prompt cache, tokens written to it, and
dollars.

A request reads from the cache what it has in common with the beginning of the previous request. It
writes the rest to the cache. The cache is assumed never to expire."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import add

from msgspec import Struct
from msgspec.structs import astuple

from loom.inputs import ClientCompaction
from loom.providers.prices import MILLION, Prices


class Bill(Struct):
    """Token sums over `calls` requests. `sent`: all input tokens. `reused`: input tokens read from
    the provider's cache. `hourly`: tokens written to the cache for one hour. `peak`: size of the
    largest request."""

    calls: int = 0
    sent: int = 0
    reused: int = 0
    peak: int = 0
    hourly: int = 0

    @property
    def written(self) -> int:
        """The number of input tokens that were not read from the cache but written to it."""
        return self.sent - self.reused

    def cost(self, prices: Prices) -> float:
        """Return the price of the requests' input tokens in dollars."""
        return prices.input_cost(self.reused, self.written, self.hourly)

    def add(self, other: Bill) -> None:
        """Add the sums of another bill to this bill. `peak` becomes the larger peak."""
        for name in ("calls", "sent", "reused", "hourly"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.peak = max(self.peak, other.peak)


class PlainRun(Struct, frozen=True):
    """What the requests would cost if a client sent the whole conversation each time and never
    compacted.

    `bill` covers all requests, as if the window had no limit. `overflow` is the number (from 1) of
    the first request that does not fit the window, 0 if all fit. `lawful` is the bill of the
    requests before request `overflow`."""

    bill: Bill
    lawful: Bill
    overflow: int = 0


class CompactionTally(Struct, frozen=True):
    """Recorded token sums over `count` compactions by the client. `read`: tokens that the model
    read to write the summaries. `wrote`: tokens of the summaries. `rewritten`: tokens that were
    written to the cache again after the compactions."""

    count: int = 0
    read: int = 0
    wrote: int = 0
    rewritten: int = 0

    def cost(self, prices: Prices) -> float:
        """Return the price of the compactions in dollars if the model read each window from the
        cache."""
        parts = (prices.read * self.read, prices.output * self.wrote, prices.write * self.rewritten)
        return sum(parts) / MILLION


def tally_compactions(
    compactions: Iterable[ClientCompaction], count: Callable[[str], int]
) -> CompactionTally:
    """Return the token sums over a client's compactions. `count(text)` counts the tokens of a
    summary whose size is not recorded."""
    tally = CompactionTally()
    for one in compactions:
        wrote = one.wrote or (count(one.summary) if one.summary else 0)
        # What a client sends before the talk is still in the cache.
        more = 1, one.read or one.before, wrote, max(one.after - one.front, wrote)
        tally = CompactionTally(*map(add, astuple(tally), more))
    return tally
