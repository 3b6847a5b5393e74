"""The calls of one Context, each in a thread of the loop's executor, in the order they were made.

A thread cannot be cancelled, and a job that waits for a thread must not be: each call that was made
is finished, whether or not its task still waits. `close` comes after all of them."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from threading import Lock
from typing import Any, TypeVar

from loom.errors import Closed
from loom.live import Context
from loom.session.locking import WAIT

R = TypeVar("R")
Job = tuple[Future[Any], Callable[[], Any]]  # what it returns, once it does


class ThreadedCalls:
    """Runs calls on one Context in threads, in order. `make` opens the Context."""

    def __init__(self, make: Callable[[], Context]) -> None:
        self._make = make
        self._held: Context | None = None
        self._jobs: deque[Job] = deque()
        self._guard = Lock()
        self._busy = False  # a thread does the jobs
        self._beside: set[asyncio.Task[Any]] = set()  # what `close` waits for

    @property
    def context(self) -> Context:
        """Return the open Context. Raises Closed before it was opened."""
        if self._held is None:
            raise Closed("the context is not open yet: use `async with loom.aio.open(…)` first")
        return self._held

    async def run(
        self, call: Callable[[Context], R], *, beside: bool = False, waits: bool = False
    ) -> R:
        """Return `call(context)`, run in a thread after all earlier calls. Cancelling the awaiting
        task does not stop the call. With `beside` or `waits`, later calls do not wait for this
        call. `close` waits for a call with `beside`; a call with `waits` fails at `close`."""
        if not (beside or waits):
            return await self._await_result(self._queue_call(lambda: call(self._open_once())))

        async def made() -> R:
            held = await self._await_result(self._queue_call(self._open_once))
            return await asyncio.to_thread(call, held)

        return await self._run_shielded(made(), awaited=beside)

    async def opening(self, call: Callable[[Context], Context]) -> Context:
        """Return the context that `call` opens; close it if the awaiting task is cancelled."""
        made = self._queue_call(lambda: call(self._open_once()))
        try:
            return await self._await_result(made)
        except asyncio.CancelledError:
            with suppress(Exception):  # of the call
                await self._run_shielded(asyncio.to_thread(lambda: made.result().close()))
            raise

    async def close(self, *, anew: bool = False) -> None:
        """Close the context, if open, after all earlier calls, or after WAIT seconds if a hook or a
        tool delays them. With `anew`, the next call opens the context again."""

        def closed() -> None:
            if self._held is not None:
                self._held.close()
            self._held = None if anew else self._held

        async def made() -> None:
            if self._beside:
                await asyncio.wait(self._beside, timeout=WAIT)
            await self._await_result(self._queue_call(closed))

        await self._run_shielded(made())

    async def _run_shielded(self, work: Coroutine[Any, Any, R], *, awaited: bool = False) -> R:
        """Return the result of `work`, which runs to its end even if the awaiting task is
        cancelled. With `awaited`, `close` waits for that end."""
        task = asyncio.ensure_future(work)
        if awaited:
            self._beside.add(task)
            task.add_done_callback(self._beside.discard)
        return await asyncio.shield(task)

    async def _await_result(self, result: Future[R]) -> R:
        """Return what a queued call returns. If the call has not begun after WAIT seconds, because
        a hook blocks the queue, run the call outside the queue; the context then raises the error.
        """
        wrapped = asyncio.wrap_future(result)
        ended, _ = await asyncio.wait({wrapped}, timeout=WAIT)
        if not ended:
            with self._guard:
                late = [job for job in self._jobs if job[0] is result]
                self._jobs = deque(job for job in self._jobs if job not in late)
            for job in late:
                asyncio.get_running_loop().run_in_executor(None, _run_job, *job)
        return await asyncio.shield(wrapped)

    def _open_once(self) -> Context:
        """Return the context, opened at the first call. Only queued calls may use this."""
        if self._held is None:
            self._held = self._make()
        return self._held

    def _queue_call(self, call: Callable[[], R]) -> Future[R]:
        """Queue `call` and return a future of its result. One thread runs all queued calls."""
        made: Future[R] = Future()
        with self._guard:
            self._jobs.append((made, partial(copy_context().run, call)))
            busy, self._busy = self._busy, True
        if not busy:
            asyncio.get_running_loop().run_in_executor(None, self._run_jobs)
        return made

    def _run_jobs(self) -> None:
        """Run queued jobs until none is left."""
        while True:
            with self._guard:
                if not self._jobs:
                    self._busy = False
                    return
                job = self._jobs.popleft()
            _run_job(*job)


def _run_job(result: Future[Any], call: Callable[[], Any]) -> None:
    """Call `call`. Put its return value or exception into the future `result`."""
    try:
        result.set_result(call())
    except BaseException as error:
        result.set_exception(error)
