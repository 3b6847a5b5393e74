"""The numbers a window lives by: sizes in tokens, and how many items its surfaces hold."""

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
    """From tokens as Loom counts them to an upper bound of what the provider will count.

    The line through the last reported request, (`tokens`, `reported`), margin included: it climbs
    by `rise` for each token above, and falls by `fall` for each below (`fall` ≤ `rise`). A prompt
    the provider adds unseen is in `reported`. As it stands nothing is known: the two are the same.
    """

    tokens: int = 0
    reported: int = 0
    rise: float = 1.0
    fall: float = 1.0

    def bound(self, tokens: int) -> int:
        """Tokens of the provider that a request of `tokens` takes at most."""
        more = tokens - self.tokens
        return max(self.reported + ceil(more * (self.rise if more > 0 else self.fall)), 0)

    def counted_that_fit(self, room: int) -> int:
        """Counted tokens whose bound is at most `room` tokens of the provider."""
        more = room - self.reported
        return max(self.tokens + floor(more / (self.rise if more > 0 else self.fall)), 0)


class Sample(Struct, frozen=True, array_like=True):
    """One request: `tokens` as Loom counted it, `reported` as the provider of `model` did; `anew`
    where a cut lies between it and the request before."""

    tokens: int
    reported: int
    model: str = ""
    anew: bool = False


class Budget(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What an agent that works for another may use; 0 leaves a limit out, less allows nothing.

    `steps` replies, `files` files and `bytes` handed over, and `agents` ever spawned are its own
    and those of all agents below it together. Each by itself has results of at most `step_tokens`
    a step, `seconds` from its first commit on, and `depth`, how many agents may stand above each
    other. The figures are those of the isolation document of the seed, but for `seconds`, which
    would end an agent whose model is slow; as each agent needs a step to do anything, there are no
    more `agents` than steps.
    """

    steps: int = 20
    step_tokens: int = 2_000
    files: int = 10
    bytes: int = 1_000_000
    seconds: float = 0.0
    depth: int = 5
    agents: int = 20


class MediaLimits(Struct, frozen=True, omit_defaults=True):
    """What a provider takes of images and documents; 0 leaves a limit out.

    `images` are those of a request, each page of a PDF one of them, `pages` those of one PDF.
    `side` is in pixels, `size` in bytes of an image. With more images than `many` in a request no
    side of any is over `many_side`.
    """

    images: int = 0
    pages: int = 0
    side: int = 0
    many: int = 0
    many_side: int = 0
    size: int = 0

    def within(self, other: MediaLimits) -> MediaLimits:
        """Of each limit the smaller that is one."""
        pairs = zip(astuple(self), astuple(other), strict=True)
        return MediaLimits(*(min(filter(None, pair), default=0) for pair in pairs))


class Limits(Struct, frozen=True, kw_only=True):
    """Sizes in tokens.

    `window` is what the provider allows, `reply` what is kept free for the model's answer, both in
    the provider's tokens; everything else is in tokens as Loom counts them, and `scale` leads from
    these to those. `head` is the overhead of the leading system message, `run` that of one run of
    lowered entries (its heading and message). Both depend on the encoding, so they are recorded.
    `stated` is the window a provider named when it refused a request, 0 when none did, `refused`
    the size of a request that was refused without that. `doubted` are the limits to go back to once
    a request within the refusal's has been answered, where larger ones had been: None elsewhere.
    `media` is what a provider said of images and documents when it refused a request.
    `named` is the reply as somebody named it, 0 for one that follows from the window.
    `low_water` is the share of the capacity a cut goes down to; `served` the turns it makes room
    for, as long as that leaves the share LEAST; `plenty` the turns it need not go deeper for, 0 for
    none: a large window stays above low water, up to the share `most`.
    """

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
        """Tokens of the provider a request may take: the window less the reply."""
        return self.window - self.reply

    @property
    def capacity(self) -> int:
        """Tokens a request may hold: within the room by its bound, and smaller than one refused."""
        if self.room <= 0:
            return self.room
        fits = self.scale.counted_that_fit(self.room)
        return min(fits, self.refused - 1) if self.refused else fits

    def target(self, growth: float) -> int:
        """Tokens a cut goes down to, of what is left beside a hidden prompt.

        That is low water, or less where the window grows by so many tokens a turn (`growth`) that
        the next cut would follow too soon, or more where it has plenty of room.
        """
        if not self.plenty:
            return self.low(growth)
        high = min(int(self.capacity - self.plenty * growth), int(self.capacity * self.most))
        share = max(int(self.capacity * self.low_water), high)
        return min(share, self._most_leaving_turns(growth))

    def low(self, growth: float) -> int:
        """Tokens a renewal goes down to: low water, however much room there is, or less."""
        return min(int(self.capacity * self.low_water), self._most_leaving_turns(growth))

    def _most_leaving_turns(self, growth: float) -> int:
        return max(int(self.capacity - self.served * growth), int(self.capacity * LEAST))


class Tokens(Struct, frozen=True):
    """Tokens a request holds, by partition."""

    system: int = 0
    memory: int = 0
    skill: int = 0
    history: int = 0
    working: int = 0

    @property
    def total(self) -> int:
        """All partitions together."""
        return self.system + self.memory + self.skill + self.history + self.working

    @property
    def protected(self) -> int:
        """The tokens that compression never touches: everything but history."""
        return self.total - self.history

    def plus(self, partition: str, tokens: int) -> Tokens:
        """The same with `tokens` more (or fewer) in one partition."""
        return replace(self, **{partition: getattr(self, partition) + tokens})
