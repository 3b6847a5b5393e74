"""Needs told: the figures beside a tail that shows as much, and a line for each need."""

from __future__ import annotations

import json as jsons
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from loom_bench.recorded.report import Report, equal_share, grouped, report_of
from loom_bench.recorded.run import ReplayOutcome
from loom_bench.recorded.verdicts import RESIDENT

OURS = "loom"
OTHER = "tail"
# Capacities at which the tail is simulated, to find where it shows as much as Loom does.
CURVE = (
    *(8_000, 12_000, 16_000, 20_000, 24_000, 28_000, 32_000, 36_000, 40_000, 44_000, 48_000),
    *(56_000, 64_000, 72_000, 80_000, 96_000, 128_000, 192_000, 256_000, 10_000_000),
)


def report_on(
    outcomes: Sequence[ReplayOutcome],
    strategies: Sequence[str],
    capacities: Sequence[int],
    curve: Sequence[int] = (),
) -> Report:
    """{capacity: {strategy: figures}}, Loom's with its tokens against a tail that shows as much.

    `curve` are the capacities at which that tail was replayed; without any it is left out.
    """
    groups = grouped(outcomes)
    report = report_of(groups, strategies, capacities)
    if curve:
        points = report_of(groups, [OTHER], curve).values()
        line = [(one[OTHER][RESIDENT], one[OTHER]["tokens_sent"]) for one in points]
        for found in report.values():
            ours = found[OURS]
            ours["equal_share"] = equal_share(ours[RESIDENT], ours["tokens_sent"], line)
    return report


def lines(outcomes: Iterable[ReplayOutcome]) -> Iterator[str]:
    """A JSON line for each need in each replay."""
    for outcome in outcomes:
        head = {
            "session": outcome.session,
            "strategy": outcome.job.strategy,
            "capacity": outcome.job.capacity,
        }
        for met in outcome.met:
            yield jsons.dumps({**head, **msgspec.to_builtins(met)}, ensure_ascii=False)
