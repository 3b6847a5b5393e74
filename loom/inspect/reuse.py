"""How much of what is sent stood at the front of the request before: what a cache can serve.

Counted from what the journal holds: between cuts a request begins with all of the one before, and
a cut's certificate says how much of it still does; a client's own part stands in front of it, and
is the same while it takes as many tokens. `loom top` and `loom replay` show this one figure.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from loom.engine.sent_size import SentSize
from loom.providers.prices import Prices


class PrefixReuse(Struct, frozen=True):
    """The tokens of all requests so far, and of these the ones that were `reused`.

    `front` is how many tokens at the front of the last request the next one begins with, as Loom
    counts, and `beside` its client's part. `last` is the last request (None before the first),
    `kept` what of it was reused, as Loom counts, and `before` the largest before it. `hourly` are
    the tokens that were written to a cache for an hour. `requests` is how many were sent, `again`
    how many of these once more; `refused` how many the provider refused: those are in no other
    figure.
    """

    sent: int = 0
    reused: int = 0
    front: int = 0
    beside: int = 0
    kept: int = 0
    last: SentSize | None = None
    before: int = 0
    hourly: int = 0
    requests: int = 0
    again: int = 0
    refused: int = 0

    @property
    def share(self) -> float:
        """The share of all tokens sent that stood in the request before, 0 to 1."""
        return self.reused / self.sent if self.sent else 0.0

    @property
    def largest(self) -> int:
        """The tokens of the largest request that was not refused."""
        return max(self.before, self.last.total if self.last and self.last.times else 0)

    def shortened(self, tokens: int) -> PrefixReuse:
        """Tell of a cut or an undo: only `tokens` of the last request still stand at the front."""
        return replace(self, front=min(self.front, tokens))

    def with_request(self, size: SentSize) -> PrefixReuse:
        """Count one more request."""
        kept = min(self.front, size.tokens.total)
        kept += size.beside if size.beside == self.beside else 0
        return PrefixReuse(
            self.sent + size.sent,
            self.reused + size.reused(kept),
            front=size.tokens.total,
            beside=size.beside,
            kept=kept,
            last=size,
            before=self.largest,
            hourly=self.hourly + size.hourly,
            requests=self.requests + size.times,
            again=self.again,
            refused=self.refused,
        )

    def reported(self, size: SentSize) -> PrefixReuse:
        """Tell the size of the last request anew: its provider said it, or refused the request, or
        was sent it again."""
        was = self.last
        if was is None:
            return self
        return replace(
            self,
            sent=self.sent - was.sent + size.sent,
            reused=self.reused - was.reused(self.kept) + size.reused(self.kept),
            last=size,
            hourly=self.hourly - was.hourly + size.hourly,
            requests=self.requests - was.times + size.times,
            again=self.again - max(was.times - 1, 0) + max(size.times - 1, 0),
            refused=self.refused - (not was.times) + (not size.times),
        )

    def cost(self, prices: Prices) -> float:
        """Dollars for the input of all requests."""
        return prices.input_cost(self.reused, self.sent - self.reused, self.hourly)
