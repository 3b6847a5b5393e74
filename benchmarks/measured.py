"""The options of the commands of this room: sessions, strategies and capacities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from cyclopts import Parameter

from benchmarks.options import FromOne, FromZero, sizes
from benchmarks.show import on_stderr
from loom_bench.recorded.interleaved import interleaved
from loom_bench.recorded.labels import Source, labelled
from loom_bench.recorded.named import known

OURS = "loom"
OTHER = "tail"


@Parameter(name="*")
@dataclass(frozen=True)
class Interleaving:
    """How sessions are interleaved into long histories.

    Parameters
    ----------
    interleave
        Join so many sessions into each history, worked on by turns; 0 leaves each on its own.
    groups
        At most this many histories; 0 is all there are sessions for.
    stretch
        Tokens of a turn on one session, at four characters a token.
    seed
        Of the shuffle that says which sessions come together.
    """

    interleave: FromZero = 0
    groups: FromZero = 0
    stretch: FromOne = 8_000
    seed: int = 1

    def told(self) -> dict[str, Any]:
        """What the report says of it: nothing when each session is on its own."""
        return {"interleaving": asdict(self)} if self.interleave else {}


APART = Interleaving()


class Selection(NamedTuple):
    """Sessions, names of strategies, capacities in tokens."""

    sources: Sequence[Source]
    strategies: list[str]
    capacities: list[int]

    @property
    def pairs(self) -> list[tuple[str, int]]:
        """Every strategy at every capacity."""
        return [(name, size) for size in self.capacities for name in self.strategies]


def chosen(
    sessions: Sequence[Path],
    capacity: str,
    strategies: Sequence[str] | None,
    limit: int,
    how: Interleaving = APART,
) -> Selection:
    """The options, checked. Raises ValueError, or BadSession for a file that cannot be read.

    A strategy whose package is not installed is left out, with a word on stderr.
    """
    capacities = sizes("--capacity", capacity)
    if how.interleave < 0 or how.groups < 0 or how.stretch < 1:
        raise ValueError("--interleave, --groups: give 0 or more, --stretch 1 or more")
    names = known(strategies or (OURS, OTHER), tell=on_stderr)
    sources: Sequence[Source] = (
        interleaved(sessions, how.interleave, how.stretch, how.seed, how.groups, limit)
        if how.interleave
        else labelled(sessions, limit)
    )
    if not sources or not names:
        few = f"too few labelled sessions for --interleave {how.interleave}"
        none = few if how.interleave else "no label there is measured"
        what = "--strategy: none can run" if sources else f"--sessions: {none}"
        raise ValueError(f"{what}, so nothing was shown")
    return Selection(sources, names, capacities)
