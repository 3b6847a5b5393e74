"""ρ: the tokens of the next request over its room (the window less the reply), and why it is high.

A renewal goes down to low water, or as far as the parts that must stay allow. Then texts are read
ahead, entries come in before the request is made, and a provider may add a prompt of its own that
no cut reaches. Each of these causes takes a share of ρ; together they make up all of it."""

from __future__ import annotations

from msgspec import Struct

from loom.compress.blame import pinned_in_window
from loom.reduce.lines import plural
from loom.session.meter import window_calibration
from loom_partitions.limits import Limits, Tokens
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


class PressureCause(Struct, frozen=True):
    """One cause of a high ρ. `share` is the cause's part of ρ. `what` is "read ahead", "came in",
    "hidden", "protected", "pinned" or "history"."""

    what: str
    share: float

    def __str__(self) -> str:
        """Return the cause in words: `0.10 read ahead`."""
        return WORDS[self.what].format(share=self.share)


def rho(tokens: int, limits: Limits) -> float:
    """Return ρ for a request of `tokens` as Loom counts; infinite where the window has no room."""
    return limits.scale.bound(tokens) / limits.room if limits.room > 0 else float("inf")


def why_above_low_water(window: Window) -> tuple[PressureCause, ...]:
    """Return the causes that keep the request after a renewal above low water; () after any other
    cut, or if the request is not above low water."""
    limits, tokens = window.limits, window.tokens
    low = limits.low_water
    if (
        window.sent.last_cut_level != "renewal"
        or limits.capacity <= 0
        or rho(tokens.total, limits) <= low
    ):
        return ()
    notices = (item for item in window.history.stream if isinstance(item, Notice))
    told = sum(notice.tokens for notice in notices if notice.partition == "working")
    ahead = window.sent.ahead
    came = max(tokens.total - window.sent.cut_tokens - told - ahead, 0)
    base = tokens.total - ahead - came
    added = (
        PressureCause(READ_AHEAD, rho(tokens.total, limits) - rho(tokens.total - ahead, limits)),
        PressureCause(CAME_IN, rho(base + came, limits) - rho(base, limits)),
    )
    shares = [*added, *(_causes_in_base(window, base) if rho(base, limits) > low else ())]
    return tuple(one for one in shares if one.share > 0)


def _causes_in_base(window: Window, base: int) -> tuple[PressureCause, ...]:
    """Return the causes of the `base` tokens, the tokens right after the renewal."""
    limits = window.limits
    hidden = rho(base, limits) - base / limits.capacity
    if base <= limits.capacity * limits.low_water:
        return (PressureCause(HIDDEN, hidden),)
    kept = sum(entry.tokens for entry in pinned_in_window(window))
    protected = min(window.tokens.protected, base)
    rest = max(base - protected - kept, 0)
    parts = ((PROTECTED, protected), (PINNED, kept), (HISTORY, rest))
    return (
        PressureCause(HIDDEN, hidden),
        *(PressureCause(what, tokens / limits.capacity) for what, tokens in parts),
    )


class Pressure(Struct, frozen=True):
    """How full a request is, and what was done about it.

        >>> with loom.open("memory://pressure", window=4_300) as ctx:
        ...     name = ctx.user("Mend the parser.")
        ...     print(ctx.turn().pressure)
        ρ 0.18 · 0 pages · generation 1

    `tokens` and `capacity` are in tokens as Loom counts. Four values are learned from the
    provider's reports: `estimate` is the provider's probable count, `bound` the highest possible
    count, `ratio` the provider's tokens for one of Loom's, `hidden` the tokens that the provider
    adds unseen. `room` is the window less the reply, in the provider's tokens. ρ is `bound` divided
    by `room`. `above` has the causes if the first request after a renewal is above low water, else
    (). `client` are the tokens that a client sends by itself, which make the window smaller by
    `held` tokens. `doubted` is a stated limit that this request may exceed, because the provider
    once accepted `taken` tokens; both are 0 without such a limit."""

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
    room: int = 0
    above: tuple[PressureCause, ...] = ()
    doubted: int = 0
    taken: int = 0
    client: int = 0
    held: int = 0

    @property
    def budget(self) -> int:
        """The tokens that are still free in the request."""
        return self.capacity - self.tokens.total

    @property
    def counted(self) -> bool:
        """True when the provider is known to count tokens differently from Loom."""
        return not self.bound == self.tokens.total == self.estimate

    def __str__(self) -> str:
        """Return a line such as `ρ 0.83 · snip · 41 pages · generation 2`. After a renewal it may
        also have the causes of a high ρ (`0.10 read ahead`). A provider's other count comes last: `
        · 5,210 to 5,400 tokens (×1.18 + 900 hidden)`."""
        level = f" · {self.level}" if self.level else ""
        level += "".join(f" · {one}" for one in self.above)
        if self.taken:
            limit = f"limit of {self.doubted:,}" if self.doubted else "refusal"
            level += f" · {limit} tried once: {self.taken:,} tokens were accepted before"
        pages = plural(self.pages, "page")
        line = f"ρ {self.rho:.2f}{level} · {pages} · generation {self.generation}"
        if not self.counted:
            return line
        hidden = f" + {self.hidden:,} hidden" if self.hidden else ""
        return f"{line} · {self.estimate:,} to {self.bound:,} tokens (×{self.ratio:.2f}{hidden})"


def pressure_of(window: Window, pages: int) -> Pressure:
    """Return how full the request is that a window would make now. `pages` is the workspace's
    number of pages."""
    tokens, known, limits = window.tokens, window_calibration(window), window.limits
    bound = window.limits.scale.bound(tokens.total)
    return Pressure(
        rho(tokens.total, window.limits),
        tokens,
        window.limits.capacity,
        window.sent.last_cut_level,
        pages,
        window.sent.generation,
        # A report that was too much to be believed moves what is expected, not the bound.
        estimate=min(known.estimate(tokens.total), bound),
        bound=bound,
        ratio=known.ratio,
        hidden=known.hidden,
        room=window.limits.room,
        above=why_above_low_water(window),
        doubted=limits.stated if limits.doubted else 0,
        taken=window.sent.accepted[0] if limits.doubted else 0,
        client=window.sent.beside,
        held=window.sent.held,
    )
