"""The judges of an ablation: each measures one session, as counts that add up over sessions.

`needs` and `takeover` count what is resident of what is asked, `ask` what is answered right, and
`truth` the cuts after which nothing untrue stands, of all cuts judged.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from benchmarks.ablate.mechanisms import switched_off
from benchmarks.ask import AskJob, asked
from benchmarks.takeover.judge import LOOM, TakeoverJob
from benchmarks.takeover.judge import judged as taken
from benchmarks.takeover.labels import taken_over
from benchmarks.truth import FAULTS, TruthJob
from benchmarks.truth import judged as true
from loom.replay.importers import find
from loom_bench.recorded.labels import SCORED, labelled
from loom_bench.recorded.ledger import RESIDENT
from loom_bench.recorded.run import NeedsJob, replay
from loom_bench.simulated.questions import RIGHT

FIRST_SEED = 60  # of the simulated sessions, in words that are kept from development


class AblationJob(Struct, frozen=True):
    """One session before one judge, without some mechanisms; `given` is what the judge takes."""

    without: tuple[str, ...]
    judge: str
    capacity: int
    given: Any


class AblationCount(Struct, frozen=True):
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
        session, held, asked_of, cuts = JUDGES[job.judge](job.given, job.capacity)
    spent = time.process_time() - begun
    return AblationCount(job.without, job.judge, job.capacity, session, held, asked_of, cuts, spent)


Judged = tuple[str, int, int, int]  # name of the session, held, asked, cuts


def _needs(given: Any, capacity: int) -> Judged:
    found = replay(NeedsJob(given, LOOM, capacity))
    met = [one for one in found.met if one.kind in SCORED]
    held = sum(one.verdict == RESIDENT for one in met)
    return found.session, held, len(met), found.sums.cuts


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


JUDGES: dict[str, Callable[[Any, int], Judged]] = {
    "needs": _needs,
    "takeover": _takeover,
    "truth": _truth,
    "ask": _ask,
}


def sessions_of(judge: str, data: Path, limit: int) -> Iterator[Any]:
    """What a judge is given, a session at a time, from a folder of data."""
    folders = sorted(data.glob("agent-sessions*"))
    if judge == "needs":
        yield from labelled(folders, limit)
    elif judge == "takeover":
        yield from list(taken_over(data / "takeover", folders))[: limit or None]
    elif judge == "truth":
        paths = sorted(find(folders[-1:]), key=lambda path: path.stat().st_size)
        yield from paths[: limit or None]
    else:
        yield from range(FIRST_SEED, FIRST_SEED + (limit or 2))
