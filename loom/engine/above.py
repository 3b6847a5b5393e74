"""Why the first request after a renewal stands above low water, where it does.

A renewal goes down to low water, or as far as what may not leave lets it. What is read ahead, or
comes in before the request is made, is added to that; and a prompt the provider hides lies beside
what any cut can reach. Each takes a share of ρ, and together they say all of it.
"""

from __future__ import annotations

from msgspec import Struct

from loom.compress.blame import pinned
from loom_partitions.limits import Limits
from loom_partitions.message import Notice
from loom_partitions.window import Window

READ_AHEAD, CAME_IN, HIDDEN = "read ahead", "came in", "hidden"
PROTECTED, PINNED, HISTORY = "protected", "pinned", "history"
WORDS = {
    READ_AHEAD: "{share:.2f} read ahead",
    CAME_IN: "{share:.2f} came in since",
    HIDDEN: "the provider adds {share:.2f}",
    PROTECTED: "protected parts take {share:.2f}",
    PINNED: "pinned entries take {share:.2f}",
    HISTORY: "what stays of history takes {share:.2f}",
}


class Above(Struct, frozen=True):
    """A cause that takes a `share` of ρ: "read ahead", "came in", "hidden", "protected", "pinned"
    or "history"."""

    what: str
    share: float

    def __str__(self) -> str:
        """Return it in words: `0.10 read ahead`."""
        return WORDS[self.what].format(share=self.share)


def rho(tokens: int, limits: Limits) -> float:
    """Pressure of that many tokens as Loom counts them; infinite when there is no room at all."""
    return limits.scale.bound(tokens) / limits.room if limits.room > 0 else float("inf")


def above(window: Window) -> tuple[Above, ...]:
    """The causes by which a request is above low water although a renewal led to it; () where it is
    not above, or no renewal did."""
    limits, tokens = window.limits, window.tokens
    low = limits.low_water
    if window.sent.acted != "renewal" or limits.capacity <= 0 or rho(tokens.total, limits) <= low:
        return ()
    notices = (item for item in window.history.stream if isinstance(item, Notice))
    told = sum(notice.tokens for notice in notices if notice.partition == "working")
    ahead = window.sent.ahead
    came = max(tokens.total - window.sent.cut_tokens - told - ahead, 0)
    base = tokens.total - ahead - came
    added = (
        Above(READ_AHEAD, rho(tokens.total, limits) - rho(tokens.total - ahead, limits)),
        Above(CAME_IN, rho(base + came, limits) - rho(base, limits)),
    )
    shares = [*added, *(_left(window, base) if rho(base, limits) > low else ())]
    return tuple(one for one in shares if one.share > 0)


def _left(window: Window, base: int) -> tuple[Above, ...]:
    """The causes that lie in the `base` tokens a renewal itself had to leave."""
    limits = window.limits
    hidden = rho(base, limits) - base / limits.capacity
    if base <= limits.capacity * limits.low_water:
        return (Above(HIDDEN, hidden),)
    kept = sum(entry.tokens for entry in pinned(window))
    protected = min(window.tokens.protected, base)
    rest = max(base - protected - kept, 0)
    parts = ((PROTECTED, protected), (PINNED, kept), (HISTORY, rest))
    return (
        Above(HIDDEN, hidden),
        *(Above(what, tokens / limits.capacity) for what, tokens in parts),
    )
