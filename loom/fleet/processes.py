"""Spawned processes as an executor. If a process dies, only the work that it was doing is lost.

Theory of operation. Each thread of the executor has a process of its own. A common pool, such as
`ProcessPoolExecutor`, breaks as a whole and cannot say whose work killed it. A process that died is
replaced when its thread has more to do. Processes are spawned, not forked, since the caller may run
threads. So the work and its arguments must be importable and picklable. An error that the work
raised is passed on unchanged if it can be pickled, else as a LoomError with its text.

Ctrl-C reaches every process of a terminal, but only the main thread responds to it: worker
processes ignore it. A worker process ends by itself when its parent has ended, for whatever reason.
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
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Processes(Executor):
    """An executor of `workers` spawned processes; 0 means one for each processor.

    If a process dies, the future of its call raises WorkerDied; all other work goes on. `threads`
    is the pool of threads that run the calls, each in a process of its own."""

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
        """Call a function with these arguments in a process. Return the future of the call."""
        return self.threads.submit(self.run, partial(work, *args, **kwargs))

    def run(
        self, work: Callable[[], Made], heard: Callable[[Any], None] = lambda told: None
    ) -> Made:
        """Do work in the process of the calling thread. Return what the work returned, or raise its
        error. `heard` is called with each value that the work passes to `tell`. Raises WorkerDied.
        """
        for kind, made in _process_messages(*self._thread_process(), work):
            if kind == "made":
                return made  # type: ignore[no-any-return]
            if kind == "raised":
                raise made
            heard(made)
        raise AssertionError("a process ends its messages by what it made")

    def stop(self) -> None:
        """Kill the processes. Work in progress raises WorkerDied, and no further work is begun."""
        with self._lock:
            self._stopped = True
            for process, _ in self._started:
                process.kill()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes when the running work is finished. `cancel_futures` drops work not yet
        begun."""
        self.threads.shutdown(wait=wait, cancel_futures=cancel_futures)
        for process, link in self._started if wait else ():
            link.close()
            process.join()

    def _thread_process(self) -> tuple[SpawnProcess, Connection]:
        """Return a pair (process, connection to it) for the calling thread. The process is started
        if needed."""
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
    """Block Ctrl-C in this thread and in the processes that it starts."""
    if hasattr(signal, "pthread_sigmask"):  # on Windows only `_serve_work` ignores it
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


def error_line(error: BaseException) -> str:
    """Return the type and the text of an error on one line: `TypeError: bad`."""
    try:
        text = str(error)
    except (Exception, SystemExit):  # work's own class: it ends no map
        text = "it has no text"
    return f"{type(error).__name__}: {text}"


def _process_messages(
    process: SpawnProcess, link: Connection, work: Callable[[], object]
) -> Iterator[tuple[str, Any]]:
    """Send work to a process, and yield the process's messages as pairs (kind, value). The kind is
    "told", "made" or "raised". Raises WorkerDied if the process ends."""
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
    """Pass a value from a worker process to the function `heard` of `Processes.run` in the caller's
    process. Outside of a worker process, do nothing."""
    if _link is not None:
        _link.send(("told", value))


def _serve_work(link: Connection) -> None:
    """Run a worker process: do each piece of work that arrives on the connection `link`, until it
    is closed."""
    global _link
    _link = link
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_exit_with_parent, name="loom-parent", daemon=True).start()
    with suppress(EOFError):
        while True:
            link.send_bytes(_do_pickled(link.recv_bytes()))


def _do_pickled(given: bytes) -> bytes:
    """Call the pickled function `given`. Return a pickled pair: ("made", value) or ("raised",
    error)."""
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
    """Wait until the parent process ends, and end this process at once, even in the middle of
    work."""
    if (parent := parent_process()) is not None:
        parent.join()
        os._exit(1)
