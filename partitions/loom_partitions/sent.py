"""The state of requests: which were made, what the provider said of them, and the cuts between.

This is state of the fold, not a partition. Three flags carry the law *append-only between cuts*:

    made    a request was made since the last cut; later changes of the head stand as notices
    placed  the dashboard was placed since the last cut; later turns append only what changed
    turned  nothing came in since the last request: asking again gives the same request"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from loom_partitions.config import Redacted, Resized
from loom_partitions.history import Brought, Heard, Replied, Returned
from loom_partitions.limits import MediaLimits, Sample, Scale
from loom_partitions.message import Notice
from loom_partitions.surfaces import HandedOver
from loom_partitions.working import Finished, Tasked

SAMPLES = 64  # reported sizes the window keeps


class WindowCounters(Struct, frozen=True):
    """The flags and counters of requests and cuts.

    - `turn` is the number of the last request, `asked` its tokens as Loom counted them, `times` how
      often it was sent and not refused. `reported` is what the provider counted for it, with tokens
      sent beside the window, 0 until the provider says; `hourly` is the part of `reported` that
      was written to the provider's cache for an hour.
    - `shared` is how many items at the front of the stream are still as in the last request (-1:
      the texts before the stream changed). `stable` is that number as the last cut left it, `known`
      that number for the request before the last.
    - `told` sums up what the dashboard last told the model. `tried` is (levels that were reached
      when no cut was found, tokens of the window then).
    - `cuts` counts cuts; `cut_turn`, `cut_tokens` and `level` ("renewal" for a renewal) are those
      of the last one. `ahead` counts tokens read ahead since then. `shed` names the texts that the
      last renewal left out, `requested` what the model asked for.
    - `samples` are the sizes the provider reported. `accepted` is (tokens, model) of the largest
      request that was answered.
    - `redacted`: a secret was replaced somewhere. `unredacted`: the workspace was once opened
      without rules that would replace secrets.
    - `beside` counts the tokens that a client sends with each request beside the window; `held`
      is how much smaller the window was made for them.
    - `limited` is (request at which a refusal made the window smaller, window and reply before
      that), with 0 for window and reply when the host has set them since."""

    turn: int = 0
    asked: int = 0
    shared: int = -1
    stable: int = -1
    known: int = -1
    made: bool = False
    placed: bool = False
    turned: bool = False
    told: str = ""
    tried: tuple[int, int] = (-1, 0)
    cuts: int = 0
    cut_turn: int = 0
    cut_tokens: int = 0
    generation: int = 1
    renewed: bool = False
    shed: tuple[str, ...] = ()
    overflowed: bool = False
    requested: str = ""
    finished: bool = False
    delivered: bool = False
    samples: tuple[Sample, ...] = ()
    level: str = ""
    ahead: int = 0
    redacted: bool = False
    unredacted: bool = False
    accepted: tuple[int, str] = (0, "")
    beside: int = 0
    held: int = 0
    reported: int = 0
    hourly: int = 0
    times: int = 0
    limited: tuple[int, int, int] = (0, 0, 0)

    @property
    def last_cut_level(self) -> str:
        """The level of the last cut, if at most one request was made since; else ""."""
        return self.level if self.cut_turn >= self.turn - 1 else ""

    @property
    def anew(self) -> bool:
        """True when a cut came between the last request and the one before it."""
        return self.cuts > 0 and self.cut_turn == self.turn - 1

    @property
    def fresh(self) -> bool:
        """True when a renewal, or a cut after a refusal, came after the last request."""
        return (self.renewed or self.overflowed) and self.cut_turn == self.turn


class Turned(Struct, frozen=True, tag="Turned"):
    """A request was made. `notice` is the text put at the end of the stream for it, None for none.

    `told` sums up what the dashboard last told the model, so that only a material change is told
    again. `tried` is (levels that were reached when no cut was found, tokens then). `sha256` is the
    hash of the request's messages and tools, before they take a provider's shape; "" in older
    journals, and where a purge took secrets out. The window does not keep it."""

    turn: int
    notice: Notice | None
    told: str = ""
    tried: tuple[int, int] = (-1, 0)
    sha256: str = ""


class SentAgain(Struct, frozen=True, omit_defaults=True, tag="SentAgain"):
    """The last request was sent `times` more times, after a kill or a failed call."""

    times: int = 1


class Informed(Struct, frozen=True, tag="Informed"):
    """The model itself wrote on a surface of C_working; `told` sums up what the dashboard need not
    repeat to the model."""

    told: str


class Requested(Struct, frozen=True, tag="Requested"):
    """The model asked for an action before the next request; `what` is "compact"."""

    what: str


class Metered(Struct, frozen=True, omit_defaults=True, tag="Metered"):
    """The provider reported the size of the last request, in its own tokens (`prompt_tokens`).

    `tokens` is the same request as Loom counted it, its attachments at the provider's price;
    `scale` is the scale that all reports together lead to. `media` lists (entry id, tokens) of
    attachments for which the provider charged much more or less than Loom counted. `whole` is all
    that the provider counted where that is more than the window's request, else 0. With
    `prompt_tokens` of 0 the report says nothing of the window. `hourly` are the tokens written to
    the provider's cache for an hour, which cost more."""

    prompt_tokens: int
    model: str = ""
    tokens: int = 0
    scale: Scale = Scale()
    media: tuple[tuple[int, int], ...] = ()
    whole: int = 0
    hourly: int = 0


