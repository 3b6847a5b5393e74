"""Sessions replayed several at a time, in any executor; in processes of Loom's when none is given.

Theory of operation. The executor is then one of threads, and each thread has a process (see
`loom.fleet.processes`). A session whose process dies is given a second one; what the first left is
removed before, or it would be resumed. A session is loaded where it is replayed; only its job goes
there and only its trial comes back. Processes are killed, and waited for, before the folders they
write to are removed.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, Executor, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec.structs import replace

from loom.cli.exits import BAD, FINE, code_of, text_of
from loom.cli.jobs import ReplayJob, SessionReader, longest_first
from loom.cli.progress import Tell
from loom.cli.sessions_elsewhere import nearby
from loom.cli.trial import ReplayTrial, Setting, trial
from loom.engine.pressure import Pressure
from loom.engine.turn import Turn
from loom.fleet.errors import WorkerDied
from loom.fleet.processes import ThreadProcesses, deaf, tell

STEPS = 50  # how often a session tells of its progress, at most

Ended = tuple[ReplayTrial, int]  # and the exit code of what was raised in its place, 0 for nothing
# What a worker does for a job: module-level functions only, they are named to another process.
Work = Callable[[ReplayJob, Path, Setting], Ended]


def replayed(
    jobs: Sequence[ReplayJob],
    home: Path,
    setting: Setting,
    tell: Tell,
    *,
    workers: int = 1,
    executor: Executor | None = None,
    work: Work | None = None,
) -> list[Ended]:
    """Replay every job into its folder under `home`, in `workers` processes; trials as jobs go.

    The longest sessions are begun first, so that no process is left with one at the end.

    What a session raises, or the death of its worker twice, is the `error` of its trial. In an
    `executor` that is given progress is told a session at a time, and it is not shut down.
    """
    fleet = _Fleet(tell, work or replay_job)
    doing = fleet.replay if executor is None else work or replay_job
    pool = executor or ThreadPoolExecutor(min(workers, len(jobs)), initializer=deaf)
    ends: list[Ended] = []
    try:
        futures = {
            job: pool.submit(doing, job, home / job.folder, setting) for job in longest_first(jobs)
        }
        for job in jobs:
            try:
                ends.append(futures[job].result())
            except BrokenExecutor as error:
                ends.append((_failed(job, f"its worker died once: {error}"), BAD))
            if executor is not None:
                tell(job, job.events, None)
    except BaseException:
        fleet.stop()
        raise
    finally:
        if executor is None:
            pool.shutdown(cancel_futures=True)
        fleet.close()
    return ends


class _Fleet:
    """Jobs done in the processes of the threads that call `replay`."""

    def __init__(self, tell: Tell, work: Work) -> None:
        self._tell = tell
        self._work = work
        self._processes = ThreadProcesses()

    def replay(self, job: ReplayJob, folder: Path, setting: Setting) -> Ended:
        """Do the work in this thread's process, once more in another one if it dies."""
        ours = not os.path.lexists(folder)  # only what a worker made is removed after it
        work, told = partial(self._work, job, folder, setting), partial(self._told, job)
        cause = ""
        for times in ("once", "twice"):  # noqa: B007
            try:
                return self._processes.run(work, told)
            except WorkerDied as error:
                cause = error.cause
            if ours:
                shutil.rmtree(folder, ignore_errors=True)
            if os.path.lexists(folder):
                break
        return _failed(job, f"its worker died {times}: {cause}"), BAD

    def stop(self) -> None:
        """Kill all; a second Ctrl-C waits until the command has ended."""
        deaf()
        self._processes.stop()

    def close(self) -> None:
        """Let all end, and wait until they have."""
        self._processes.close()

    def _told(self, job: ReplayJob, told: tuple[int, Pressure]) -> None:
        self._tell(job, *told)


def _failed(job: ReplayJob, why: str) -> ReplayTrial:
    return ReplayTrial(job.name, str(job.path), error=why)


# --- in a worker ---

_reader = SessionReader()


def replay_job(job: ReplayJob, folder: Path, setting: Setting) -> Ended:
    """Replay a job here; what it raises is told as the error of its trial."""
    step, last = -(-job.events // STEPS), 0

    def watch(done: int, turn: Turn) -> None:
        nonlocal last
        if done - last >= step or done == job.events:
            last = done
            tell((done, turn.pressure))

    try:
        return trial(_reader.session(job), folder, setting, watch), FINE
    except Exception as error:
        return _failed(job, f"{type(error).__name__}: {text_of(error)}"), code_of(error)


def replay_apart(job: ReplayJob, folder: Path, setting: Setting) -> Ended:
    """Replay a job on a machine that may have neither its file nor the folder."""
    with TemporaryDirectory(prefix="loom-replay-") as own, nearby(job) as near:
        ended, code = replay_job(near, Path(own) / folder.name, setting)
    return replace(ended, source=job.source or str(job.path)), code
