"""The sizes of a window in tokens, and how many items each of its surfaces holds."""

from __future__ import annotations

from math import ceil, floor

from msgspec import Struct
from msgspec.structs import astuple, replace

CEILING = 0.95  # of the capacity: above it even a minimal window is refused
LEAST = 0.60  # low water of the design: what a cut need never go below to make room
MOST = 0.85  # … and above which it never stays where no `most` was recorded

# Items on the surfaces of C_working; more aggregate, or are counted.
EVENTS_MAX = 12
PLAN_MAX = 12
QUESTIONS_MAX = 8
EVIDENCE_MAX = 10
RISKS_MAX = 8
DECISIONS_MAX = 8  # the window of recent decisions a renewal carries
ERRORS_WITHIN = 10  # steps after which a failure no longer counts as recent


class Scale(Struct, frozen=True, array_like=True):
    """An upper estimate of the provider's token count for a text, made from Loom's own count.

    The estimate is a line through one reported request: Loom counted `tokens`, the provider
    `reported`. The line climbs by `rise` for each token above `tokens`, and falls by `fall` for
    each token below (`fall` ≤ `rise`). The default scale makes both counts equal."""

    tokens: int = 0
    reported: int = 0
    rise: float = 1.0
    fall: float = 1.0

    def bound(self, tokens: int) -> int:
        """Return the most tokens that the provider will count where Loom counts `tokens`."""
        more = tokens - self.tokens
        return max(self.reported + ceil(more * (self.rise if more > 0 else self.fall)), 0)

    def counted_that_fit(self, room: int) -> int:
        """Return how many of Loom's tokens fit into `room`, a number of the provider's tokens."""
        more = room - self.reported
        return max(self.tokens + floor(more / (self.rise if more > 0 else self.fall)), 0)


class Sample(Struct, frozen=True, array_like=True):
    """The size of one request: `tokens` as Loom counted it, `reported` as the provider of `model`
    counted it. `anew` is True when a cut came between this request and the previous request."""

    tokens: int
    reported: int
    model: str = ""
    anew: bool = False


class Budget(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Limits for an agent that works for another. 0 means no limit; below 0 nothing is allowed.

    `steps` (replies), `files` and `bytes` (handed over) and `agents` (ever spawned) limit the sum
    over the agent and all agents below it. `step_tokens` (tokens of results in one step),
    `seconds` (since its first commit) and `depth` (levels of agents) limit each agent by itself.
    `agents` is at most `steps`. `seconds` has no default limit; `files` has one of 10.

        >>> loom.Budget(steps=5).files
        10"""

    steps: int = 20
    step_tokens: int = 2_000
    files: int = 10
    bytes: int = 1_000_000
    seconds: float = 0.0
    depth: int = 5
    agents: int = 20


class MediaLimits(Struct, frozen=True, omit_defaults=True):
    """A provider's limits on images and documents. 0 means that a limit is not known.

    `images` is the number of images in a request; each page of a PDF counts as an image. `pages` is
    the number of pages of one PDF. `side` is the longest side of an image in pixels, `size` its
    size in bytes. In a request with more than `many` images, `many_side` replaces `side`."""

    images: int = 0
    pages: int = 0
    side: int = 0
    many: int = 0
    many_side: int = 0
    size: int = 0

    def within(self, other: MediaLimits) -> MediaLimits:
        """Return limits that satisfy both this value and `other`: the smaller of each two known
        numbers."""
        pairs = zip(astuple(self), astuple(other), strict=True)
        return MediaLimits(*(min(filter(None, pair), default=0) for pair in pairs))


class Limits(Struct, frozen=True, kw_only=True):
    """The sizes of a window, in tokens.

    - `window` is what the provider allows; `reply` is the part kept free for the model's answer.
      `window`, `reply`, `stated` and `named` count the provider's tokens, all others Loom's;
      `scale` converts.
    - `head` is the overhead of the first system message. `run` is the overhead of a message that
      holds entries shown as lines, with its heading.
    - `low_water` is the share of the capacity that a cut goes down to. A cut goes lower, at most
      to LEAST, when `served` turns would not fit above `low_water`. It stops higher, at most at
      `most`, when `plenty` turns still fit above; `plenty` 0 turns this off.
    - `stated` is the window that a provider named when it refused a request, 0 for none. `refused`
      is the size of a request that it refused without naming a window, 0 for none.
    - `named` is the reply size that somebody set, 0 when it is derived from the window.
    - `doubted` are the limits before a refusal that contradicts earlier answers; they return once
      a request within the new limits is answered. None means that there is no doubt.
    - `media` is what a provider said about images and documents when it refused a request."""

    window: int
    reply: int
    head: int = 0
    run: int = 0
    low_water: float = 0.60
    served: int = 0
    plenty: int = 0
    most: float = MOST
    stated: int = 0
    refused: int = 0
    scale: Scale = Scale()
    named: int = 0
    doubted: Limits | None = None
    media: MediaLimits | None = None

    @property
    def room(self) -> int:
        """How many of the provider's tokens a request may take: `window` minus `reply`."""
        return self.window - self.reply

    @property
    def capacity(self) -> int:
        """The most tokens, as Loom counts them, that a request may have."""
        if self.room <= 0:
            return self.room
        fits = self.scale.counted_that_fit(self.room)
        return min(fits, self.refused - 1) if self.refused else fits

    def target(self, growth: float) -> int:
        """Return how many tokens a request should have after a cut. `growth` is the number of
        tokens that a turn adds."""
        if not self.plenty:
            return self.low(growth)
        high = min(int(self.capacity - self.plenty * growth), int(self.capacity * self.most))
        share = max(int(self.capacity * self.low_water), high)
        return min(share, self._most_with_room_for_turns(growth))

    def low(self, growth: float) -> int:
        """Return how many tokens a request should have after a renewal: low water or less. `growth`
        is the number of tokens that a turn adds."""
        return min(int(self.capacity * self.low_water), self._most_with_room_for_turns(growth))

    def _most_with_room_for_turns(self, growth: float) -> int:
        """Return the most tokens, at least the share LEAST of the capacity, that leave space for
        `served` turns of `growth` tokens each."""
        return max(int(self.capacity - self.served * growth), int(self.capacity * LEAST))


class Tokens(Struct, frozen=True):
    """The number of tokens of a request, for each partition."""

    system: int = 0
    memory: int = 0
    skill: int = 0
    history: int = 0
    working: int = 0

    @property
    def total(self) -> int:
        """The tokens of all partitions together."""
        return self.system + self.memory + self.skill + self.history + self.working

    @property
    def protected(self) -> int:
        """The tokens of all partitions except history."""
        return self.total - self.history

    def plus(self, partition: str, tokens: int) -> Tokens:
        """Return a copy with `tokens`, perhaps negative, added to the count of one partition."""
        return replace(self, **{partition: getattr(self, partition) + tokens})
