"""Sessions replayed in processes of their own, several at a time.

Theory of operation. A pool of one process stands in each of N places. When a process dies, killed
or out of memory, it is then known whose session it had, and nobody else's work is lost: the pool
broke, its session goes to a new one, and a session whose worker dies twice is a failure that is
told. What the first attempt left is removed before the second, which would resume it otherwise.

Processes are spawned, since the progress bar runs a thread. A session is loaded where it is
replayed; only its job goes there and only its trial comes back, and what was raised comes as a
text, since not every exception survives pickling. Progress comes in coarse steps through a queue a
pool: a process killed while it writes would take the lock of a common one with it.

Ctrl-C reaches every process of a terminal. It is this one's to answer: workers are started with
the signal held back, and are killed, and waited for, before the folders they write to are removed.
A worker whose parent is gone, however that went, ends by itself.
"""

from __future__ import annotations

import os
import shutil
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import active_children, get_context, parent_process
from multiprocessing.process import BaseProcess
from multiprocessing.queues import SimpleQueue
from pathlib import Path

from loom.cli.errors import BAD, FINE, FOUND, code_of, text_of
from loom.cli.jobs import Job, Reader
from loom.cli.progress import Tell
from loom.cli.trial import Setting, Trial, failed, trial
from loom.engine.pressure import Pressure
from loom.engine.turn import Turn

LOOK = 0.1  # seconds between two looks at what the workers told
STEPS = 50  # how often a session tells of its progress, at most
ATTEMPTS = 2  # workers a session may take with it

News = tuple[int, Pressure]  # events done, ρ of the newest request
Ended = tuple[Trial, int]  # and the exit code of what was raised in its place, 0 for nothing
# What a worker does for a job: module-level functions only, they are named to another process.
Work = Callable[[Job, Path, Setting], Ended]


def cpus() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Place:
    """Where one worker stands: its pool of one, its process, and the job it has."""

    def __init__(self) -> None:
        self.job: Job | None = None
        self.future: Future[Ended] | None = None
        self._pool: ProcessPoolExecutor | None = None
        self._process: BaseProcess | None = None
        self._news: SimpleQueue[News] | None = None

    def take(self, work: Work, job: Job, folder: Path, setting: Setting) -> None:
        """Give the worker a job; it is started when there is none."""
        with _held_back():
            try:
                future = self._submit(work, job, folder, setting)
            except BrokenProcessPool:  # it died while it had nothing to do
                self.close()
                future = self._submit(work, job, folder, setting)
            self.job, self.future = job, future

    def _submit(self, work: Work, job: Job, folder: Path, setting: Setting) -> Future[Ended]:
        before = set(active_children())
        if self._pool is None:
            context = get_context("spawn")
            self._news = context.SimpleQueue()
            self._pool = ProcessPoolExecutor(
                1, mp_context=context, initializer=_begin, initargs=(self._news,)
            )
        future = self._pool.submit(work, job, folder, setting)
        self._process = next(iter(set(active_children()) - before), self._process)
        return future

    def told(self) -> Iterator[News]:
        """What the worker told since the last look."""
        while self._news is not None and not self._news.empty():
            yield self._news.get()

    def ended(self) -> Ended | str:
        """What came of the job, or how the worker died of it."""
        assert self.future is not None
        try:
            return self.future.result()
        except BrokenProcessPool:
            process = self._process
            self.close()
            return _death(process.exitcode if process else None)

    def close(self) -> None:
        """End the worker and wait until it has ended."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
        if self._news is not None:
            self._news.close()
        self._pool = self._process = self._news = None


def replayed(
    jobs: Sequence[Job],
    home: Path,
    setting: Setting,
    workers: int,
    tell: Tell,
    work: Work | None = None,
) -> list[Ended]:
    """Replay every job into its folder under `home`, in `workers` processes; trials as jobs go.

    What a session raises, or the death of its worker twice, is the `error` of its trial.
    """
    waiting, ends = deque(jobs), dict[int, Ended]()
    deaths = dict.fromkeys((job.number for job in jobs), 0)
    # Only what a worker made is removed after it.
    ours = {job.number for job in jobs if not os.path.lexists(home / job.folder)}
    others = set(active_children())
    places = [_Place() for _ in range(min(workers, len(jobs)))]
    try:
        while len(ends) < len(jobs):
            for place in places:
                if place.job is None and waiting:
                    job = waiting.popleft()
                    place.take(work or replay_job, job, home / job.folder, setting)
            _wait(places)
            for job, ended in _news(places, tell):
                if not isinstance(ended, str):
                    ends[job.number] = ended
                    continue
                deaths[job.number] += 1
                again = deaths[job.number] < ATTEMPTS and job.number in ours
                if again and _removed(home / job.folder):
                    waiting.appendleft(job)
                else:
                    times = "twice" if deaths[job.number] == ATTEMPTS else "once"
                    ends[job.number] = _failed(job, f"its worker died {times}: {ended}"), BAD
    except BaseException:
        with _held_back():
            for process in set(active_children()) - others:
                process.kill()
        raise
    finally:
        with _held_back():
            for place in places:
                place.close()
    return [ends[job.number] for job in jobs]


def _wait(places: Iterable[_Place]) -> None:
    """Until a job has ended, but no longer than until the next look."""
    running = [place.future for place in places if place.future is not None]
    wait(running, timeout=LOOK, return_when=FIRST_COMPLETED)


def _news(places: Iterable[_Place], tell: Tell) -> Iterator[tuple[Job, Ended | str]]:
    """Tell what the workers told; yields the jobs that ended, and frees their places."""
    for place in places:
        job, future = place.job, place.future
        if job is None or future is None:
            continue
        done = future.done()  # asked first: what was told before the end is then there
        for events, pressure in place.told():
            tell(job, events, pressure)
        if done:
            ended = place.ended()
            place.job = place.future = None
            yield job, ended


def _removed(folder: Path) -> bool:
    """Remove what a dead worker left, if anything, and say whether it is gone."""
    shutil.rmtree(folder, ignore_errors=True)
    return not os.path.lexists(folder)


def _death(code: int | None) -> str:
    if code is None or code >= 0:
        return f"it ended with exit code {code}" if code is not None else "it ended"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = "unknown"
    return f"it was killed by signal {-code} ({name})"


def _failed(job: Job, why: str) -> Trial:
    return failed(job.name, str(job.path), why)


@contextmanager
def _held_back() -> Iterator[None]:
    """Ctrl-C waits meanwhile, and a process that is started meanwhile never hears of one."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows: `_begin` is all there is
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


# --- in a worker ---


class _Worker:
    """What a worker keeps between two jobs."""

    def __init__(self, news: SimpleQueue[News]) -> None:
        self.news, self.reader = news, Reader()


_worker: _Worker | None = None


def _begin(news: SimpleQueue[News]) -> None:
    global _worker
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_follow, name="loom-parent", daemon=True).start()
    _worker = _Worker(news)


def _follow() -> None:
    """End with the parent: the pool's own pipe stays open as long as a worker does."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(FOUND)


def replay_job(job: Job, folder: Path, setting: Setting) -> Ended:
    """Replay a job here, in a worker; what it raises is told as the error of its trial."""
    assert _worker is not None
    news, step, last = _worker.news, -(-job.events // STEPS), 0

    def watch(done: int, turn: Turn) -> None:
        nonlocal last
        if done - last >= step or done == job.events:
            last = done
            news.put((done, turn.pressure))

    try:
        return trial(_worker.reader.session(job), folder, setting, watch), FINE
    except Exception as error:
        return _failed(job, f"{type(error).__name__}: {text_of(error)}"), code_of(error)
