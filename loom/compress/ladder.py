"""The ladder: which level may act at which pressure, and whether a cut is worth its price.

One level acts in a turn: the highest whose mark is crossed; a level that cannot free its least
share gives way to the next below it. Snip and micro are optional: below the collapse mark a cut is
made only when the tokens it frees, times the turns it is expected to serve, outweigh the suffix
that must be written to the provider's cache again. Collapse waits likewise while two turns have
room: that made a tenth fewer cuts at 32,000 for the same `benchmarks takeover`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from loom.compress.auto import auto, collapse
from loom.compress.cut_input import CutInput, Strategy
from loom.compress.duplicates import micro
from loom.compress.snip import snip, snip_long_texts
from loom.compress.step import step
from loom.policy import Policy
from loom.providers import Provider
from loom_partitions.edits import Edit, Shortened


class Level(Struct, frozen=True):
    """A level of compression.

    `mark` is the ρ from which the level may act, or the name of the policy field with this ρ.
    `strategy` takes a `CutInput` and returns edits, () for none; it applies nothing. An `optional`
    level acts only if the cut saves more than it costs; all others act to keep the request within
    the window. A `bare` level may cut without edits, so that changed texts replace the notices
    about changes. An `untold` level makes no digest, and does not act if its cut would remove
    reasoning, which only a digest could record."""

    name: str
    mark: str | float
    strategy: Strategy
    optional: bool = False
    bare: bool = False  # may cut without edits: only what waits for a cut is settled
    untold: bool = False


def reactive(cut_input: CutInput) -> tuple[Edit, ...]:
    """Return the edits of the compression level reactive, which acts after a provider refused a
    request as too long: the edits of auto, and edits that shorten long old texts."""
    return with_long_texts_snipped(cut_input, auto(cut_input))


def with_long_texts_snipped(cut_input: CutInput, edits: tuple[Edit, ...]) -> tuple[Edit, ...]:
    """Return `edits` with edits added that shorten every old text over `reactive_chars`."""
    shorter = snip_long_texts(cut_input, edits, cut_input.policy.tuning.reactive_chars)
    again = {(edit.entry, edit.where, edit.at) for edit in shorter}
    kept = (
        edit
        for edit in edits
        if not isinstance(edit, Shortened) or (edit.entry, edit.where, edit.at) not in again
    )
    return (*kept, *shorter)


LADDER = (
    Level("auto", "auto_at", auto),
    Level("collapse", "collapse_at", collapse),
    Level("micro", "micro_at", micro, optional=True, untold=True),
    Level("snip", "snip_at", snip, optional=True, untold=True),
    # Texts that changed between cuts stand in the stream as notices, old versions and all.
    Level("settle", "snip_at", lambda cut_input: (), bare=True, untold=True),
)
STEP = Level("step", 0.0, step)  # its own trigger says when
REACTIVE = Level("reactive", 0.0, reactive)  # acts when a provider refused a request


def crossed_levels(rho: float, policy: Policy, levels: Sequence[Level] = ()) -> Iterator[Level]:
    """Yield the compression levels that may act at ρ, the highest first. `levels` are the host's
    own levels."""

    def mark(level: Level) -> float:
        return getattr(policy, level.mark) if isinstance(level.mark, str) else level.mark

    rungs = list(LADDER)
    for own in reversed(levels):
        higher = (at for at, level in enumerate(rungs, 1) if mark(level) > mark(own))
        rungs.insert(max(higher, default=0), own)
    if policy.layout.steps:
        yield STEP
    yield from (level for level in rungs if rho >= mark(level))


def cache_prices(policy: Policy, provider: Provider) -> tuple[float, float]:
    """Return (read, write): the prices of a token read from the provider's cache and of a token
    written to the cache."""
    read = provider.read if policy.read_price is None else policy.read_price
    write = provider.write if policy.write_price is None else policy.write_price
    return read, write


def is_cut_worth(prices: tuple[float, float], freed: int, suffix: int, growth: float) -> bool:
    """Return True if a cut saves at least what it costs. Each later turn reads `freed` tokens less;
    once, `suffix` tokens must be written to the provider's cache again.

    `prices` are (read, write) for one token. `growth` is the number of tokens that a turn adds."""
    read, write = prices
    served = freed / max(growth, 1.0)
    return freed * served * read >= suffix * (write - read)
