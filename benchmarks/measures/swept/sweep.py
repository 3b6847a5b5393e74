"""Sweep: every session through every window, audited; broken laws are counted.

Replays are independent, so each runs in a process of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from benchmarks.measures.swept.drive import SweepSetting, drive
from benchmarks.measures.swept.tally import Replayed
from loom.inputs import Session
from loom.policy import PRESETS, Policy
from loom.replay.audit import Findings
from loom.replay.importers import find, load
from loom.replay.importers.unreadable import BadSession
from loom_bench.pool import spread
from loom_bench.sessions.generate import FLAVOURS, session

WINDOWS = (8_192, 16_000, 32_000, 64_000, 128_000)
GENERATED = 15  # sessions, the flavours in turn
STEPS = 150  # replies of a generated session

Replay = tuple[Session, SweepSetting]


def sessions(folders: Iterable[Path], limit: int = 0) -> Iterator[Session | Replayed]:
    """The sessions of some folders, generated ones without folders.

    A file that cannot be read comes as a failed replay at window 0.
    """
    found: Iterable[Session | Replayed]
    paths = list(folders)
    if paths:
        found = (one for path in find(paths) for one in _loaded(path))
    else:
        names = sorted(FLAVOURS)
        found = (
            session(seed, STEPS, flavour=names[seed % len(names)]) for seed in range(GENERATED)
        )
    return islice(found, limit or None)


def _loaded(path: Path) -> Sequence[Session | Replayed]:
    try:
        return load(path)
    except BadSession as error:
        return [Replayed(path.stem, str(path), 0, Findings(), failed=str(error))]


def jobs_of(
    given: Iterable[Session | Replayed],
    windows: Sequence[int] = WINDOWS,
    policy: Policy = PRESETS["lazy"],
    *,
    working: bool = False,
    project: bool = False,
    heads: Sequence[float] = (0.0,),
) -> tuple[list[Replay], list[Replayed]]:
    """Every session in every window, under instructions that take each of the shares `heads` of
    it, the longest first; and the files that could not be read.

    `working` and `project` are those of `SweepSetting`.
    """
    jobs: list[Replay] = []
    unread: list[Replayed] = []
    for one in given:
        if isinstance(one, Replayed):
            unread.append(one)
        else:
            jobs += [
                (one, SweepSetting(window, policy, working, project, head))
                for window in windows
                for head in heads
            ]
    jobs.sort(key=lambda job: -len(job[0].events))  # no process is left with a long one at the end
    return jobs, unread


def replays(jobs: Iterable[Replay], workers: int = 2) -> Iterator[Replayed]:
    """The jobs done, as they end."""
    yield from spread(_driven, jobs, workers)


def _driven(job: Replay) -> Replayed:
    return drive(*job)
