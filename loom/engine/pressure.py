"""ρ: tokens of the next request over its room (window less reply), and all of a request's size."""

from __future__ import annotations

from msgspec import Struct

from loom.engine.above import Above, above
from loom.engine.above import rho as rho
from loom.engine.meter import calibration
from loom.reduce.lines import counted
from loom_partitions.limits import Tokens
from loom_partitions.window import Window

CLIENT = "client"  # the band of what a client sends beside the window


class Pressure(Struct, frozen=True):
    """How full a request is, and what was done about it.

    `tokens` and `capacity` are in tokens as Loom counts them. `estimate` is what the provider is
    expected to count and `bound` what it counts at most, `ratio` its tokens for one of ours, and
    `hidden` the tokens it adds unseen, all learned from its reports. ρ is `bound` over the `room`,
    which is the window less the reply, in the provider's tokens.
    `above` says why the first request after a renewal is above low water; () where it is not.
    `client` are the tokens a client sends beside all of this, and `held` what the window is smaller
    by for them. `doubted` is a stated limit that is tried for this request alone, as the provider
    took one of `taken` tokens before; both are 0 elsewhere.
    """

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
    above: tuple[Above, ...] = ()
    doubted: int = 0
    taken: int = 0
    client: int = 0
    held: int = 0

    @property
    def budget(self) -> int:
        """Tokens left in the request."""
        return self.capacity - self.tokens.total

    @property
    def counted(self) -> bool:
        """True once reports of the provider tell its count from Loom's."""
        return not self.bound == self.tokens.total == self.estimate

    def __str__(self) -> str:
        """`ρ 0.83 · snip · 41 pages · generation 2`; what was learned of sizes follows, and what
        keeps it above low water (`0.10 read ahead`) stands behind a renewal.

        ` · 5,210 to 5,400 tokens (×1.18 + 900 hidden)`.
        """
        level = f" · {self.level}" if self.level else ""
        level += "".join(f" · {one}" for one in self.above)
        if self.taken:
            limit = f"limit of {self.doubted:,}" if self.doubted else "refusal"
            level += f" · {limit} tried once: {self.taken:,} tokens were accepted before"
        pages = counted(self.pages, "page")
        line = f"ρ {self.rho:.2f}{level} · {pages} · generation {self.generation}"
        if not self.counted:
            return line
        hidden = f" + {self.hidden:,} hidden" if self.hidden else ""
        return f"{line} · {self.estimate:,} to {self.bound:,} tokens (×{self.ratio:.2f}{hidden})"


def pressure_of(window: Window, pages: int) -> Pressure:
    """ρ of the request a window would make now, and what is known of its size."""
    tokens, known, limits = window.tokens, calibration(window), window.limits
    bound = window.limits.scale.bound(tokens.total)
    return Pressure(
        rho(tokens.total, window.limits),
        tokens,
        window.limits.capacity,
        window.sent.acted,
        pages,
        window.sent.generation,
        # A report that was too much to be believed moves what is expected, not the bound.
        estimate=min(known.estimate(tokens.total), bound),
        bound=bound,
        ratio=known.ratio,
        hidden=known.hidden,
        room=window.limits.room,
        above=above(window),
        doubted=limits.stated if limits.doubted else 0,
        taken=window.sent.accepted[0] if limits.doubted else 0,
        client=window.sent.beside,
        held=window.sent.held,
    )


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
        """What Loom counts, by partition, the client's part first where there is one."""
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
