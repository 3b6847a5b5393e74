"""What was sent: the requests made so far, what the provider said of them, and the cuts between.

Flags of the fold, rather than a partition. Three of them carry *append-only between cuts*:

    made    a request of this cut was made; from now on changes of the head stand as notices
    placed  the dashboard has been placed since the last cut; later turns append deltas
    turned  nothing has come in since the last request: asking again gives the same one
"""

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


class RequestState(Struct, frozen=True):
    """The flags and counters of requests and cuts.

    `turn` is the number of the last request, `asked` its size in counted tokens, `shared` how many
    items at the front of the stream it holds just as they stand now, behind the same head (-1: not
    even the head). `stable` is how many the last cut left so, `known` how many the request before
    the last held. `told` is what the dashboard last told, `tried` how many levels were crossed when
    none found a cut, and the tokens then. `cut_turn` and `cut_tokens` are those of the last cut,
    `shed` names what the last renewal left behind, `requested` what the model asked for, `samples`
    the sizes the provider reported, `accepted` the tokens of the largest request that was answered
    and the model that did. `level` is that of the last cut ("renewal" for one), `ahead`
    the tokens that were read ahead since. `redacted`: a mark stands for a secret somewhere,
    `unredacted`: it was opened without rules that put one there. `beside` are the tokens a client
    sends in each request beside the window, `held` what the window was made smaller by for them,
    and `reported` what the provider counted of the last request with them, 0 until it says, of
    that `hourly` written to its cache for an hour. `times` is how often the last request was sent
    and not refused; `limited` says which request a refusal made the window smaller at, and window
    and reply as they were before it, 0 where the host has set them since.
    """

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
        """The level of the cut behind the last request, or made since; "" for none."""
        return self.level if self.cut_turn >= self.turn - 1 else ""

    @property
    def anew(self) -> bool:
        """True where a cut lies between the last request and the one before it."""
        return self.cuts > 0 and self.cut_turn == self.turn - 1

    @property
    def fresh(self) -> bool:
        """True when the window was renewed, or cut for a refusal, since the last turn."""
        return (self.renewed or self.overflowed) and self.cut_turn == self.turn


class Turned(Struct, frozen=True, tag="Turned"):
    """A request was made: `notice` was frozen into the stream.

    `told` sums up what the dashboard last told the model, so that only a material change is told
    again. `tried` is how many levels were crossed when none found a cut, and the tokens then.
    `sha256` is that of the request's messages and tools before they take a provider's shape; "" in
    older journals, and where a purge took secrets out. No fold keeps it.
    """

    turn: int
    notice: Notice | None
    told: str = ""
    tried: tuple[int, int] = (-1, 0)
    sha256: str = ""


class SentAgain(Struct, frozen=True, omit_defaults=True, tag="SentAgain"):
    """The last request was sent so many `times` more: after a kill, or a failure."""

    times: int = 1


class Informed(Struct, frozen=True, tag="Informed"):
    """The model wrote on a surface itself: `told` is what it needs no telling of."""

    told: str


class Requested(Struct, frozen=True, tag="Requested"):
    """The model asked for something the next turn has to do: `what` is "compact"."""

    what: str


class Metered(Struct, frozen=True, omit_defaults=True, tag="Metered"):
    """The provider reported the size of the last request, in its tokens.

    `tokens` is that request as Loom counted it, its attachments at what they were charged; `scale`
    what all reports together lead to. `media` are attachments that were charged much else than was
    counted: (entry, tokens). `whole` is all that the provider counted where that is more than the
    window's request, 0 where it is not; with `prompt_tokens` of 0 it says nothing of the window.
    `hourly` are the tokens written to the provider's cache for an hour, which cost more.
    """

    prompt_tokens: int
    model: str = ""
    tokens: int = 0
    scale: Scale = Scale()
    media: tuple[tuple[int, int], ...] = ()
    whole: int = 0
    hourly: int = 0


class Beside(Struct, frozen=True, tag="Beside"):
    """A client sends so many tokens in each request beside the window: its own instructions and
    tools, which pass as they came. The window is smaller by `held` for them."""

    tokens: int
    held: int


class Overflowed(Struct, frozen=True, omit_defaults=True, tag="Overflowed"):
    """The provider refused a request as too long; `limit` is what it said, 0 when it did not.

    `taken` are the tokens of a larger request it had taken, which contradicts that; 0 for none.
    With `media` it was refused for its images or documents: these are the limits it said.
    """

    limit: int
    taken: int = 0
    media: MediaLimits | None = None


def _fold_metered(sent: RequestState, record: Metered) -> RequestState:
    sent = replace(sent, reported=record.whole or record.prompt_tokens, hourly=record.hourly)
    if not record.prompt_tokens:
        return sent
    sample = Sample(record.tokens, record.prompt_tokens, record.model, sent.anew)
    return replace(sent, samples=(*sent.samples, sample)[-SAMPLES:])


def _fold_redacted(sent: RequestState, record: Redacted) -> RequestState:
    if record.off:
        return replace(sent, unredacted=True)
    if record.places is not None:  # nothing that was sent stands as it stood, nor is right now
        return replace(sent, shared=-1, stable=-1, known=-1, redacted=True, turned=False)
    return sent if sent.redacted else replace(sent, redacted=True)


CASES: dict[type, Callable[[RequestState, Any], RequestState]] = {
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
