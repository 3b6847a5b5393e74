"""The options of the commands of this room: sessions, strategies and capacities."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.options import sizes
from benchmarks.retention.labels import labelled
from benchmarks.retention.strategies import STRATEGIES, missing

CAPACITIES = "16000,32000,64000"
OURS = "loom"
OTHER = "tail"


class Selection(NamedTuple):
    """Session files, names of strategies, capacities in tokens."""

    paths: list[Path]
    strategies: list[str]
    capacities: list[int]

    @property
    def pairs(self) -> list[tuple[str, int]]:
        """Every strategy at every capacity."""
        return [(name, size) for size in self.capacities for name in self.strategies]


def chosen(
    sessions: Sequence[Path], capacity: str, strategies: Sequence[str] | None, limit: int
) -> Selection:
    """The options, checked. Raises ValueError, or BadSession for a file that cannot be read.

    A strategy whose package is not installed is left out, with a word on stderr.
    """
    capacities = sizes("--capacity", capacity)
    names = known(strategies or (OURS, OTHER))
    paths = labelled(sessions, limit)
    if not paths or not names:
        what = "--strategy: none can run" if paths else "--sessions: no label there is measured"
        raise ValueError(f"{what}, so nothing was shown")
    return Selection(paths, names, capacities)


def known(strategies: Sequence[str]) -> list[str]:
    """The named strategies that can run here, each once. Raises ValueError for an unknown name."""
    names = list(dict.fromkeys(strategies))
    unknown = [name for name in names if name not in STRATEGIES]
    if unknown:
        raise ValueError(f"--strategy {unknown[0]}: there are {', '.join(STRATEGIES)}")
    return [name for name in names if not missing(name)]
