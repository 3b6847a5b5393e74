"""`truth`: replays under judges.

A request is judged when it follows a cut: it does not begin with all of the request before it. A
fault that stands after three cuts is three faults.
"""

from __future__ import annotations

import json as jsons
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from benchmarks.driven import gathered, opened, said
from benchmarks.options import (
    Capacity,
    CommandResult,
    Details,
    Limit,
    Names,
    Sessions,
    Workers,
    measuring,
    sizes,
)  # fmt: skip
from benchmarks.show import by_capacity, by_column, on_stderr
from loom.inputs import Reply, Session
from loom.providers.counts import counter_for
from loom.providers.render.message import Message
from loom.replay.importers import find, load
from loom_bench.errors import BadBench
from loom_bench.judges.truth import FAULTS, FIGURES
from loom_bench.plain_list import Meter
from loom_bench.recorded.named import known
from loom_bench.recorded.report import share
from loom_bench.truth import FollowedSession
from loom_bench.truth.standing import planted


class TruthJob(Struct, frozen=True):
    """A file of sessions, the (strategy, capacity) pairs it goes through, and whether planted."""

    path: Path
    pairs: tuple[tuple[str, int], ...]
    hostile: bool = False


class JudgedReplay(Struct):
    """One session through one strategy at one capacity.

    `faults` are (kind, text) with the number of cuts they stood after; `failed` says what ended
    the replay early.
    """

    session: str
    strategy: str
    capacity: int
    sums: Counter[str] = field(default_factory=Counter)
    faults: Counter[tuple[str, str]] = field(default_factory=Counter)
    failed: str = ""


def judged(job: TruthJob) -> list[JudgedReplay]:
    """Every session of a file through every pair."""
    meter = Meter(counter_for())
    return [
        _judged(session, name, size, job.hostile, meter)
        for session in load(job.path)
        for name, size in job.pairs
    ]


def _judged(
    session: Session, name: str, capacity: int, hostile: bool, meter: Meter
) -> JudgedReplay:
    found = JudgedReplay(session.name, name, capacity)
    followed, before, at = FollowedSession(), list[Message](), 0
    try:
        with opened(name, capacity, meter) as way:
            for event in planted(session.events) if hostile else session.events:
                at = event.index
                if isinstance(event, Reply):
                    request = list(way.request())
                    cut = request[: len(before)] != before
                    before = request
                    found.sums.update(requests=1, cuts=int(cut))
                    if cut:
                        ruling = followed.rule(request)
                        found.sums.update(ruling.sums)
                        found.faults.update(ruling.faults)
                way.feed(event)
                followed.take(event)
    except Exception as error:
        found.failed = said(error, at)
    return found


OURS, OTHER = "loom", "tail"  # what is judged when nothing is named

COUNTS = ("cuts", "stale_lines", "untold", "resolved_open", "open_untold")  # beside the columns


def _key(part: str, whole: str) -> str:
    """The name of a figure: of `untold` it is `untold_share`, of `short_found` it is `short`."""
    return part.partition("_")[0] + "_share" * (part in COUNTS) if whole else part


# Figure → how it is made of the sums: one of them, or one as a share of another.
SUMS = {_key(part, whole): (part, whole) for _, part, whole, *_ in FIGURES}
SUMS |= {name: (name, "") for name in COUNTS}
HEADS = {
    _key(part, whole): f"{name}, share" if whole else name for name, part, whole, *_ in FIGURES
}
HEADS |= {name: name.replace("_", " ") for name in (*COUNTS, "failed")}
# What Loom must not exceed after any cut.
BOUNDS: dict[str, float] = {**dict.fromkeys((*FAULTS, "failed"), 0), "twice": 0.02}
COMMONEST, SHOWN = 5, 160  # examples of a kind, characters of one


def truth_figures(replays: Sequence[JudgedReplay]) -> dict[str, Any]:
    """The figures of one strategy at one capacity, with the commonest faults of each kind."""
    sums: Counter[str] = Counter()
    faults: Counter[tuple[str, str]] = Counter()
    for one in replays:
        sums.update(one.sums)
        faults.update(one.faults)
    examples: dict[str, list[tuple[str, int]]] = {}
    for (kind, text), count in sorted(faults.items(), key=lambda one: (-one[1], one[0])):
        if len(of := examples.setdefault(kind, [])) < COMMONEST:
            of.append((text[:SHOWN], count))
    return {
        **{
            name: (share(sums[part], sums[whole]) if sums[whole] else "–") if whole else sums[part]
            for name, (part, whole) in SUMS.items()
        },
        "failed": sum(bool(one.failed) for one in replays),
        "examples": examples,
    }


def fault_lines(replays: Iterable[JudgedReplay]) -> Iterator[str]:
    """A JSON line for each fault of each replay, with the number of cuts it stood after."""
    for one in replays:
        head = {"session": one.session, "strategy": one.strategy, "capacity": one.capacity}
        for (kind, text), cuts in one.faults.most_common():
            yield jsons.dumps({**head, "kind": kind, "cuts": cuts, "text": text})


@measuring
def truth(
    *,
    sessions: Sessions,
    capacity: Capacity = "16000,32000",
    strategy: Names = None,
    workers: Workers = 2,
    limit: Limit = 0,
    hostile: bool = False,
    details: Details = None,
) -> CommandResult:
    """Replay sessions and judge every request that follows a cut.

    Parameters
    ----------
    strategy
        Names of what is measured; without any, Loom and a plain tail.
    hostile
        Plant lines in the results of tools that pretend to be the window's own.
    """
    capacities = sizes("--capacity", capacity)
    names = known(strategy or (OURS, OTHER), tell=on_stderr)
    paths = sorted(find(sessions), key=lambda path: (-path.stat().st_size, path))
    if not paths or not names:
        raise BadBench("--sessions or --strategy: nothing can run, so nothing was shown")
    pairs = tuple((name, size) for size in capacities for name in names)
    jobs = [TruthJob(path, pairs, hostile) for path in paths[: limit or None]]

    def told(some: list[JudgedReplay]) -> tuple[str, bool]:
        failed = [f"{one.strategy}: {one.failed}" for one in some if one.failed]
        return "; ".join([some[0].session, *failed]), bool(failed)

    replays = [one for some in gathered("files", judged, jobs, workers, told) for one in some]
    if details is not None:
        details.write_text("\n".join([*fault_lines(replays), ""]), "utf-8")
    report = by_capacity(
        replays, names, capacities, lambda one: (one.strategy, one.capacity), truth_figures
    )
    shown = [by_column(f"After a cut at {size:,}", report[str(size)], HEADS) for size in capacities]
    missed = [
        f"missed at {size}: {name} is {found[OURS][name]}, its bound {most}"
        for size, found in report.items()
        if OURS in found
        for name, most in BOUNDS.items()
        if found[OURS][name] != "–" and found[OURS][name] > most
    ]
    return CommandResult(report, shown, missed=missed)
