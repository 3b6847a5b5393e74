"""Methods of a Context, each in a thread.

A thread cannot be cancelled, and what waits for one in the loop's executor must not be: a call that
was made is finished, whether or not the task that made it still waits. `close` comes behind it.
Calls are taken in the order they were made: each waits for the one before.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextvars import copy_context
from functools import partial, wraps
from threading import Condition, Event, Lock
from typing import TYPE_CHECKING, Any, Concatenate, Generic, NoReturn, ParamSpec, Protocol, TypeVar

from loom.context import Context
from loom.engine.hooks import WAIT
from loom.errors import Closed, LoomError

P = ParamSpec("P")
R = TypeVar("R")
N = TypeVar("N")


class Owner(Protocol):
    """What opens a Context when it is first needed."""

    threads: ThreadedCalls

    async def opened(self) -> Context:
        """The Context."""

    @property
    def context(self) -> Context:
        """The Context; raises NotOpen before it was opened."""


class NotOpen(LoomError, RuntimeError):
    """An AsyncContext was asked for what it holds before it was opened."""

    def __init__(self) -> None:
        super().__init__(
            "the context is not open yet: use `async with loom.aio.open(…)`, or await a method of"
            " it first"
        )


class AsyncNamespace(Generic[N]):
    """A namespace of a Context; `sync` is the namespace itself, for its properties."""

    def __init__(self, owner: Owner, part: Callable[[Context], N]) -> None:
        self.owner = owner
        self._part = part

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: its properties are read by `sync`>"

    if not TYPE_CHECKING:  # a checker is to find what is misspelt

        def __getattr__(self, name: str) -> NoReturn:
            """Say where a property is that is not awaited."""
            what = f"{type(self).__name__} has no {name!r}"
            raise AttributeError(f"{what}: properties are read by `sync`: sync.{name}")

    @property
    def sync(self) -> N:
        """The namespace of the Context, once that is open. Raises NotOpen before."""
        return self._part(self.owner.context)

    async def opened(self) -> N:
        """The namespace of the Context, which is opened when it was not."""
        return self._part(await self.owner.opened())


def on_context(
    method: Callable[Concatenate[Context, P], R], *, beside: bool = False
) -> Callable[Concatenate[Any, P], Coroutine[Any, Any, R]]:
    """A method of a Context, in a thread; `beside` for one that the next call does not wait for."""

    @wraps(method)
    async def run(self: Owner, /, *args: P.args, **kwargs: P.kwargs) -> R:
        call = partial(_called, method, args, kwargs)
        return await self.threads.run(self.opened, call, beside=beside)

    return run


def on_namespace(
    method: Callable[Concatenate[N, P], R], *, waits: bool = False
) -> Callable[Concatenate[Any, P], Coroutine[Any, Any, R]]:
    """A method of a namespace, in a thread; `waits` for one that `close` ends, not waits for."""

    @wraps(method)
    async def run(self: AsyncNamespace[N], /, *args: P.args, **kwargs: P.kwargs) -> R:
        call = partial(_called, method, args, kwargs)
        return await self.owner.threads.run(self.opened, call, waits=waits)

    return run


def _called(method: Callable[..., R], args: Any, kwargs: Any, held: object) -> R:
    return method(held, *args, **kwargs)


async def surely(call: Callable[[], R]) -> R:
    """Call it in a thread, also when the task that awaits this is cancelled."""
    run = partial(copy_context().run, call)
    return await asyncio.shield(asyncio.get_running_loop().run_in_executor(None, run))


class CallPlace:
    """The place of a call among those of its context: behind `before`, until it is `over`."""

    def __init__(self, before: Event, over: Event, *, beside: bool) -> None:
        self._before, self._over, self._beside = before, over, beside

    def take(self) -> None:
        """Wait for the call before; one that a hook holds is waited for as long as by any other.
        A call that runs `beside` the next ones has its place only until it begins."""
        self._before.wait(WAIT)
        if self._beside:
            self._over.set()

    def leave(self) -> None:
        """Let the next call begin."""
        self._over.set()


class ThreadedCalls:
    """The calls of one context: each is finished once it was made, whoever waits for it."""

    def __init__(self) -> None:
        self._made: set[object] = set()
        self._ended = Condition()
        self._last = Event()  # set when the call that was made last is over
        self._last.set()

    async def run(
        self,
        opened: Callable[[], Awaitable[N]],
        call: Callable[[N], R],
        *,
        waits: bool = False,
        beside: bool = False,
    ) -> R:
        """Call it with what is opened, in a thread, behind the calls made before; a cancelled wait
        does not cancel the call. One that `waits`, or runs `beside` others, holds up none."""
        mark = None if waits else self.begin()
        before, self._last = self._last, Event()
        place = CallPlace(before, self._last, beside=waits or beside)
        return await asyncio.shield(asyncio.ensure_future(self._run(opened, call, mark, place)))

    async def _run(
        self,
        opened: Callable[[], Awaitable[N]],
        call: Callable[[N], R],
        mark: object | None,
        place: CallPlace,
    ) -> R:
        try:
            held = await opened()
        except BaseException:
            place.leave()
            self.end(mark)
            raise

        def finished() -> R:
            try:
                place.take()
                return call(held)
            finally:
                place.leave()
                self.end(mark)

        return await surely(finished)

    def begin(self) -> object:
        """Say that a call was made that `close` waits for: a mark of it."""
        self._made.add(mark := object())
        return mark

    def end(self, mark: object) -> None:
        """Say that the call of a mark is over."""
        with self._ended:
            self._made.discard(mark)
            self._ended.notify_all()

    async def close(self, opened: Callable[[], Awaitable[Context]]) -> None:
        """Close the context behind the calls made before; one that a hook holds, or a tool, is not
        waited for longer than by any other call."""
        before = {*self._made}

        def closed(context: Context) -> None:
            with self._ended:
                self._ended.wait_for(lambda: before.isdisjoint(self._made), WAIT)
            context.close()

        await self.run(opened, closed, waits=True)


class ThreadedOpening:
    """A context that a thread opens, and closes again when whoever wanted it has left."""

    def __init__(self, make: Callable[[], Context]) -> None:
        self._make = make
        self._guard = Lock()  # held by the thread that opens it, or closes it
        self._asked, self._ended = False, Event()
        self._left = False
        self._context: Context | None = None

    async def wait(self) -> Context:
        """The context; one whose wait is cancelled is left."""
        self._asked = True
        try:
            return await surely(self._open)
        except asyncio.CancelledError:
            await self.leave()
            raise

    async def leave(self) -> None:
        """Close it, as soon as it is open."""
        await surely(self._close)

    def _open(self) -> Context:
        try:
            with self._guard:
                if self._left:
                    raise Closed()
                self._context = self._make()
                return self._context
        finally:
            self._ended.set()

    def _close(self) -> None:
        if self._asked:  # what opens it was given to a thread before, and is finished
            self._ended.wait()
        with self._guard:
            self._left = True
            if self._context is not None:
                self._context.close()
