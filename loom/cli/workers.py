"""Sessions replayed several at a time, in any executor; in processes of Loom's when none is given.

Theory of operation. The executor is then one of threads, and each thread has a process, since a
pool of processes that breaks cannot say whose session killed it. A session whose process dies is
given a second one; what the first left is removed before, or it would be resumed.

Processes are spawned, since the progress bar runs a thread. A session is loaded where it is
replayed; only its job goes there and only its trial comes back, and what was raised comes as a
text, since not every exception survives pickling.

Ctrl-C reaches every process of a terminal. It is the main thread's to answer: processes begin with
the signal held back, and are killed, and waited for, before the folders they write to are removed.
One whose parent is gone, however that went, ends by itself.
"""

from __future__ import annotations

import os
import shutil
import signal
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, Executor, ThreadPoolExecutor
from contextlib import suppress
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path

from loom.cli.exits import BAD, FINE, FOUND, code_of, text_of
from loom.cli.jobs import ReplayJob, SessionReader, longest_first
from loom.cli.progress import Tell
from loom.cli.trial import ReplayTrial, Setting, trial
from loom.engine.turn import Turn

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
    pool = executor or ThreadPoolExecutor(min(workers, len(jobs)), initializer=_deaf)
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
    """The processes of the threads that call `replay`: each has one, until it dies."""

    def __init__(self, tell: Tell, work: Work) -> None:
        self._tell = tell
        self._work = work
        self._own = threading.local()
        self._lock = threading.Lock()
        self._started: list[tuple[SpawnProcess, Connection]] = []
        self._stopped = False

    def replay(self, job: ReplayJob, folder: Path, setting: Setting) -> Ended:
        """Do the work in this thread's process, once more in another one if it dies."""
        ours = not os.path.lexists(folder)  # only what a worker made is removed after it
        for times in ("once", "twice"):  # noqa: B007
            process, link = self._process()
            with suppress(EOFError, OSError):
                link.send((self._work, job, folder, setting))
                while isinstance(got := link.recv(), int):
                    self._tell(job, got, link.recv())
                return got  # type: ignore[no-any-return]
            process.join()
            if ours:
                shutil.rmtree(folder, ignore_errors=True)
            if os.path.lexists(folder):
                break
        return _failed(job, f"its worker died {times}: {_death(process.exitcode)}"), BAD

    def stop(self) -> None:
        """Kill all; a second Ctrl-C waits until the command has ended."""
        _deaf()
        with self._lock:
            self._stopped = True
            for process, _ in self._started:
                process.kill()

    def close(self) -> None:
        """Let all end, and wait until they have."""
        for process, link in self._started:
            link.close()
            process.join()

    def _process(self) -> tuple[SpawnProcess, Connection]:
        held: tuple[SpawnProcess, Connection] | None = getattr(self._own, "held", None)
        if held is None or not held[0].is_alive():
            with self._lock:
                if self._stopped:
                    raise BrokenExecutor("the replay was stopped")
                context = get_context("spawn")
                link, other = context.Pipe()
                process = context.Process(target=_serve, args=(other,), daemon=True)
                process.start()
                other.close()
                held = self._own.held = process, link
                self._started.append(held)
        return held


def _deaf() -> None:
    """Hold Ctrl-C back in this thread, and in the processes it starts."""
    if hasattr(signal, "pthread_sigmask"):  # on Windows `_serve` ignores it, which is all there is
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


def _death(code: int | None) -> str:
    if code is None or code >= 0:
        return f"it ended with exit code {code}" if code is not None else "it ended"
    name = next((known.name for known in signal.Signals if known == -code), "unknown")
    return f"it was killed by signal {-code} ({name})"


def _failed(job: ReplayJob, why: str) -> ReplayTrial:
    return ReplayTrial(job.name, str(job.path), error=why)


# --- in a worker ---

_reader = SessionReader()
_link: Connection | None = None


def _serve(link: Connection) -> None:
    """Do what comes until nothing more can."""
    global _link
    _link = link
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_follow, name="loom-parent", daemon=True).start()
    with suppress(EOFError):
        while True:
            work, *given = link.recv()
            link.send(work(*given))


def _follow() -> None:
    """End with the parent, in the middle of a session too."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(FOUND)


def replay_job(job: ReplayJob, folder: Path, setting: Setting) -> Ended:
    """Replay a job here; what it raises is told as the error of its trial."""
    step, last = -(-job.events // STEPS), 0

    def watch(done: int, turn: Turn) -> None:
        nonlocal last
        if _link is not None and (done - last >= step or done == job.events):
            last = done
            _link.send(done)
            _link.send(turn.pressure)

    try:
        return trial(_reader.session(job), folder, setting, watch), FINE
    except Exception as error:
        return _failed(job, f"{type(error).__name__}: {text_of(error)}"), code_of(error)