class Beside(Struct, frozen=True, tag="Beside"):
    """A client sends `tokens` tokens with each request beside the window: its own instructions and
    tools, which pass unchanged. The window is smaller by `held` tokens for them."""

    tokens: int
    held: int


class Overflowed(Struct, frozen=True, omit_defaults=True, tag="Overflowed"):
    """The provider refused a request as too long; `limit` is the limit it named, 0 for none.

    `taken` are the tokens of a larger request that it accepted earlier, which contradicts `limit`;
    0 for none. With `media` it refused the request for its images or documents, and named these
    limits."""

    limit: int
    taken: int = 0
    media: MediaLimits | None = None


def _fold_metered(sent: WindowCounters, record: Metered) -> WindowCounters:
    sent = replace(sent, reported=record.whole or record.prompt_tokens, hourly=record.hourly)
    if not record.prompt_tokens:
        return sent
    sample = Sample(record.tokens, record.prompt_tokens, record.model, sent.anew)
    return replace(sent, samples=(*sent.samples, sample)[-SAMPLES:])


def _fold_redacted(sent: WindowCounters, record: Redacted) -> WindowCounters:
    if record.off:
        return replace(sent, unredacted=True)
    if record.places is not None:  # nothing that was sent stands as it stood, nor is right now
        return replace(sent, shared=-1, stable=-1, known=-1, redacted=True, turned=False)
    return sent if sent.redacted else replace(sent, redacted=True)


CASES: dict[type, Callable[[WindowCounters, Any], WindowCounters]] = {
    Heard: lambda sent, record: replace(sent, finished=False, overflowed=False),
    Replied: lambda sent, record: replace(sent, finished=False, overflowed=False),
    Returned: lambda sent, record: replace(sent, overflowed=False),
    Resized: lambda sent, record: replace(sent, overflowed=False),
    Brought: lambda sent, record: replace(sent, ahead=sent.ahead + record.ahead),
    Tasked: lambda sent, record: replace(sent, finished=False),
    Finished: lambda sent, record: replace(sent, finished=True),
    HandedOver: lambda sent, record: sent if record.child else replace(sent, delivered=True),
    Informed: lambda sent, record: replace(sent, told=record.told),
    Requested: lambda sent, record: replace(sent, requested=record.what),
    Metered: _fold_metered,
    Beside: lambda sent, record: replace(sent, beside=record.tokens, held=record.held),
    Overflowed: lambda sent, record: replace(sent, overflowed=True, times=max(sent.times - 1, 0)),
    SentAgain: lambda sent, record: replace(sent, times=sent.times + record.times),
    Redacted: _fold_redacted,
}
