"""`loom bench replay`: strategies on recorded sessions, its tables and what columns mean."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from loom.cli.columns import RankedColumn, RankedRow, print_table, width_for
from loom.cli.exits import FINE, FOUND, BadUsage
from loom.cli.found import HINT
from loom.cli.found import latest as newest
from loom.cli.replay_report import skips
from loom.cli.scratch import scratch
from loom.cli.show import AsJson, complain, console, emit, line, lines
from loom.fleet.processes import cpus
from loom.reduce.lines import counted
from loom.replay.importers import BadSession, find
from loom_bench.asked import windows_of
from loom_bench.carried import KINDS, PLACES, Carried, carried, compacted
from loom_bench.carried import figures as shares_of
from loom_bench.commands.tables import wrapped
from loom_bench.pool import spread
from loom_bench.recorded.named import known
from loom_bench.recorded.report import OTHER, OURS, Report, costs, figures, grouped, report_of
from loom_bench.recorded.run import ReplayOutcome, measured
from loom_bench.recorded.sources import sources_of
from loom_bench.strategy import budget_of
from loom_bench.wires import WireReader

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
# What is measured → the title of its tables, and their columns.
TABLES = {
    "needs": ("what the next calls needed", NEEDS),
    "closed": ("what it costs to fetch what is missing", CLOSED),
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


def _told(kind: str, report: Report, width: int) -> None:
    """A table for each size of a request, and what its columns mean."""
    title, heads = TABLES[kind]
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
    _about(kind, width)


def _about(kind: str, width: int) -> None:
    lines(wrapped(ABOUT[kind], width))
    line()


WINDOWS = "16000,32000"
What = Literal["needs", "closed", "carryover"]
WHAT: tuple[What, ...] = ("needs", "closed", "carryover")


def replay(
    *,
    sessions: Annotated[list[Path] | None, Parameter(consume_multiple=True)] = None,
    latest: int | None = None,
    strategy: Annotated[list[str] | None, Parameter(negative=())] = None,
    window: str = WINDOWS,
    what: Annotated[list[What] | None, Parameter(negative=())] = None,
    workers: int = 1,
    limit: int = 0,
    json: AsJson = False,
) -> int:
    """Measure strategies on recorded sessions.

    Before each recorded reply the request is searched for the exact texts its calls need and that
    lie more than 8,000 tokens back: the old text of an edit, paths, names. A file
    SESSION.labels.jsonl beside a session says which; without one they follow from the calls. Exit
    code 1: a strategy failed.

    Parameters
    ----------
    sessions
        Files or folders of sessions: Claude Code, Codex, OpenAI's messages and others.
    latest
        Take the newest N sessions recorded on this machine.
    strategy
        A name, or FILE.py:NAME; again for more. Without, loom and tail.
    window
        Windows in tokens, separated by commas.
    what
        needs: what the next calls needed, and where it is. closed: what it costs to fetch what is
        missing. carryover: what stands after a recorded compaction, of what later calls use.
        Without, all three.
    workers
        Processes, 0 for one a processor.
    limit
        At most so many sessions, the longest first; 0 is all.
    """
    if workers < 0 or limit < 0:
        raise BadUsage("--workers, --limit: give 0 or more")
    places = _places(sessions, latest)
    names = known(strategy or (OURS, OTHER), tell=complain)
    if not names:
        raise BadUsage("--strategy: none of these can run here")
    rooms = [budget_of(size, WireReader()).room for size in windows_of(window)]
    given = tuple(what or WHAT)
    with scratch("loom-bench-"):
        found, failed, skipped = _measured(places, names, rooms, given, workers or cpus(), limit)
    if json:
        emit({**found, "failed": failed, "skipped": [str(error) for error in skipped]})
    else:
        _print(found)
        for one in failed:
            lines(wrapped(f"failed: {one}", width_for(console())))
        lines(skips(skipped))
    return FOUND if failed else FINE


def _places(sessions: Sequence[Path] | None, latest: int | None) -> list[Path]:
    if sessions and latest is not None:
        raise BadUsage(f"--latest {latest}: give it, or --sessions, not both")
    if latest is not None:
        return newest(latest)
    if not sessions:
        raise BadUsage(HINT.replace("FILE", "--sessions DIR"))
    return list(sessions)


def _measured(
    places: Sequence[Path],
    names: Sequence[str],
    rooms: Sequence[int],
    what: Sequence[str],
    workers: int,
    limit: int,
) -> tuple[dict[str, Any], list[str], list[BadSession]]:
    """What was asked for, failed replays in words, and files that cannot be read."""
    sources, skipped = sources_of(places, limit)
    if not sources:
        raise skipped[0] if skipped else BadUsage("no recorded session lies there")
    pairs = [(name, room) for room in rooms for name in names]
    found: dict[str, Any] = {"sessions": len(sources)}
    failed: list[str] = []
    for kind, made in (("needs", figures), ("closed", costs)):
        if kind in what:
            outcomes = list(measured(sources, pairs, workers, closed=kind == "closed"))
            failed += _failures(outcomes)
            found[kind] = report_of(grouped(outcomes), names, rooms, made)
    if "carryover" in what:
        marked = islice(compacted(_readable(places, skipped)), limit or None)
        boundaries = [one for some in spread(carried, marked, workers) for one in some]
        found["carryover"] = _carried(boundaries)
    return found, failed, skipped


def _readable(places: Sequence[Path], skipped: Sequence[BadSession]) -> list[Path]:
    bad = {error.path for error in skipped}
    return [path for path in find(places) if path not in bad]


def _carried(found: Sequence[Carried]) -> dict[str, Any]:
    """Shares by kind and place, and the mean tokens of each place that has them."""
    sizes: dict[str, list[int]] = {}
    for one in found:
        for place, tokens in one.tokens.items():
            sizes.setdefault(place, []).append(tokens)
    means = {place: round(sum(of) / len(of)) for place, of in sizes.items()}
    return {"compactions": len(found), "tokens": means, **shares_of(found)}


def _failures(outcomes: Sequence[ReplayOutcome]) -> list[str]:
    return [
        f"{one.job.strategy} in {one.session} at {one.job.capacity:,}: {one.failed}"
        for one in outcomes
        if one.failed
    ]


def _print(found: dict[str, Any]) -> None:
    width = width_for(console())
    for kind in TABLES:
        if kind in found:
            _told(kind, found[kind], width)
    if "carryover" in found:
        carried_told(found["carryover"], width)
