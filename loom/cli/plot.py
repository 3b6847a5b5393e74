"""A plot of ρ over turns in block characters, six lines high."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from loom.reduce.lines import counted

BLOCKS = " ▁▂▃▄▅▆▇█"
COLUMNS, ROWS = 60, 6


def plot(values: Sequence[float], columns: int = COLUMNS, rows: int = ROWS) -> list[str]:
    """Lines from top to bottom, each after its value of ρ; nothing for no values.

    More values than columns share one, which shows the highest of them. The scale ends at 1.0, or
    at the highest value beyond it.
    """
    if not values:
        return []
    tops = _columns(values, min(columns, len(values)))
    scale = max(1.0, *tops)
    steps = len(BLOCKS) - 1
    heights = [round(top / scale * rows * steps) for top in tops]
    made = []
    for row in range(rows - 1, -1, -1):
        cells = "".join(BLOCKS[min(max(height - row * steps, 0), steps)] for height in heights)
        made.append(f"{scale * (row + 1) / rows:4.2f} |{cells}".rstrip())
    made.append(f"   ρ +{'-' * len(tops)} {counted(len(values), 'turn')}")
    return made


def _columns(values: Sequence[float], columns: int) -> list[float]:
    """The highest value of each of `columns` runs of nearly equal length."""
    edges = [at * len(values) // columns for at in range(columns + 1)]
    return [max(values[low:high]) for low, high in pairwise(edges)]
