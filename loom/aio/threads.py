"""The calls of one Context, each in a thread of the loop's executor, in the order they were made.

A thread cannot be cancelled, and what waits for one in the loop's executor must not be: a call that
was made is finished, whether or not the task that made it still waits. `close` comes behind it.
"""

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
    """The calls of a context, which `make` opens at the first of them."""

    def __init__(self, make: Callable[[], Context]) -> None:
        self._make = make
        self._held: Context | None = None
        self._jobs: deque[Job] = deque()
        self._guard = Lock()
        self._busy = False  # a thread does the jobs
        self._beside: set[asyncio.Task[Any]] = set()  # what `close` waits for

    @property
    def context(self) -> Context:
        """The Context itself; raises Closed before it was opened."""
        if self._held is None:
            raise Closed("the context is not open yet: use `async with loom.aio.open(…)` first")
        return self._held

    async def run(
        self, call: Callable[[Context], R], *, beside: bool = False, waits: bool = False
    ) -> R:
        """Call it with the context behind the calls made before; a cancelled wait does not cancel
        the call. One that runs `beside` others, or `waits` until `close` ends it, holds up none.
        """
        if not (beside or waits):
            return await self._await_result(self._queue_call(lambda: call(self._open_once())))

        async def made() -> R:
            held = await self._await_result(self._queue_call(self._open_once))
            return await asyncio.to_thread(call, held)

        return await self._run_shielded(made(), awaited=beside)

    async def opening(self, call: Callable[[Context], Context]) -> Context:
        """The same of a call that opens a context: that is closed when nobody waits for it."""
        made = self._queue_call(lambda: call(self._open_once()))
        try:
            return await self._await_result(made)
        except asyncio.CancelledError:
            with suppress(Exception):  # of the call
                await self._run_shielded(asyncio.to_thread(lambda: made.result().close()))
            raise

    async def close(self, *, anew: bool = False) -> None:
        """Close the context, if it was opened, behind the calls made before; one that a hook holds,
        or a tool, is not waited for longer than by any other call. `anew`: it may be opened again.
        """

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
        """Do work to its end, also when the task that awaits this is cancelled."""
        task = asyncio.ensure_future(work)
        if awaited:
            self._beside.add(task)
            task.add_done_callback(self._beside.discard)
        return await asyncio.shield(task)

    async def _await_result(self, made: Future[R]) -> R:
        """What a queued call returns. One that a hook keeps from beginning is not waited for longer
        than by any other call: the context itself tells it so then."""
        wrapped = asyncio.wrap_future(made)
        ended, _ = await asyncio.wait({wrapped}, timeout=WAIT)
        if not ended:
            with self._guard:
                late = [job for job in self._jobs if job[0] is made]
                self._jobs = deque(job for job in self._jobs if job not in late)
            for job in late:
                asyncio.get_running_loop().run_in_executor(None, _run_job, *job)
        return await asyncio.shield(wrapped)

    def _open_once(self) -> Context:
        """The context; in a thread that does jobs."""
        if self._held is None:
            self._held = self._make()
        return self._held

    def _queue_call(self, call: Callable[[], R]) -> Future[R]:
        """Have a call made behind those before."""
        made: Future[R] = Future()
        with self._guard:
            self._jobs.append((made, partial(copy_context().run, call)))
            busy, self._busy = self._busy, True
        if not busy:
            asyncio.get_running_loop().run_in_executor(None, self._run_jobs)
        return made

    def _run_jobs(self) -> None:
        """Do jobs until there are none."""
        while True:
            with self._guard:
                if not self._jobs:
                    self._busy = False
                    return
                job = self._jobs.popleft()
            _run_job(*job)


def _run_job(made: Future[Any], call: Callable[[], Any]) -> None:
    try:
        made.set_result(call())
    except BaseException as error:
        made.set_exception(error)
