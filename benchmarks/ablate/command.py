"""Ablate: what each judge loses without each mechanism of the window, with a bound of noise.

Each judge measures one session, as counts that add up over sessions. `needs` and `takeover` count
what is resident of what is asked, `planted` the rules and facts that stand of those told, `ask`
what is answered right, `truth` the cuts after which nothing untrue stands, of all cuts judged, and
`verdicts` those on really run command lines that are not false; its capacity is a number of lines.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
from cyclopts import Parameter

from benchmarks.ablate.mechanisms import NAMES, switched_off
from benchmarks.ask import AskJob, asked
from benchmarks.driven import gathered
from benchmarks.options import CommandResult, Limit, Names, Workers, measuring
from benchmarks.planted import kept, planted
from benchmarks.takeover import LOOM, TakeoverJob
from benchmarks.takeover import judged as taken
from benchmarks.truth import TruthJob
from benchmarks.truth import judged as true
from benchmarks.verdicts import lines, run
from loom.replay.importers import find
from loom_bench.errors import BadBench
from loom_bench.judges.truth import FAULTS
from loom_bench.recorded.labels import SCORED, labelled
from loom_bench.recorded.ledger import RESIDENT
from loom_bench.recorded.run import NeedsJob, replay
from loom_bench.recorded.takeovers import taken_over
from loom_bench.sessions.generate import FLAVOURS, chained
from loom_bench.simulated.questions import RIGHT
from loom_bench.strategies import STRATEGIES
from loom_bench.tables import table

FIRST_SEED = 60  # of the simulated sessions, in words that are kept from development
DEFAULT = "needs@16000,needs@32000,takeover@16000,truth@16000,planted@8192,ask@4096,ask@8192"
MESSAGES = 300  # of a made-up session with rules and facts planted in it
RESAMPLES = 1_000
NOISE = (5, 95)  # percentiles of the difference over resampled sessions


class AblationJob(NamedTuple):
    """One session before one judge, without some mechanisms; `given` is what the judge takes."""

    without: tuple[str, ...]
    judge: str
    capacity: int
    given: Any


class AblationCount(NamedTuple):
    """What a judge found: `held` of `asked`, the cuts it took, seconds of CPU."""

    without: tuple[str, ...]
    judge: str
    capacity: int
    session: str
    held: int
    asked: int
    cuts: int
    seconds: float


def counted(job: AblationJob) -> AblationCount:
    """One session judged, with some mechanisms switched off."""
    begun = time.process_time()
    with switched_off(job.without):
        session, held, of, cuts = JUDGES[job.judge][1](job.given, job.capacity)
    spent = time.process_time() - begun
    return AblationCount(*job[:3], session, held, of, cuts, spent)


Judged = tuple[str, int, int, int]  # name of the session, held, asked, cuts


def _needs(given: Any, capacity: int) -> Judged:
    found = replay(NeedsJob(given, LOOM, capacity))
    met = [one.verdict == RESIDENT for one in found.met if one.kind in SCORED]
    return found.session, sum(met), len(met), found.sums.cuts


def _takeover(given: Any, capacity: int) -> Judged:
    found = taken(TakeoverJob(given, capacity, (LOOM,)))
    return given.name, sum(one.resident for one in found), len(found), 0


def _truth(given: Any, capacity: int) -> Judged:
    (found,) = true(TruthJob(given, ((LOOM, capacity),)))
    cuts = found.sums["cuts"]
    return found.session, cuts - sum(found.sums[one] for one in FAULTS), cuts, cuts


def _ask(given: Any, capacity: int) -> Judged:
    found = asked(AskJob(given, LOOM, capacity, held_out=True)).asked
    return f"seed {given}", sum(one.verdict == RIGHT for one in found), len(found), 0


def _planted(given: Any, capacity: int) -> Judged:
    session = planted(chained([], given), MESSAGES)
    sums = kept(session, capacity, STRATEGIES.get(LOOM)).sums
    held = sums["rules_held"] + sums["facts_shown"]
    return given, held, sums["rules"] + sums["facts"], sums["cuts"]


def _verdicts(given: Any, capacity: int) -> Judged:
    ran = [one for line in lines(capacity, given) for one in run(line)]
    came = [came for one in ran for _, came in one.judged()]
    return f"seed {given}", len(came) - came.count("false"), len(came), 0


def _folders(data: Path) -> list[Path]:
    return sorted(data.glob("agent-sessions*"))


# Judge → what it is given of a folder of data (so many sessions, 0: all), and how it judges one.
JUDGES: dict[str, tuple[Callable[[Path, int], Iterable[Any]], Callable[[Any, int], Judged]]] = {
    "needs": (lambda data, limit: labelled(_folders(data), limit), _needs),
    "takeover": (
        lambda data, limit: [
            one.load() for one in taken_over(data / "takeover", _folders(data))[: limit or None]
        ],
        _takeover,
    ),
    "truth": (
        lambda data, limit: sorted(find(_folders(data)[-1:]), key=lambda one: one.stat().st_size)[
            : limit or None
        ],
        _truth,
    ),
    "planted": (lambda data, limit: [*FLAVOURS][: limit or None], _planted),
    "ask": (lambda data, limit: range(FIRST_SEED, FIRST_SEED + (limit or 2)), _ask),
    "verdicts": (lambda data, limit: range(1, 1 + (limit or 6)), _verdicts),
}

JUDGES_SAID = f"Judges ({', '.join(JUDGES)}), each at a capacity in tokens, separated by commas."
NAMES_SAID = f"A mechanism of {'; '.join(NAMES)}; again for more. Without any, each."


@measuring
def ablate(
    *,
    data: Path,
    judge: Annotated[str, Parameter(help=JUDGES_SAID)] = DEFAULT,
    without: Annotated[Names, Parameter(help=NAMES_SAID)] = None,
    together: bool = False,
    limit: Limit = 0,
    workers: Workers = 2,
) -> CommandResult:
    """Compare every judge with and without each mechanism.

    Parameters
    ----------
    data
        A folder that holds recorded sessions with labels (`agent-sessions*`) and `takeover`.
    together
        All of them switched off at once, as one row.
    """
    names = tuple(without or NAMES)
    judges = [_judge(one) for one in judge.split(",")]
    if unknown := [one for one in names if one not in NAMES]:
        raise BadBench(f"--without {unknown[0]!r}: give some of {', '.join(NAMES)}")
    given = {name: list(JUDGES[name][0](data, limit)) for name, _ in judges}
    rows = ((), names) if together else ((), *((one,) for one in names))
    jobs = [
        AblationJob(row, name, capacity, session)
        for name, capacity in judges
        for row in rows
        for session in given[name]
    ]

    def told(one: AblationCount) -> tuple[str, bool]:
        off = ", ".join(one.without) or "nothing off"
        return f"{one.judge} at {one.capacity:,}, {off}: {one.session}", False

    found = gathered("sessions", counted, jobs, workers, told)
    report = [_row(row, judges, found) for row in rows]
    heads = ["without", *(f"{name} {capacity:,}" for name, capacity in judges), "cuts", "CPU"]
    cells = [
        [one["without"], *map(_cell, one["judges"]), f"{one['cuts']:,}", f"{one['seconds']:,.0f} s"]
        for one in report
    ]
    shown = table("Ablation, in points: below 0, a judge loses without it", heads, cells)
    about = table("What they are for", ["mechanism", ""], [[n, NAMES[n].sentence] for n in names])
    return CommandResult({"rows": report}, [shown, about])


def _judge(given: str) -> tuple[str, int]:
    name, _, capacity = given.strip().partition("@")
    if name not in JUDGES or not capacity.isdecimal():
        raise BadBench(f"--judge {given!r}: give {'/'.join(JUDGES)}@TOKENS, as {DEFAULT}")
    return name, int(capacity)


def _row(
    row: tuple[str, ...], judges: Iterable[tuple[str, int]], found: Sequence[AblationCount]
) -> dict[str, Any]:
    """One row: each judge's share, and what it loses against nothing switched off, in points."""
    made = []
    for judge in judges:
        some = [one for one in found if (one.judge, one.capacity) == judge]
        off, base = ([one for one in some if one.without == names] for names in (row, ()))
        least, most = _noise(base, off)
        share = _share(off)
        change = share - _share(base)
        name = "@".join(map(str, judge))
        made.append({"judge": name, "share": share, "change": change, "least": least, "most": most})
    mine = [one for one in found if one.without == row]
    cuts, seconds = sum(one.cuts for one in mine), sum(one.seconds for one in mine)
    return {"without": " + ".join(row), "judges": made, "cuts": cuts, "seconds": round(seconds, 1)}


