"""The median plain turn over steps, log-log, one line a keeper: in a terminal and as a picture."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from math import log
from pathlib import Path

# Values above 0, the largest, and how many columns: a block a value.
Blocks = Callable[[Sequence[float], float, int], str]
Curves = Mapping[str, Sequence[tuple[float, float]]]  # keeper → (steps, milliseconds)
WANTED = "matplotlib"
COLOURS = 10  # before its colours come again: then the lines are drawn another way
STYLES = ("-", "--", ":")


def drawable(path: Path) -> None:
    """Raises ValueError when a picture could not be made there: its extra, its folder, its name."""
    if find_spec(WANTED) is None:
        raise ValueError(f"--plot {path}: pip install '.[plot]' in a checkout of Loom first")
    if path.suffix.lower() != ".png" or not path.parent.is_dir():
        raise ValueError(f"--plot {path}: give a file.png in a folder that is there")


def drawn(title: str, curves: Curves, blocks: Blocks) -> str:
    """A line of blocks a keeper, all on one logarithmic scale of milliseconds.

    Columns are steps, two for each doubling. Behind it the first and the last median.
    """
    values = [value for points in curves.values() for _, value in points if value > 0]
    if not values:
        return f"{title}: too few turns for a plot"
    least, scale = min(values), max(log(max(values) / min(values)), 1e-9)
    widest = max(map(len, curves.values()))
    name_width = max(map(len, curves))
    lines = [f"{title} ({least:.3g} to {max(values):.3g} ms, log-log)"]
    for name, points in curves.items():
        heights = [log(max(value, least) / least) + scale / 8 for _, value in points]
        line = blocks(heights, scale * 9 / 8, widest)
        lines.append(f"{name:<{name_width}} {line} {points[0][1]:.3g} → {points[-1][1]:.3g} ms")
    steps = [step for points in curves.values() for step, _ in points]
    lines.append(f"{'':<{name_width}} steps {min(steps):,.0f} to {max(steps):,.0f}")
    return "\n".join(lines)


def save(path: Path, plots: Mapping[str, Curves]) -> None:
    """Write a picture with a panel for each title. Raises OSError where it cannot be written."""
    figure = import_module("matplotlib.figure").Figure(figsize=(8, 5 * len(plots)))
    for at, (title, curves) in enumerate(plots.items(), 1):
        panel = figure.add_subplot(len(plots), 1, at)
        for place, (name, points) in enumerate(curves.items()):
            dashes = STYLES[place // COLOURS % len(STYLES)]
            panel.plot(*zip(*points, strict=True), dashes, label=name, marker=".")
        panel.set(
            xscale="log", yscale="log", title=title, xlabel="steps", ylabel="ms of CPU, median"
        )
        panel.grid(visible=True, which="major", alpha=0.3)
        panel.legend(fontsize="small", loc="center left", bbox_to_anchor=(1, 0.5))
    figure.tight_layout()
    figure.savefig(path, dpi=120)
