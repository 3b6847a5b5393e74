"""The host's model is run: any callable, for at most so many seconds.

Theory of operation
-------------------
A plain callable cannot be stopped from outside, so it is called on a daemon thread and waited for.
One that does not answer in time is left behind: its thread ends when the call does, its late
answer is dropped, and a process that exits does not wait for it. A host that cannot afford such
threads gives its own client a time-out. After an answer the thread has ended before `run` returns.

An awaitable gets a loop of its own on that thread, so `run` works inside a running loop too; it is
cancelled when the time is over. `answered` awaits it on the caller's loop.

What the model raises is raised here, BaseExceptions as well. Only `Late` is ours: a model's own
TimeoutError is told apart from it.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from contextlib import suppress
from contextvars import copy_context
from threading import Event, Lock, Thread
from time import monotonic
from typing import Any

from msgspec import Struct

from loom.errors import LoomError
from loom.reduce.summary.ask import Ask, Model

THREAD = "loom-summary"


class Late(LoomError):
    """The model did not answer within `timeout` seconds."""

    def __init__(self, timeout: float) -> None:
        self.timeout = timeout
        super().__init__(f"timed out after {timeout:g} s")


class _Outcome(Struct, frozen=True):
    """The outcome of a call: a value, or the exception it raised."""

    value: Any = None
    raised: BaseException | None = None

    def get(self) -> Any:
        """The value; raises what was raised."""
        try:
            if self.raised is not None:
                raise self.raised
            return self.value
        finally:
            del self  # an exception must not hold its own frames, or what is open stays so


class _Call:
    """A call on a daemon thread; `done` is called with its outcome unless it was dropped before."""

    def __init__(self, work: Callable[[], Any], done: Callable[[_Outcome], None]) -> None:
        self._work = work
        self._done = done
        self._dropped = False
        self._lock = Lock()
        context = copy_context()
        self.thread = Thread(target=context.run, args=(self._run,), name=THREAD, daemon=True)
        self.thread.start()

    def drop(self) -> None:
        """Discard an outcome that comes later."""
        with self._lock:
            self._dropped = True

    def _run(self) -> None:
        try:
            outcome = _Outcome(self._work())
        except BaseException as error:  # also KeyboardInterrupt: it belongs to the caller
            outcome = _Outcome(raised=error)
        with self._lock:
            if not self._dropped:
                self._done(outcome)
            elif inspect.iscoroutine(outcome.value):
                outcome.value.close()  # nobody is left to await it
        del outcome, self  # its traceback holds this frame


def run(model: Model, ask: Ask, timeout: float) -> Any:
    """Call the model and wait for its answer. Raises Late and what the model raises."""
    came = Event()
    outcomes: list[_Outcome] = []

    def work() -> Any:
        value = model(ask)
        if inspect.isawaitable(value):
            import asyncio

            return asyncio.run(_within(value, timeout))
        return value

    def done(outcome: _Outcome) -> None:
        outcomes.append(outcome)
        came.set()

    call = _Call(work, done)
    try:
        came.wait(timeout)
    finally:
        call.drop()
    if not outcomes:
        raise Late(timeout)
    call.thread.join()
    return outcomes.pop().get()


async def answered(model: Model, ask: Ask, timeout: float) -> Any:
    """Call the model and await its answer. Raises Late, and what the model raises.

    A coroutine function runs on this loop, any other callable on a thread.
    """
    if _is_async(model):
        return await _within(model(ask), timeout)
    begun = monotonic()
    outcome = await _on_a_thread(model, ask, timeout)
    try:
        value = outcome.get()
    finally:
        del outcome
    if inspect.isawaitable(value):
        return await _within(value, max(0.0, timeout - (monotonic() - begun)), timeout)
    return value


async def _on_a_thread(model: Model, ask: Ask, timeout: float) -> _Outcome:
    """The outcome of calling the model on a thread. Raises Late."""
    import asyncio

    loop = asyncio.get_running_loop()
    came: asyncio.Future[_Outcome] = loop.create_future()

    def tell(outcome: _Outcome) -> None:
        if not came.done():
            came.set_result(outcome)

    def done(outcome: _Outcome) -> None:
        with suppress(RuntimeError):  # the loop was closed before the answer came
            loop.call_soon_threadsafe(tell, outcome)

    call = _Call(lambda: model(ask), done)
    try:
        outcome: _Outcome = await _within(came, timeout)
    finally:
        call.drop()
    call.thread.join()  # it has told its outcome: there is nothing left to wait for
    return outcome


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


def _is_async(model: Callable[..., Awaitable[str] | str]) -> bool:
    """True when calling the model only makes a coroutine."""
    called = getattr(model, "__call__", None)  # noqa: B004 - an object whose call is `async def`
    return inspect.iscoroutinefunction(model) or inspect.iscoroutinefunction(called)
