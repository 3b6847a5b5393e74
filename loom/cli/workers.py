"""Sessions replayed in processes of Loom's, several at a time.

Theory of operation. Each thread of a pool has a process (see `loom.fleet.processes`). A session
whose process dies is given a second one; what the first left is removed before, or it would be
resumed. A session is loaded where it is replayed; only its job goes there and only its trial comes
back. Processes are killed, and waited for, before the folders they write to are removed.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from loom.cli.exits import BAD, FINE, code_of, text_of
from loom.cli.jobs import ReplayJob, longest_first, session_of
from loom.cli.progress import Tell
from loom.cli.trial import ReplayTrial, Setting, trial
from loom.engine.turn import Turn
from loom.fleet.errors import WorkerDied
from loom.fleet.processes import ThreadProcesses, deaf, tell

STEPS = 50  # how often a session tells of its progress, at most

Ended = tuple[ReplayTrial, int]  # and the exit code of what was raised in its place, 0 for nothing
# What a worker does for a job: module-level functions only, they are named to another process.
Work = Callable[[ReplayJob, Path, Setting], Ended]


def replay_job(job: ReplayJob, folder: Path, setting: Setting) -> Ended:
    """Replay a job in a worker; what it raises is told as the error of its trial."""
    step, last = -(-job.events // STEPS), 0

    def watch(done: int, turn: Turn) -> None:
        nonlocal last
        if done - last >= step or done == job.events:
            last = done
            tell((done, turn.pressure))

    try:
        return trial(session_of(job), folder, setting, watch), FINE
    except Exception as error:
        return _failed(job, f"{type(error).__name__}: {text_of(error)}"), code_of(error)


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

    The longest sessions are begun first, so that no process is left with one at the end. What a
    session raises, or the death of its worker twice, is the `error` of its trial.
    """
    processes = ThreadProcesses()

    def do(job: ReplayJob) -> Ended:
        return _done(processes, job, partial(work, job, home / job.folder, setting), home, tell)

    pool = ThreadPoolExecutor(min(workers, len(jobs)), initializer=deaf)
    try:
        futures = {job: pool.submit(do, job) for job in longest_first(jobs)}
        return [futures[job].result() for job in jobs]
    except BaseException:
        deaf()  # a second Ctrl-C waits until the command has ended
        processes.stop()
        raise
    finally:
        pool.shutdown(cancel_futures=True)
        processes.close()


def _done(
    processes: ThreadProcesses, job: ReplayJob, work: Callable[[], Ended], home: Path, tell: Tell
) -> Ended:
    """Do the work in this thread's process, once more in another one if it dies."""
    folder = home / job.folder
    ours = not os.path.lexists(folder)  # only what a worker made is removed after it
    cause = ""
    for times in ("once", "twice"):  # noqa: B007
        try:
            return processes.run(work, lambda told: tell(job, *told))
        except WorkerDied as error:
            cause = error.cause
        if ours:
            shutil.rmtree(folder, ignore_errors=True)
        if os.path.lexists(folder):
            break
    return _failed(job, f"its worker died {times}: {cause}"), BAD


def _failed(job: ReplayJob, why: str) -> ReplayTrial:
    return ReplayTrial(job.name, str(job.path), error=why)
