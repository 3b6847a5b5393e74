"""The host's model is run: any callable, for at most so many seconds.

A plain callable cannot be stopped from outside, so it is called on a daemon thread and waited for.
One that does not answer in time is left behind: its late answer is dropped, and a process that
exits does not wait for it. What the model raises is raised here; only `Late` is ours.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from threading import Event, Thread
from time import monotonic
from typing import Any

from loom.errors import LoomError
from loom.reduce.summary.ask import Ask, Model

THREAD = "loom-summary"


class Late(LoomError):
    """The model did not answer within `timeout` seconds."""

    def __init__(self, timeout: float) -> None:
        self.timeout = timeout
        super().__init__(f"timed out after {timeout:g} s")


class _Call:
    """A call on a daemon thread; `done` is called behind it unless the call was dropped before."""

    def __init__(self, work: Callable[[], Any], done: Callable[[], object]) -> None:
        self._work, self._done = work, done
        self._value: Any = None
        self._raised: BaseException | None = None
        self._dropped = False
        context = copy_context()
        self._thread = Thread(target=context.run, args=(self._run,), name=THREAD, daemon=True)
        self._thread.start()

    def drop(self) -> None:
        """Discard an outcome that comes later."""
        self._dropped = True

    def get(self) -> Any:
        """The value; raises what was raised."""
        self._thread.join()
        try:
            if self._raised is not None:
                raise self._raised
            return self._value
        finally:
            del self  # an exception must not hold its own frames, or what is open stays so

    def _run(self) -> None:
        try:
            self._value = self._work()
        except BaseException as error:  # also KeyboardInterrupt: it belongs to the caller
            self._raised = error
        if self._dropped and inspect.iscoroutine(self._value):
            self._value.close()  # nobody is left to await it
        self._done()


def run(model: Model, ask: Ask, timeout: float) -> Any:
    """Call the model and wait for its answer. Raises Late and what the model raises.

    An awaitable gets a loop of its own on that thread, so this works inside a running loop too.
    """
    came = Event()

    def work() -> Any:
        value = model(ask)
        if inspect.isawaitable(value):
            import asyncio

            return asyncio.run(_within(value, timeout))
        return value

    call = _Call(work, came.set)
    if not came.wait(timeout):
        call.drop()
        raise Late(timeout)
    return call.get()


async def answered(model: Model, ask: Ask, timeout: float) -> Any:
    """Call the model and await its answer. Raises Late, and what the model raises.

    A coroutine function runs on this loop, any other callable on a thread.
    """
    import asyncio

    begun = monotonic()
    called = getattr(model, "__call__", None)  # noqa: B004 - an object whose call is `async def`
    if inspect.iscoroutinefunction(model) or inspect.iscoroutinefunction(called):
        return await _within(model(ask), timeout)
    loop, came = asyncio.get_running_loop(), asyncio.Event()

    def done() -> None:
        with suppress(RuntimeError):  # the loop was closed before the answer came
            loop.call_soon_threadsafe(came.set)

    call = _Call(lambda: model(ask), done)
    try:
        await _within(came.wait(), timeout)
    except BaseException:
        call.drop()
        raise
    value = call.get()
    if inspect.isawaitable(value):
        return await _within(value, max(0.0, timeout - (monotonic() - begun)), timeout)
    return value


async def _within(awaitable: Any, timeout: float, said: float = 0.0) -> Any:
    """The result of an awaitable, cancelled after `timeout` seconds. Raises Late.

    One that does not let itself be cancelled is not waited for.
    """
    import asyncio

    task = asyncio.ensure_future(awaitable)
    try:
        done, _ = await asyncio.wait({task}, timeout=timeout)
    finally:
        if not task.done():
            task.add_done_callback(lambda late: late.cancelled() or late.exception())
            task.cancel()
    if not done:
        raise Late(said or timeout)
    try:
        return task.result()
    finally:
        del task, done
