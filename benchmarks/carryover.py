"""Carryover: what stands in a window after a compaction, of what the calls after it need."""

from __future__ import annotations

from itertools import islice
from statistics import mean

from benchmarks.options import CommandResult, Limit, Sessions, Workers, measuring
from benchmarks.show import by_column, on_stderr
from loom_bench.carried import PLACES, Carried, carried, compacted, figures, said
from loom_bench.errors import BadBench
from loom_bench.pool import spread


@measuring
def carryover(
    *,
    sessions: Sessions,
    limit: Limit = 0,
    workers: Workers = 2,
) -> CommandResult:
    """Find what calls need after each recorded compaction: in its summary, a tail, Loom's window.

    Parameters
    ----------
    sessions
        Files or folders of recorded sessions; those without a compaction are passed over.
    """
    measured: list[Carried] = []
    for some in spread(carried, islice(compacted(sessions), limit or None), workers):
        measured += some
        for one in some:
            on_stderr(said(one))
    if not measured:
        raise BadBench("--sessions: none holds a compaction and the summary of it")
    report = figures(measured)
    places = measured[0].tokens
    tokens = {place: round(mean(one.tokens[place] for one in measured)) for place in places}
    title = f"Carryover at {len(measured)} compactions"
    heads = {"n": "needed", **{place: place for place in PLACES}}
    return CommandResult(report, [by_column(title, {"tokens": tokens, **report}, heads)])
