"""Sweep: every session through every window, audited; broken laws are counted.

Replays are independent, so they run in processes of their own; only a few wait at a time, so a
large corpus is never in memory more than once.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from benchmarks.drive import drive
from benchmarks.generate import FLAVOURS, session
from benchmarks.show import Watch
from benchmarks.tally import Replayed, totals
from loom.inputs import Session
from loom.replay.audit import Findings
from loom.replay.importers import find, load
from loom.replay.importers.unreadable import BadSession

WINDOWS = (8_192, 16_000, 32_000, 64_000, 128_000)
GENERATED = 15  # sessions, the flavours in turn
STEPS = 150  # replies of a generated session
AHEAD = 2  # replays waiting for each worker

# Session, window, preset, whether C_working is busy, whether there is a project.
Job = tuple[Session, int, str, bool, bool]


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


def sweep(
    given: Iterable[Session | Replayed],
    windows: Sequence[int] = WINDOWS,
    *,
    preset: str = "lazy",
    workers: int = 2,
    working: bool = False,
    project: bool = False,
) -> dict[str, Any]:
    """Replay every session in every window; returns the JSON object of the sweep."""
    began = time.monotonic()
    replays: list[Replayed] = []
    jobs: list[Job] = []
    for one in given:
        if isinstance(one, Replayed):
            replays.append(one)
        else:
            jobs += [(one, window, preset, working, project) for window in windows]
    with Watch(len(jobs)) as watch:
        for replayed in _replays(jobs, workers):
            watch.tell(replayed)
            replays.append(replayed)
    return totals(replays, time.monotonic() - began)


def _driven(job: Job) -> Replayed:
    session, window, preset, working, project = job
    return drive(session, window, preset, working=working, project=project)


def _replays(jobs: Iterable[Job], workers: int) -> Iterator[Replayed]:
    """The replays as they end; with one worker in this process, in order."""
    if workers <= 1:
        yield from (_driven(job) for job in jobs)
        return
    waiting = iter(jobs)
    # Spawned, not forked: the progress display runs threads.
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        running: set[Future[Replayed]] = set()
        while True:
            room = workers * AHEAD - len(running)
            running |= {pool.submit(_driven, job) for job in islice(waiting, room)}
            if not running:
                return
            ended, running = wait(running, return_when=FIRST_COMPLETED)
            yield from (future.result() for future in ended)
