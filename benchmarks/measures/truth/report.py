"""The figures of judged replays, as tables and as one JSON object, and the bounds they are held to.

Counts are over all cuts: a fault that stands after three cuts is three faults.
"""

from __future__ import annotations

import json as jsons
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rich.table import Table

from benchmarks.measures.truth.replay import JudgedReplay
from loom_bench.recorded.report import cell, share
from loom_bench.tables import table

OURS, OTHER = "loom", "tail"  # what is judged when nothing is named
TruthReport = dict[str, dict[str, dict[str, Any]]]

# Figure → what it is called, how it is made of the sums: one of them, or one as a share of another.
FIGURES: dict[str, tuple[str, str, str]] = {
    "requests": ("requests", "requests", ""),
    "cuts": ("cuts, each judged", "cuts", ""),
    "stale": ("stale blocks", "stale", ""),
    "stale_lines": ("… lines", "stale_lines", ""),
    "stale_share": ("… of lines of code", "stale_lines", "code_lines"),
    "untold": ("edited files untold", "untold", ""),
    "untold_share": ("… of edited files", "untold", "changed"),
    "listed": ("only-read files named then", "listed", ""),
    "resolved_open": ("resolved shown as open", "resolved_open", ""),
    "resolved_share": ("… of resolved", "resolved_open", "resolved"),
    "open_untold": ("open untold", "open_untold", ""),
    "open_share": ("… of open", "open_untold", "open"),
    "foreign": ("foreign lines as the user's", "foreign", ""),
    "forged": ("forged lines", "forged", ""),
    "twice": ("characters twice", "twice", "characters"),
    "again": ("… by the window", "again", "characters"),
    "short": ("user's sentences found", "short_found", "short_said"),
    "long": ("… of long messages", "long_found", "long_said"),
    "headings": ("… headings of those", "headings_found", "headings_said"),
    "cut_short": ("… cut at their end", "cut_short", ""),
}
# What Loom must not exceed after any cut.
BOUNDS: dict[str, float] = {
    "stale": 0,
    "untold": 0,
    "resolved_open": 0,
    "open_untold": 0,
    "foreign": 0,
    "forged": 0,
    "twice": 0.02,
    "failed": 0,
}
COMMONEST = 5
SHOWN = 160  # characters of an example


def truth_figures(replays: Sequence[JudgedReplay]) -> dict[str, Any]:
    """The figures of one strategy at one capacity, with the commonest faults of each kind."""
    sums: Counter[str] = Counter()
    faults: Counter[tuple[str, str]] = Counter()
    for one in replays:
        sums.update(one.sums)
        faults.update(one.faults)
    found: dict[str, Any] = {
        name: portion(sums[part], sums[whole]) if whole else sums[part]
        for name, (_, part, whole) in FIGURES.items()
    }
    found["failed"] = sum(bool(one.failed) for one in replays)
    found["examples"] = examples(faults)
    return found


def portion(part: int, whole: int) -> float | str:
    """A part of a whole, a dash of nothing."""
    return share(part, whole) if whole else "–"


def examples(faults: Counter[tuple[str, str]]) -> dict[str, list[list[str | int]]]:
    """Kind → its commonest faults, each with the number of cuts it stood after."""
    found: dict[str, list[list[str | int]]] = {}
    for (kind, text), count in sorted(faults.items(), key=lambda one: (-one[1], one[0])):
        of = found.setdefault(kind, [])
        if len(of) < COMMONEST:
            of.append([text[:SHOWN], count])
    return found


def truth_report(
    replays: Iterable[JudgedReplay], strategies: Sequence[str], capacities: Sequence[int]
) -> TruthReport:
    """{capacity: {strategy: figures}}."""
    groups: dict[tuple[str, int], list[JudgedReplay]] = {}
    for one in replays:
        groups.setdefault((one.strategy, one.capacity), []).append(one)
    return {
        str(size): {name: truth_figures(groups[name, size]) for name in strategies}
        for size in capacities
    }


def missed_bounds(found: Mapping[str, Any]) -> list[str]:
    """The names of the bounds that some figures do not keep."""
    return [name for name, most in BOUNDS.items() if found[name] != "–" and found[name] > most]


def truth_tables(report: TruthReport) -> list[Table]:
    """A table for each capacity: a column for each strategy."""
    made = []
    for size, strategies in report.items():
        rows = [
            [label, *(cell(found[name]) for found in strategies.values())]
            for name, (label, _, _) in FIGURES.items()
        ]
        rows.append(["replays failed", *(cell(found["failed"]) for found in strategies.values())])
        made.append(table(f"After a cut at {int(size):,}", ["", *strategies], rows))
    return made


def missed_lines(report: TruthReport) -> list[str]:
    """A line for each bound that Loom's figures miss, at each capacity."""
    return [
        f"at {int(size):,}: {name} is {found[OURS][name]}, its bound {BOUNDS[name]}"
        for size, found in report.items()
        if OURS in found
        for name in missed_bounds(found[OURS])
    ]


def fault_lines(replays: Iterable[JudgedReplay]) -> Iterator[str]:
    """A JSON line for each fault of each replay, with the number of cuts it stood after."""
    for one in replays:
        head = {"session": one.session, "strategy": one.strategy, "capacity": one.capacity}
        for (kind, text), cuts in one.faults.most_common():
            yield jsons.dumps({**head, "kind": kind, "cuts": cuts, "text": text})
