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

from loom.errors import Closed
from loom.live import Context
from loom.session.locking import WAIT

P = ParamSpec("P")
R = TypeVar("R")
N = TypeVar("N")


class Owner(Protocol):
    """The thread's owner, who opens a Context when one is first needed."""

    threads: ThreadedCalls

    async def opened(self) -> Context:
        """The Context."""

    @property
    def context(self) -> Context:
        """The Context; raises Closed before it was opened."""


class AsyncNamespace(Generic[N]):
    """A namespace of a Context; `sync` is the namespace itself, for its properties."""

    def __init__(self, owner: Owner, part: Callable[[Context], N]) -> None:
        self.owner = owner
        self._part = part

    @property
    def threads(self) -> ThreadedCalls:
        """The threads of its context."""
        return self.owner.threads

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: its properties are read by `sync`>"

    if not TYPE_CHECKING:  # a checker is to find what is misspelt

        def __getattr__(self, name: str) -> NoReturn:
            """Say where a property is that is not awaited."""
            what = f"{type(self).__name__} has no {name!r}"
            raise AttributeError(f"{what}: properties are read by `sync`: sync.{name}")

    @property
    def sync(self) -> N:
        """The namespace of the Context, once that is open. Raises Closed before."""
        return self._part(self.owner.context)

    async def opened(self) -> N:
        """The namespace of the Context, which is opened when it was not."""
        return self._part(await self.owner.opened())


def awaited(
    method: Callable[Concatenate[N, P], R], *, waits: bool = False, beside: bool = False
) -> Callable[Concatenate[Any, P], Coroutine[Any, Any, R]]:
    """A method of a Context or of a namespace, in a thread.

    `beside` is for one that the next call does not wait for, `waits` for one that `close` ends.
    """

    @wraps(method)
    async def run(self: Any, /, *args: P.args, **kwargs: P.kwargs) -> R:
        def call(held: N) -> R:
            return method(held, *args, **kwargs)

        made: R = await self.threads.run(self.opened, call, waits=waits, beside=beside)
        return made

    return run


async def surely(call: Callable[[], R]) -> R:
    """Call it in a thread, also when the task that awaits this is cancelled."""
    run = partial(copy_context().run, call)
    return await asyncio.shield(asyncio.get_running_loop().run_in_executor(None, run))


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
        does not cancel the call. One that `waits`, or runs `beside` others, holds up none.

        A call before that a hook holds is waited for as long as by any other (WAIT).
        """
        mark = None if waits else self.begin()
        before, over = self._last, Event()
        self._last = over

        async def made() -> R:
            try:
                held = await opened()
            except BaseException:
                over.set()
                self.end(mark)
                raise
            return await surely(partial(finished, held))

        def finished(held: N) -> R:
            try:
                before.wait(WAIT)
                if waits or beside:  # it has its place only until it begins
                    over.set()
                return call(held)
            finally:
                over.set()
                self.end(mark)

        return await asyncio.shield(asyncio.ensure_future(made()))

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
