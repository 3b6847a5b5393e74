"""Spawned processes as an executor, in which a death costs the work at hand and no other.

Theory of operation. Each thread that calls has a process, since a pool of processes that breaks, as
`ProcessPoolExecutor` does, cannot say whose work killed it. A process that died is replaced when
its thread has more to do. Processes are spawned, not forked, as a caller may run threads; so work
and what it is given must be importable and picklable. What was raised comes as it is where it
survives pickling, else as a text.

Ctrl-C reaches every process of a terminal. It is the main thread's to answer: processes begin with
the signal held back, and ignore it. One whose parent is gone, however that went, ends by itself.
"""

from __future__ import annotations

import os
import pickle
import signal
import threading
from collections.abc import Callable, Iterator
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


def usable_cpus() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Processes(Executor):
    """An executor of `workers` spawned processes, 0 for one a processor.

    The future of work whose process died raises WorkerDied; all others go on. `threads` are those
    that call, each with a process of its own.
    """

    def __init__(self, workers: int = 0) -> None:
        self.threads = ThreadPoolExecutor(
            workers or usable_cpus(), initializer=hold_back_interrupts
        )
        self._own = threading.local()
        self._lock = threading.Lock()
        self._started: list[tuple[SpawnProcess, Connection]] = []
        self._stopped = False

    def submit(
        self, work: Callable[Given, Made], /, *args: Given.args, **kwargs: Given.kwargs
    ) -> Future[Made]:
        """Have a function called in a process; see Executor."""
        return self.threads.submit(self.run, partial(work, *args, **kwargs))

    def run(
        self, work: Callable[[], Made], heard: Callable[[Any], None] = lambda told: None
    ) -> Made:
        """Do work in this thread's process, and give or raise what it did; `heard` takes what it
        tells meanwhile. Raises WorkerDied."""
        for kind, made in _process_messages(*self._thread_process(), work):
            if kind == "made":
                return made  # type: ignore[no-any-return]
            if kind == "raised":
                raise made
            heard(made)
        raise AssertionError("a process ends its messages by what it made")

    def stop(self) -> None:
        """Kill the processes: what they are at raises WorkerDied, and nothing is begun."""
        with self._lock:
            self._stopped = True
            for process, _ in self._started:
                process.kill()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes once what was begun has ended; see Executor."""
        self.threads.shutdown(wait=wait, cancel_futures=cancel_futures)
        for process, link in self._started if wait else ():
            link.close()
            process.join()

    def _thread_process(self) -> tuple[SpawnProcess, Connection]:
        held: tuple[SpawnProcess, Connection] | None = getattr(self._own, "held", None)
        if held is None or not held[0].is_alive():
            with self._lock:
                if self._stopped:
                    raise BrokenExecutor("it was stopped")
                context = get_context("spawn")
                link, other = context.Pipe()
                process = context.Process(target=_serve_work, args=(other,), daemon=True)
                process.start()
                other.close()
                held = self._own.held = process, link
                self._started.append(held)
        return held


def hold_back_interrupts() -> None:
    """Hold Ctrl-C back in this thread, and in the processes it starts."""
    if hasattr(signal, "pthread_sigmask"):  # on Windows `_serve` ignores it, which is all there is
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


def error_line(error: BaseException) -> str:
    """An error as it is told: its type and its text, or that it can say none."""
    try:
        text = str(error)
    except (Exception, SystemExit):  # work's own class: it ends no map
        text = "it has no text"
    return f"{type(error).__name__}: {text}"


def _process_messages(
    process: SpawnProcess, link: Connection, work: Callable[[], object]
) -> Iterator[tuple[str, Any]]:
    """Send work, and yield what its process says; raises WorkerDied."""
    with suppress(EOFError, OSError):
        link.send(work)
        while True:
            yield link.recv()
    process.join()
    code = process.exitcode
    name = next((one.name for one in signal.Signals if code == -one), "unknown")
    died = code is not None and code < 0
    raise WorkerDied(
        f"it was killed by signal {-(code or 0)} ({name})"
        if died
        else f"it ended with exit code {code}"
    )


# --- in a worker ---

_link: Connection | None = None


def tell(value: object) -> None:
    """Tell whoever waits for the work at hand something; elsewhere than in a process: nothing."""
    if _link is not None:
        _link.send(("told", value))


def _serve_work(link: Connection) -> None:
    """Do what comes until nothing more can."""
    global _link
    _link = link
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_exit_with_parent, name="loom-parent", daemon=True).start()
    with suppress(EOFError):
        while True:
            link.send_bytes(_do_pickled(link.recv_bytes()))


def _do_pickled(given: bytes) -> bytes:
    """Do pickled work; what it made or raised, pickled as it is to be sent."""
    try:
        return bytes(ForkingPickler.dumps(("made", pickle.loads(given)())))
    except Exception as error:
        error.add_note(format_exc())
        with suppress(Exception):  # whatever pickling raises
            told = bytes(ForkingPickler.dumps(("raised", error)))
            pickle.loads(told)
            return told
        return bytes(ForkingPickler.dumps(("raised", LoomError(error_line(error)))))


def _exit_with_parent() -> None:
    """End with the parent, in the middle of work too."""
    if (parent := parent_process()) is not None:
        parent.join()
        os._exit(1)
