"""`loom bench replay`: strategies on recorded sessions, its tables and what columns mean."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from cyclopts import Parameter

from loom.cli.exits import FINE, FOUND
from loom.cli.output import (
    AsJson,
    complain,
    console,
    fill_width,
    print_json,
    print_line,
    print_lines,
)
from loom.cli.replay import skipped_lines
from loom.cli.scratch import scratch_folder
from loom.cli.session_choice import HINT
from loom.cli.session_choice import latest_sessions as newest
from loom.cli.text_tables import RankedColumn, RankedRow, print_ranked_table
from loom.errors import BadInput
from loom.fleet.processes import usable_cpus
from loom.reduce.lines import plural
from loom.replay.importers import find
from loom_bench.asked import windows_of
from loom_bench.carried import KINDS, PLACES, Carried, carried, compacted
from loom_bench.carried import figures as shares_of
from loom_bench.commands.coming import ended, taken
from loom_bench.commands.tables import told
from loom_bench.pool import spread
from loom_bench.recorded.named import known
from loom_bench.recorded.report import (
    OTHER,
    OURS,
    Report,
    comparable,
    costs,
    figures,
    grouped,
    report_of,
)
from loom_bench.recorded.run import ReplayOutcome, jobs_of, name_of
from loom_bench.recorded.run import replay as replayed
from loom_bench.recorded.sources import sources_of
from loom_bench.strategy import budget_of
from loom_bench.wires import WireReader

# Heading → (figure, how it is shown, rank among those that stay).
NEEDS = {
    "shown": ("resident", ".1%", 0),
    "named": ("page_in", ".1%", 1),
    "found": ("recall", ".1%", 2),
    "on disk": ("deep", ".1%", 6),
    "lost": ("lost", ".1%", 3),
    "tokens": ("tokens_sent", ",", 4),
    "cached": ("reuse", ".1%", 5),
    "over": ("overflow", ",", 7),
    "mended": ("rescued", ",", 8),
}
CLOSED = {
    "missing": ("missing", ",", 0),
    "calls": ("extra_calls", ",", 1),
    "their tokens": ("extra_tokens", ",", 4),
    "still missing": ("failures", ",", 2),
    "again": ("thrashed", ",", 5),
    "tokens a reply": ("tokens_per_reply", ",", 3),
    "over": ("overflow", ",", 6),
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
WINDOWS = "16000,32000"
What = Literal["needs", "closed", "carryover"]
WHAT: tuple[What, ...] = get_args(What)


def replay(
    *,
    sessions: Annotated[list[Path] | None, Parameter(consume_multiple=True)] = None,
    latest: int | None = None,
    strategy: Annotated[list[str] | None, Parameter(negative=())] = None,
    window: str = WINDOWS,
    what: Annotated[list[What] | None, Parameter(negative=())] = None,
    workers: int = 1,
    json: AsJson = False,
) -> int:
    """Measure strategies on recorded sessions.

    Before each recorded reply the request is searched for the exact texts its calls need and that
    lie more than 8,000 tokens back: the old text of an edit, paths, names. A file
    SESSION.labels.jsonl beside a session says which; without one they follow from the calls. An
    interrupt ends it, and what has come so far is told. Exit code 1: a strategy failed.

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
    """
    if workers < 0:
        raise BadInput("--workers: give 0 or more")
    if sessions and latest is not None:
        raise BadInput(f"--latest {latest}: give it, or --sessions, not both")
    if latest is None and not sessions:
        raise BadInput(HINT.replace("FILE", "--sessions DIR"))
    places = newest(latest, "--sessions DIR") if latest is not None else list(sessions or ())
    names = known(strategy or (OURS, OTHER), tell=complain)
    if not names:
        raise BadInput("--strategy: none of these can run here")
    rooms = [budget_of(size, WireReader()).room for size in windows_of(window)]
    with scratch_folder("loom-bench-"):
        sources, skipped = sources_of(places, 0)
        if not sources:
            raise skipped[0] if skipped else BadInput("no recorded session lies there")
        asked = what or WHAT
        closed = [kind == "closed" for kind in TABLES if kind in asked]
        jobs = jobs_of(sources, [(name, room) for room in rooms for name in names], closed)
        bad = {error.path for error in skipped}
        paths = [path for path in find(places) if path not in bad] if "carryover" in asked else []
        many = workers or usable_cpus()
        outcomes, stopped = taken(spread(replayed, jobs, many), len(jobs), name_of)
        carry: list[CarriedFile] = []
        if stopped is None:
            carry, stopped = taken(spread(_carried, paths, many), len(paths), lambda one: one[0])
    found = {"sessions": len(sources), **_found(asked, outcomes, carry, names, rooms)}
    finished, planned = len(outcomes) + len(carry), len(jobs) + len(paths)
    if json:
        mark = {"interrupted": True, "planned": planned, "finished": finished} if stopped else {}
        print_json({**found, "skipped": [str(error) for error in skipped], **mark})
    else:
        for kind in TABLES:
            _print(kind, found.get(kind, {}))
        if "carryover" in found:
            _print_carryover(found["carryover"])
        told([f"failed: {one}" for one in found["failed"]])
        print_lines(skipped_lines(skipped))
    if stopped is not None:
        return ended(stopped, finished, planned)
    return FOUND if found["failed"] else FINE


CarriedFile = tuple[str, list[Carried]]


def _found(
    asked: Sequence[What],
    outcomes: Sequence[ReplayOutcome],
    carry: Sequence[CarriedFile],
    names: Sequence[str],
    rooms: Sequence[int],
) -> dict[str, Any]:
    """What was asked for, of all that came."""
    found: dict[str, Any] = {}
    for kind, made in (("needs", figures), ("closed", costs)):
        if kind in asked:
            some = comparable([one for one in outcomes if one.job.closed == (kind == "closed")])
            found[kind] = report_of(grouped(some), names, rooms, made)
    if carry:
        found["carryover"] = _carryover([one for _, some in carry for one in some])
    found["failed"] = [
        f"{one.job.strategy} in {one.session} at {one.job.capacity:,}: {one.failed}"
        for one in outcomes
        if one.failed
    ]
    return found


def _carried(path: Path) -> CarriedFile:
    """The name of a file, and what stood where after each of its compactions."""
    return path.name, [one for given in compacted([path]) for one in carried(given)]


def _carryover(whole: Sequence[Carried]) -> dict[str, Any]:
    """Shares by kind and place, and the mean tokens of each place that has them."""
    sizes = {place: [one.tokens[place] for one in whole if place in one.tokens] for place in PLACES}
    means = {place: round(sum(of) / len(of)) for place, of in sizes.items() if of}
    return {"compactions": len(whole), "tokens": means, **shares_of(whole)}


def _print(kind: str, report: Report) -> None:
    """A table for each size of a request, and what its columns mean."""
    title, heads = TABLES[kind]
    columns = [RankedColumn(head, rank, name) for head, (name, _, rank) in heads.items()]
    for room, strategies in report.items():
        needs = next(iter(strategies.values()))["needs"]
        print_line(f"{title}: {needs:,} needs, requests of {int(room):,} tokens")
        rows = [
            RankedRow(name, {key: format(found[key], how) for key, how, _ in heads.values()})
            for name, found in strategies.items()
        ]
        print_ranked_table("strategy", columns, rows, fill_width(console()))
        print_line()
    if report:
        _print_about(kind)


def _print_carryover(found: dict[str, Any]) -> None:
    """One table: what stands in each place after a compaction."""
    if not found["compactions"]:
        print_line("carryover: no session there holds a compaction and its summary")
        return
    heads = [f"{kind} ({found[kind]['n']:,})" for kind in KINDS]
    columns = [RankedColumn(head, at, head) for at, head in enumerate(heads)]
    rows = []
    for place in PLACES:
        shares = [f"{found[kind][place]:.1%}" for kind in KINDS]
        tokens = f"{found['tokens'][place]:,}" if place in found["tokens"] else ""
        texts = {"tokens": tokens, **dict(zip(heads, shares, strict=True))}
        rows.append(RankedRow(place.replace("_", " "), texts))
    print_line(f"carryover at {plural(found['compactions'], 'compaction')}")
    shown = [RankedColumn("tokens", 9, "tokens"), *columns]
    print_ranked_table("place", shown, rows, fill_width(console()))
    _print_about("carryover")


def _print_about(kind: str) -> None:
    told([ABOUT[kind]])
    print_line()
