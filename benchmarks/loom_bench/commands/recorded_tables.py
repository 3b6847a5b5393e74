"""The tables of `loom bench replay`, and what their columns mean."""

from __future__ import annotations

from typing import Any

from loom.cli.columns import RankedColumn, RankedRow, print_table
from loom.cli.show import line, lines
from loom.reduce.lines import counted
from loom_bench.carried.items import KINDS
from loom_bench.carried.measured import PLACES
from loom_bench.commands.tables import wrapped
from loom_bench.recorded.report import Report

SHARES = {"%": lambda value: f"{value:.1%}", "": lambda value: f"{value:,}"}
# Heading → (figure, how it is shown, rank among those that stay).
NEEDS = {
    "shown": ("resident", "%", 0),
    "named": ("page_in", "%", 1),
    "found": ("recall", "%", 2),
    "on disk": ("deep", "%", 6),
    "lost": ("lost", "%", 3),
    "tokens": ("tokens_sent", "", 4),
    "cached": ("reuse", "%", 5),
    "over": ("overflow", "", 7),
    "mended": ("rescued", "", 8),
}
CLOSED = {
    "missing": ("missing", "", 0),
    "calls": ("extra_calls", "", 1),
    "their tokens": ("extra_tokens", "", 4),
    "still missing": ("failures", "", 2),
    "again": ("thrashed", "", 5),
    "tokens a reply": ("tokens_per_reply", "", 3),
    "over": ("overflow", "", 6),
}
ABOUT = {
    "needs": "shown: what a call needs stands in the request; named: a name in the request leads to"
    " it; found: a search with the call's own words does; on disk: it is kept and nothing leads to"
    " it. mended: requests cut because they were too large or their pairs were broken",
    "closed": "missing: needs that were not in the request; calls: made to fetch them; again:"
    " brought in twice within 20 requests",
    "carryover": "shares of what the calls of the next 120 messages use and that was there before:"
    " in the summary the client wrote, in a tail of its size, in Loom's window begun anew",
}


def needs_told(report: Report, width: int) -> None:
    """A table for each size of a request: where the needs are."""
    _told("what the next calls needed", report, NEEDS, width)
    _about("needs", width)


def closed_told(report: Report, width: int) -> None:
    """A table for each size of a request: what it costs to fetch what is missing."""
    _told("what it costs to fetch what is missing", report, CLOSED, width)
    _about("closed", width)


def carried_told(found: dict[str, Any], width: int) -> None:
    """One table: what stands in each place after a compaction."""
    if not found["compactions"]:
        line("carryover: no session there holds a compaction and its summary")
        return
    columns = [
        RankedColumn(f"{kind} ({found[kind]['n']:,})", at, kind) for at, kind in enumerate(KINDS)
    ]
    rows = [
        RankedRow(
            place.replace("_", " "),
            {
                **{kind: f"{found[kind][place]:.1%}" for kind in KINDS},
                "tokens": f"{found['tokens'][place]:,}" if place in found["tokens"] else "",
            },
        )
        for place in PLACES
    ]
    line(f"carryover at {counted(found['compactions'], 'compaction')}")
    print_table("place", [RankedColumn("tokens", 9, "tokens"), *columns], rows, width)
    _about("carryover", width)


def _told(title: str, report: Report, heads: dict[str, tuple[str, str, int]], width: int) -> None:
    columns = [RankedColumn(head, rank, name) for head, (name, _, rank) in heads.items()]
    for room, strategies in report.items():
        needs = next(iter(strategies.values()))["needs"]
        line(f"{title}: {needs:,} needs, requests of {int(room):,} tokens")
        rows = [
            RankedRow(name, {key: SHARES[unit](found[key]) for key, unit, _ in heads.values()})
            for name, found in strategies.items()
        ]
        print_table("strategy", columns, rows, width)
        line()


def _about(kind: str, width: int) -> None:
    lines(wrapped(ABOUT[kind], width))
    line()
