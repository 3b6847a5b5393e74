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
    """The flags and counters of requests and cuts. The module explains `made`, `placed`, `turned`.

    - `turn` is the number of the last request, `asked` its tokens as Loom counted them, `times` how
      often it was sent without a refusal. `reported` is the provider's count for it, tokens sent
      beside the window included; 0 until the provider reports it. `hourly` is the part of
      `reported` that was written to the provider's cache for an hour.
    - `shared` is how many items at the front of the stream are the same as in the last request; -1
      when the texts before the stream changed. `stable` is the value that the last cut gave
      `shared`. `known` is the value of `shared` before the last request.
    - `told` sums up what the dashboard last told the model. `tried` is (levels that were reached
      when no cut was found, tokens of the window then).
    - `cuts` counts cuts. `cut_turn`, `cut_tokens` and `level` describe the last cut. `ahead` counts
      the tokens read ahead since the last cut. `shed` names the texts that the last renewal left
      out. `requested` is the action that the model asked for.
    - `samples` are the sizes that the provider reported. `accepted` is (tokens, model) of the
      largest request that was answered.
    - `redacted` is True when a secret was replaced anywhere. `unredacted` is True when the
      workspace was once opened without rules that replace secrets.
    - `beside` counts the tokens that a client sends in each request in addition to the window.
      `held` is how much smaller the window was made for them.
    - `limited` is (number of the request whose refusal made the window smaller, window before that,
      reply before that). Window and reply are 0 when the host has set sizes since."""

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
        """The level of the last cut if at most one request was made after the cut, else ""."""
        return self.level if self.cut_turn >= self.turn - 1 else ""

    @property
    def anew(self) -> bool:
        """True when a cut came between the last two requests."""
        return self.cuts > 0 and self.cut_turn == self.turn - 1

    @property
    def fresh(self) -> bool:
        """True when the last request was followed by a renewal, or by a cut after a refusal."""
        return (self.renewed or self.overflowed) and self.cut_turn == self.turn


class Turned(Struct, frozen=True, tag="Turned"):
    """A request was made; `turn` is its number. `notice` is the text that was put at the end of the
    stream for this request, None for none.

    `told` sums up what the dashboard last told the model. `tried` is (levels that were reached when
    no cut was found, tokens of the window then). `sha256` is the hash of the request's messages and
    tools, before they are put into a provider's format; "" in older journals, and where a purge
    took secrets out."""

    turn: int
    notice: Notice | None
    told: str = ""
    tried: tuple[int, int] = (-1, 0)
    sha256: str = ""


class SentAgain(Struct, frozen=True, omit_defaults=True, tag="SentAgain"):
    """The last request was sent `times` more times: the process was killed, or the call failed."""

    times: int = 1


class Informed(Struct, frozen=True, tag="Informed"):
    """The model itself changed C_working. `told` sums up what the dashboard need not tell the
    model."""

    told: str


class Requested(Struct, frozen=True, tag="Requested"):
    """The model asked for an action before the next request; `what` is "compact"."""

    what: str


class Metered(Struct, frozen=True, omit_defaults=True, tag="Metered"):
    """The provider reported the size of the last request in its own tokens, `prompt_tokens`; 0
    means that the report says nothing about the window.

    `tokens` is Loom's own count of this request. `scale` is the new estimate made from all reports.
    `media` lists (entry id, tokens) for attachments that cost much more or less than Loom had
    counted. `whole` is the provider's full count if it includes more than the window's request,
    else 0. `hourly` counts tokens written to the provider's cache for an hour."""

    prompt_tokens: int
    model: str = ""
    tokens: int = 0
    scale: Scale = Scale()
    media: tuple[tuple[int, int], ...] = ()
    whole: int = 0
    hourly: int = 0


class Beside(Struct, frozen=True, tag="Beside"):
    """A client sends `tokens` tokens of its own instructions and tools in each request, beside the
    window. The window is made smaller by `held` tokens for them."""

    tokens: int
    held: int


class Overflowed(Struct, frozen=True, omit_defaults=True, tag="Overflowed"):
    """The provider refused a request as too long. `limit` is the limit it named, 0 for none.

    `taken` is the size of a larger request that it accepted earlier, 0 for none. `media` holds the
    limits it named when it refused the request because of its images or documents."""

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
