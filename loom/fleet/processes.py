"""Spawned processes as an executor, in which a death costs the work at hand and no other.

Theory of operation. Each thread that calls has a process, since a pool of processes that breaks
cannot say whose work killed it. A process that died is replaced when its thread has more to do.
Processes are spawned, not forked, as a caller may run threads; so work and what it is given must be
importable and picklable. What was raised comes as it is where it survives pickling, else as a text.

Ctrl-C reaches every process of a terminal. It is the main thread's to answer: processes begin with
the signal held back, and ignore it. One whose parent is gone, however that went, ends by itself.
"""

from __future__ import annotations

import os
import pickle
import signal
import threading
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from multiprocessing.reduction import ForkingPickler
from traceback import format_exc
from typing import Any, ParamSpec, TypeVar

from loom.errors import LoomError, WorkerDied

Given = ParamSpec("Given")
Made = TypeVar("Made")
Heard = Callable[[Any], None]  # takes what work tells while it goes on


def cpus() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class ThreadProcesses:
    """The processes of the threads that call `run`: each has one, until it dies."""

    def __init__(self) -> None:
        self._own = threading.local()
        self._lock = threading.Lock()
        self._started: list[tuple[SpawnProcess, Connection]] = []
        self._stopped = False

    def run(self, work: Callable[[], Made], heard: Heard = lambda told: None) -> Made:
        """Do work in this thread's process, and give or raise what it did; raises WorkerDied."""
        process, link = self._process()
        kind, made = _asked(process, link, work)
        while kind == "told":
            heard(made)
            kind, made = _asked(process, link)
        if kind == "raised":
            raise made
        return made  # type: ignore[no-any-return]

    @property
    def pids(self) -> list[int]:
        """The ids of the processes that live."""
        with self._lock:
            return [one.pid for one, _ in self._started if one.pid and one.is_alive()]

    def stop(self) -> None:
        """Kill all, and start no more."""
        with self._lock:
            self._stopped = True
            for process, _ in self._started:
                process.kill()

    def close(self) -> None:
        """Let all end, and wait until they have; for when nothing runs."""
        for process, link in self._started:
            link.close()
            process.join()

    def _process(self) -> tuple[SpawnProcess, Connection]:
        held: tuple[SpawnProcess, Connection] | None = getattr(self._own, "held", None)
        if held is None or not held[0].is_alive():
            with self._lock:
                if self._stopped:
                    raise BrokenExecutor("it was stopped")
                context = get_context("spawn")
                link, other = context.Pipe()
                process = context.Process(target=_serve, args=(other,), daemon=True)
                process.start()
                other.close()
                held = self._own.held = process, link
                self._started.append(held)
        return held


class Processes(Executor):
    """An executor of `workers` spawned processes, 0 for one a processor.

    The future of work whose process died raises WorkerDied; all others go on.
    """

    def __init__(self, workers: int = 0) -> None:
        self._processes = ThreadProcesses()
        self._threads = ThreadPoolExecutor(workers or cpus(), initializer=hold_back_interrupts)

    @property
    def pids(self) -> list[int]:
        """The ids of the processes that live."""
        return self._processes.pids

    def submit(
        self, work: Callable[Given, Made], /, *args: Given.args, **kwargs: Given.kwargs
    ) -> Future[Made]:
        """Have a function called in a process; see Executor."""
        return self._threads.submit(self._processes.run, partial(work, *args, **kwargs))

    def stop(self) -> None:
        """Kill the processes: what they are at raises WorkerDied, and nothing is begun."""
        self._processes.stop()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes once what was begun has ended; see Executor."""
        self._threads.shutdown(wait=wait, cancel_futures=cancel_futures)
        if wait:
            self._processes.close()


def hold_back_interrupts() -> None:
    """Hold Ctrl-C back in this thread, and in the processes it starts."""
    if hasattr(signal, "pthread_sigmask"):  # on Windows `_serve` ignores it, which is all there is
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


def said(error: BaseException) -> str:
    """An error as it is told: its type and its text, or that it can say none."""
    try:
        text = str(error)
    except (Exception, SystemExit):  # work's own class: it ends no map
        text = "it has no text"
    return f"{type(error).__name__}: {text}"


def death(code: int | None) -> str:
    """Return in words how a process ended, from its exit code."""
    if code is None or code >= 0:
        return f"it ended with exit code {code}" if code is not None else "it ended"
    name = next((known.name for known in signal.Signals if known == -code), "unknown")
    return f"it was killed by signal {-code} ({name})"


def _asked(
    process: SpawnProcess, link: Connection, work: Callable[[], object] | None = None
) -> tuple[str, Any]:
    """Send work, if any, and return the next message of a process; raises WorkerDied."""
    with suppress(EOFError, OSError):
        if work is not None:
            link.send(work)
        return link.recv()  # type: ignore[no-any-return]
    process.join()
    raise WorkerDied(death(process.exitcode))


# --- in a worker ---

_link: Connection | None = None


def tell(value: object) -> None:
    """Tell whoever waits for the work at hand something; elsewhere than in a process: nothing."""
    if _link is not None:
        _link.send(("told", value))


def _serve(link: Connection) -> None:
    """Do what comes until nothing more can."""
    global _link
    _link = link
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_follow, name="loom-parent", daemon=True).start()
    with suppress(EOFError):
        while True:
            link.send_bytes(_done(link.recv_bytes()))


def _done(given: bytes) -> bytes:
    """Do pickled work; what it made or raised, pickled as it is to be sent."""
    try:
        return bytes(ForkingPickler.dumps(("made", pickle.loads(given)())))
    except Exception as error:
        error.add_note(format_exc())
        with suppress(Exception):  # whatever pickling raises
            told = bytes(ForkingPickler.dumps(("raised", error)))
            pickle.loads(told)
            return told
        return bytes(ForkingPickler.dumps(("raised", LoomError(said(error)))))


def _follow() -> None:
    """End with the parent, in the middle of work too."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
