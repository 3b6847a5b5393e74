"""The sessions of a replay as jobs, which are done by processes of Loom's, several at a time.

Theory of operation. A job is a small value that says where a session lies and where it goes. It
crosses to another process in place of its session, which is loaded where it is replayed; only its
trial comes back. A process that dies is told as the failure of its session. Processes are killed,
and waited for, before the folders they write to are removed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from functools import lru_cache, partial
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from loom.cli.exits import BAD, FINE, code_of, text_of
from loom.cli.scratch import progress
from loom.cli.show import clip
from loom.cli.trial import Row, Setting, row_of, trial
from loom.errors import BadInput, BadSession, WorkerDied
from loom.fleet.processes import Processes, hold_back_interrupts
from loom.inputs import Session
from loom.replay.copies import SessionFronts
from loom.replay.importers import load

STEM_CHARS = 80
ENDINGS = "files of sessions end in .jsonl, .json, .traj or .eval, or are called opencode.db"


class ReplayJob(Struct, frozen=True):
    """The session number `at` of the file `path`, and the name of the folder its workspace gets.

    `number` counts the jobs of a replay from 0, `events` those of the session.
    """

    number: int
    path: Path
    at: int
    name: str
    events: int
    folder: str


Ended = tuple[Row, int]  # and the exit code of what was raised in its place, 0 for nothing
# Called in any thread while sessions are replayed, with a job, its events done, and what it is at.
Tell = Callable[[ReplayJob, int, str], None]
# What a worker does for a job: module-level functions only, they are named to another process.
Work = Callable[[ReplayJob, Path, Setting], Ended]


def jobs_of(
    files: Iterable[Path], *, alone: bool = True
) -> tuple[list[ReplayJob], list[BadSession]]:
    """Return a job for each session, in the order of the files, and why others are not read: they
    cannot be, or stand in another that goes on from them.

    Everything is read once before anything is replayed, so the progress bar knows its end. BadInput
    when there are no files, BadSession when none can be read; neither where they are not `alone`.
    """
    jobs: list[ReplayJob] = []
    given: set[str] = set()
    skipped: list[BadSession] = []
    fronts = SessionFronts()
    for path in files:
        try:
            sessions = load(path)
        except BadSession as error:
            skipped.append(error)
            continue
        for at, session in enumerate(sessions):
            folder = _folder(session.name, given)
            jobs.append(ReplayJob(len(jobs), path, at, session.name, len(session.events), folder))
            fronts.add(path, at, session)
    if alone and not jobs:
        raise skipped[0] if skipped else BadInput(f"no recorded session lies there: {ENDINGS}")
    copies = {job.number: why for job in jobs if (why := fronts.copied(job.path, job.at))}
    kept = [job for job in jobs if job.number not in copies]
    kept = [replace(job, number=number) for number, job in enumerate(kept)]
    return kept, [*skipped, *copies.values()]


def check_free(jobs: Iterable[ReplayJob], home: Path) -> None:
    """BadInput when a folder of a job holds a workspace already."""
    for job in jobs:
        folder = home / job.folder
        if (folder / "journal").exists():
            raise BadInput(f"{folder} holds a workspace already; choose another --out")


def session_of(job: ReplayJob) -> Session:
    """The session of a job; BadSession when its file can no longer be read as it was."""
    sessions = loaded(job.path)
    if job.at >= len(sessions):
        raise BadSession(job.path, 0, f"it changed while it was replayed: no {job.name} in it")
    return sessions[job.at]


loaded = lru_cache(maxsize=1)(load)  # one file in memory at a time


def _folder(name: str, given: set[str]) -> str:
    """Return a name for a session's folder, made of the session's own, and add it to `given`: no
    name in there is equal to it, small and capital letters taken for the same."""
    stem = re.sub(r"[^\w.-]+", "_", name).strip("._")[:STEM_CHARS] or "session"
    folder, more = stem, 2
    while folder.casefold() in given:
        folder, more = f"{stem}-{more}", more + 1
    given.add(folder.casefold())
    return folder


def replay_job(job: ReplayJob, folder: Path, setting: Setting) -> Ended:
    """Replay a job in a worker; what it raises is told as the error of its trial."""
    try:
        return trial(session_of(job), folder, setting, lambda done, turn: None), FINE
    except Exception as error:
        why = f"{type(error).__name__}: {text_of(error)}"
        return row_of(job.name, str(job.path), setting, error=why), code_of(error)


def replayed(
    jobs: Sequence[ReplayJob],
    home: Path,
    setting: Setting,
    tell: Tell,
    *,
    workers: int,
    work: Work = replay_job,
) -> list[Ended]:
    """Replay every job into its folder under `home`, in `workers` processes; trials as jobs go.

    The longest are begun first, so that no process is left with one at the end; those of one file
    stay together, since a reader holds one file at a time. What a session raises, or the death of
    its worker, is the `error` of its trial.
    """
    most: dict[Path, int] = {}
    for job in jobs:
        most[job.path] = max(most.get(job.path, 0), job.events)
    ordered = sorted(jobs, key=lambda job: (-most[job.path], str(job.path), -job.events))
    pool = Processes(min(workers, len(jobs)))
    try:
        futures = {job: pool.submit(work, job, home / job.folder, setting) for job in ordered}
        for job, future in futures.items():
            future.add_done_callback(partial(_tell_end, tell, job))
        ended: list[Ended] = []
        for job in jobs:
            try:
                ended.append(futures[job].result())
            except WorkerDied as error:
                why = f"its worker died: {error.cause}"
                ended.append((row_of(job.name, str(job.path), setting, error=why), BAD))
        return ended
    except BaseException:
        hold_back_interrupts()  # a second Ctrl-C waits until the command has ended
        pool.stop()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _tell_end(tell: Tell, job: ReplayJob, future: Future[Ended]) -> None:
    tell(job, job.events, "replayed")


@contextmanager
def telling(jobs: Sequence[ReplayJob]) -> Iterator[Tell]:
    """One bar over the events of all jobs, in whatever order they come; off a terminal nothing."""
    finished = dict.fromkeys((job.number for job in jobs), 0)
    total = sum(job.events for job in jobs)
    with progress() as watch:

        def tell(job: ReplayJob, done: int, text: str) -> None:
            finished[job.number] = done
            watch(f"{clip(job.name, 24)} {text}", sum(finished.values()), total)

        yield tell
