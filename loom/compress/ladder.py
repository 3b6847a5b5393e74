"""The ladder: which level may act at which pressure, and whether a cut is worth its price.

One level a turn: the highest crossed one; a level that cannot free its least share gives way to
the next below it. Snip and micro are optional: below the collapse mark a cut is made only when
what it frees, times the turns it is expected to serve, outweighs the suffix that must be written
to the provider's cache again. Collapse waits likewise while two turns have room: a tenth fewer cuts
at 32,000 for the same `benchmarks takeover`.
"""

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
    """A level of compression: its name, the pressure ρ from which it may act, and what it does.

    `mark` is that ρ, or the name of the policy's field that holds it. `strategy` is a pure function
    that gives the edits of a cut, () for none, and applies nothing. An `optional` level must pay
    for itself; the others keep the request within the window. One that is `untold` makes no digest,
    so it waits while its cut would take reasoning out of steps, which only a digest tells.
    """

    name: str
    mark: str | float
    strategy: Strategy
    optional: bool = False
    bare: bool = False  # may cut without edits: only what waits for a cut is settled
    untold: bool = False


def reactive(scene: CutInput) -> tuple[Edit, ...]:
    """Auto, then every old text that is still long is snipped: a provider said "too long"."""
    return with_long_texts_snipped(scene, auto(scene))


def with_long_texts_snipped(scene: CutInput, edits: tuple[Edit, ...]) -> tuple[Edit, ...]:
    """These edits, and every old text snipped that they leave over `reactive_chars`."""
    shorter = snip_long_texts(scene, edits, scene.policy.tuning.reactive_chars)
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
    Level("settle", "snip_at", lambda scene: (), bare=True, untold=True),
)
STEP = Level("step", 0.0, step)  # its own trigger says when
REACTIVE = Level("reactive", 0.0, reactive)  # acts when a provider refused a request


def crossed_levels(rho: float, policy: Policy, levels: Sequence[Level] = ()) -> Iterator[Level]:
    """The levels that may act at ρ, the highest first; marks are inclusive.

    `levels` are a host's own: each comes after all that have a higher mark, and before the others.
    """

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
    """The price of a token read from the provider's cache, and of one written to it."""
    read = provider.read if policy.read_price is None else policy.read_price
    write = provider.write if policy.write_price is None else policy.write_price
    return read, write


def is_cut_worth(prices: tuple[float, float], freed: int, suffix: int, growth: float) -> bool:
    """True when a cut pays: `freed` tokens not read in each turn it serves, against `suffix` tokens
    written anew instead of read. `growth` is tokens a turn, so freed ÷ growth turns are served.
    """
    read, write = prices
    served = freed / max(growth, 1.0)
    return freed * served * read >= suffix * (write - read)