def _share(some: Sequence[AblationCount]) -> float:
    asked_of = max(sum(one.asked for one in some), 1)
    return round(100 * sum(one.held for one in some) / asked_of, 2)


def _noise(base: Sequence[AblationCount], off: Sequence[AblationCount]) -> tuple[float, float]:
    """The 90 % interval of the change in points, sessions resampled with what both made of them."""
    by = {one.session: one for one in off}
    pairs = [(one, by[one.session]) for one in base if one.session in by]
    if not pairs:
        return 0.0, 0.0
    counts = np.array([[a.held, a.asked, b.held, b.asked] for a, b in pairs], float)
    chosen = np.random.default_rng(1).integers(0, len(pairs), (RESAMPLES, len(pairs)))
    held, asked, held_off, asked_off = np.moveaxis(counts[chosen].sum(axis=1), 1, 0)
    change = 100 * (held_off / np.maximum(asked_off, 1) - held / np.maximum(asked, 1))
    least, most = np.percentile(change, NOISE).round(2).tolist()
    return least, most


def _cell(one: dict[str, Any]) -> str:
    if not one["change"] and not one["least"] and not one["most"]:
        return f"{one['share']:.1f}"
    return f"{one['change']:+.1f} ({one['least']:+.1f} {one['most']:+.1f})"
