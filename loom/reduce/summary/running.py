"""The host's model is run: any callable, for at most so many seconds.

A plain callable cannot be stopped from outside, so it is called on a daemon thread and waited for.
One that does not answer in time is left behind: its late answer is dropped, and a process that
exits does not wait for it. What the model raises is raised here; only `Overdue` is ours.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from threading import Thread
from time import monotonic
from typing import Any

from loom.errors import Overdue
from loom.reduce.summary.ask import Ask, Model

THREAD = "loom-summary"


def late(timeout: float) -> Overdue:
    """The error for a model that did not answer within so many seconds."""
    return Overdue(f"timed out after {timeout:g} s")


def run(model: Model, ask: Ask, timeout: float) -> Any:
    """Call the model and wait for its answer. Raises Overdue and what the model raises.

    An awaitable gets a loop of its own on that thread, so this works inside a running loop too.
    """

    def work() -> Any:
        value = model(ask)
        if inspect.isawaitable(value):
            import asyncio

            return asyncio.run(_within(value, timeout))
        return value

    call = _called(work)
    try:
        return call.result(timeout)
    except TimeoutError:
        if call.cancel():
            raise late(timeout) from None
        return call.result()  # the model raised one of its own, or came at the last moment


async def answered(model: Model, ask: Ask, timeout: float) -> Any:
    """Call the model and await its answer. Raises Overdue, and what the model raises.

    A coroutine function runs on this loop, any other callable on a thread.
    """
    import asyncio

    begun = monotonic()
    called = getattr(model, "__call__", None)  # noqa: B004 - an object whose call is `async def`
    if inspect.iscoroutinefunction(model) or inspect.iscoroutinefunction(called):
        return await _within(model(ask), timeout)
    value = await _within(asyncio.wrap_future(_called(lambda: model(ask))), timeout)
    if inspect.isawaitable(value):
        return await _within(value, max(0.0, timeout - (monotonic() - begun)), timeout)
    return value


def _called(work: Callable[[], Any]) -> Future[Any]:
    """A call on a daemon thread. Until it has come it can be cancelled, and is then dropped."""
    call: Future[Any] = Future()

    def work_on() -> None:
        value, raised = None, None
        try:
            value = work()
        except BaseException as error:  # also KeyboardInterrupt: it belongs to the caller
            raised = error
        if not call.set_running_or_notify_cancel():
            if inspect.iscoroutine(value):
                value.close()  # nobody is left to await it
        elif raised is not None:
            call.set_exception(raised)
            raised = None  # an exception must not hold its own frames, or what is open stays so
        else:
            call.set_result(value)

    Thread(target=copy_context().run, args=(work_on,), name=THREAD, daemon=True).start()
    return call


async def _within(awaitable: Any, timeout: float, said: float = 0.0) -> Any:
    """The result of an awaitable, cancelled after `timeout` seconds. Raises Overdue.

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
        raise late(said or timeout)
    try:
        return task.result()
    finally:
        del task, done
