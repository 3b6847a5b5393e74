"""What the commands of this room are asked: which sessions, strategies and capacities."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

from benchmarks.retention.labels import labelled
from benchmarks.retention.strategies import STRATEGIES, missing

CAPACITIES = "16000,32000,64000"
WIDTH = 160  # characters of a table that goes to no terminal
OURS = "loom"
OTHER = "tail"


class Asked(NamedTuple):
    """Session files, names of strategies, capacities in tokens."""

    paths: list[Path]
    strategies: list[str]
    capacities: list[int]

    @property
    def pairs(self) -> list[tuple[str, int]]:
        """Every strategy at every capacity."""
        return [(name, size) for size in self.capacities for name in self.strategies]


def asked(
    sessions: Sequence[Path], capacity: str, strategies: Sequence[str] | None, limit: int
) -> Asked:
    """The options, checked. Raises ValueError, or BadSession for a file that cannot be read.

    A strategy whose package is not installed is left out, with a word on stderr.
    """
    try:
        sizes = [int(size) for size in capacity.replace("_", "").split(",")]
    except ValueError:
        raise ValueError(f"--capacity {capacity!r}: give sizes in tokens, as 16000,32000") from None
    names = list(dict.fromkeys(strategies or (OURS, OTHER)))
    unknown = [name for name in names if name not in STRATEGIES]
    if unknown:
        raise ValueError(f"--strategy {unknown[0]}: there are {', '.join(STRATEGIES)}")
    names = [name for name in names if not missing(name)]
    paths = labelled(sessions, limit)
    if not paths or not names:
        what = "--strategy: none can run" if paths else "--sessions: no label there is measured"
        raise ValueError(f"{what}, so nothing was shown")
    return Asked(paths, names, sizes)


def end(report: dict[str, Any], tables: Sequence[Table]) -> None:
    """Print the tables, then the JSON object as the last line."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=WIDTH)
    for table in tables:
        table.columns[0].no_wrap = True  # the strategy's name
        console.print(table)
    print(json.dumps(report))
