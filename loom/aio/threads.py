"""Methods of a Context, each in a thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import wraps
from threading import Lock
from typing import Any, Concatenate, Generic, NoReturn, ParamSpec, Protocol, TypeVar

from loom.context import Context
from loom.errors import Closed, LoomError

P = ParamSpec("P")
R = TypeVar("R")
N = TypeVar("N")


class Owner(Protocol):
    """What opens a Context when it is first needed."""

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
    method: Callable[Concatenate[Context, P], R],
) -> Callable[Concatenate[Any, P], Coroutine[Any, Any, R]]:
    """A method of a Context, in a thread."""

    @wraps(method)
    async def run(self: Owner, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return await asyncio.to_thread(method, await self.opened(), *args, **kwargs)

    return run


def on_namespace(
    method: Callable[Concatenate[N, P], R],
) -> Callable[Concatenate[Any, P], Coroutine[Any, Any, R]]:
    """A method of a namespace, in a thread."""

    @wraps(method)
    async def run(self: AsyncNamespace[N], /, *args: P.args, **kwargs: P.kwargs) -> R:
        return await asyncio.to_thread(method, await self.opened(), *args, **kwargs)

    return run


async def surely(call: Callable[[], None]) -> None:
    """Call it in a thread, also when the task that awaits this is cancelled."""
    await asyncio.shield(asyncio.get_running_loop().run_in_executor(None, call))


class ThreadedOpening:
    """A context that a thread opens, and closes again when whoever wanted it has left."""

    def __init__(self, make: Callable[[], Context]) -> None:
        self._make = make
        self._guard = Lock()  # held by the thread that opens it, or closes it
        self._left = False
        self._context: Context | None = None

    async def wait(self) -> Context:
        """The context; one whose wait is cancelled is left."""
        try:
            return await asyncio.to_thread(self._open)
        except asyncio.CancelledError:
            await self.leave()
            raise

    async def leave(self) -> None:
        """Close it, as soon as it is open."""
        await surely(self._close)

    def _open(self) -> Context:
        with self._guard:
            if self._left:
                raise Closed()
            self._context = self._make()
            return self._context

    def _close(self) -> None:
        with self._guard:
            self._left = True
            if self._context is not None:
                self._context.close()
