"""AsyncContext: a Context for `async` code."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Callable, Coroutine
from functools import wraps
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self

from loom.aio.namespaces import (
    AsyncEvents,
    AsyncHistory,
    AsyncMemory,
    AsyncSkills,
    AsyncTools,
    AsyncWorking,
)
from loom.aio.threads import (
    AsyncNamespace,
    NotOpen,
    ThreadedCalls,
    ThreadedOpening,
    on_context,
    on_namespace,
)
from loom.capabilities.agents import Agents
from loom.context import Context
from loom.context.inputs import StreamChunk, check_collectable
from loom.engine.pressure import Pressure
from loom.providers.formats.stream.collected import collecting
from loom.typed import BadArgument
from loom_paging import Slice
from loom_partitions.message import Call
from loom_partitions.window import Window

P = ParamSpec("P")
ASYNC = "an asynchronous stream, one for `async for`: that of your provider's async client"


class AsyncContext:
    """A Context for `async` code: methods are awaited, properties are those of the Context.

    The namespaces are those of the Context too, with their methods awaited; their properties are
    read by `sync`: `ctx.memory.sync.text`, `ctx.agents.sync.children`.
    """

    def __init__(self, make: Callable[[], Context]) -> None:
        self._make = make
        self._context: Context | None = None
        self._opening: tuple[ThreadedOpening, asyncio.Task[Context]] | None = None
        self.threads = ThreadedCalls()
        self.working = AsyncWorking(self, lambda context: context.working)
        self.memory = AsyncMemory(self, lambda context: context.memory)
        self.skills = AsyncSkills(self, lambda context: context.skills)
        self.tools = AsyncTools(self, lambda context: context.tools)
        self.agents = AsyncAgents(self, lambda context: context.agents)
        self.events = AsyncEvents(self, lambda context: context.events)
        self.history = AsyncHistory(self, lambda context: context.history)

    async def opened(self) -> Context:
        """The Context itself, opened when it was not; a cancelled wait does not undo that."""
        if self._opening is None:
            opening = ThreadedOpening(self._make)
            self._opening = opening, asyncio.ensure_future(opening.wait())
        self._context = await asyncio.shield(self._opening[1])
        return self._context

    system = on_context(Context.system)
    user = on_context(Context.user)
    reply = on_context(Context.reply)
    metered = on_context(Context.metered)
    result = on_context(Context.result)
    run = on_context(Context.run, beside=True)
    abandon = on_context(Context.abandon)
    answer = on_context(Context.answer)
    overflowed = on_context(Context.overflowed)
    resize = on_context(Context.resize)
    renew = on_context(Context.renew)
    finish = on_context(Context.finish)
    look = on_context(Context.look)
    turn = on_context(Context.turn)
    sync = on_context(Context.sync)
    pin = on_context(Context.pin)
    unpin = on_context(Context.unpin)
    recall = on_context(Context.recall)

    async def page_in(self, ref: str, **ways: str) -> Slice:
        """A page or an entry, whole or by `lines`, `grep` or `pointer`; see Context."""
        return await self.threads.run(self.opened, lambda context: context.page_in(ref, **ways))

    async def close(self) -> None:
        """Release the workspace; a no-op when it was never opened."""
        if self._opening is not None or self._context is not None:
            await self.threads.close(self.opened)

    async def collect(
        self, stream: AsyncIterable[StreamChunk], *, reasoning: bool = False
    ) -> AsyncIterator[StreamChunk]:
        """Pass a provider's stream on, and take the reply when it has ended; see Context.

        Raises BadArgument for one that is no asynchronous stream.
        """
        if not isinstance(stream, AsyncIterable):
            raise BadArgument("collect", "stream", ASYNC, type(stream).__name__)
        context = await self.opened()
        await asyncio.to_thread(check_collectable, context._engine)
        model = context.window.config.model
        async with collecting(stream, model, reasoning) as collected:
            async for chunk in stream:
                for passed in collected.passed(chunk):
                    yield passed
        await self.reply(collected.reply())

    @property
    def context(self) -> Context:
        """The Context itself; raises NotOpen before it was opened."""
        if self._context is None:
            raise NotOpen()
        return self._context

    @property
    def calls(self) -> tuple[Call, ...]:
        """The host's calls that wait for a result."""
        return self.context.calls

    @property
    def done(self) -> bool:
        """True once the model has answered without calls, or the task was finished."""
        return self.context.done

    @property
    def text(self) -> str:
        """The text of the model's last reply."""
        return self.context.text

    @property
    def window(self) -> Window:
        """The window as it stands, a value."""
        return self.context.window

    @property
    def pressure(self) -> Pressure:
        """How full the request is."""
        return self.context.pressure

    async def __aenter__(self) -> Self:
        try:
            await self.opened()
        except asyncio.CancelledError:  # then `__aexit__` is not called
            if self._opening is not None:
                opening, self._opening = self._opening[0], None
                await opening.leave()
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()


def _made(context: Context) -> AsyncContext:
    """The same context for `async` code."""
    made = AsyncContext(lambda: context)
    made._context = context
    return made


def opens_agent(
    method: Callable[Concatenate[Agents, P], Context],
) -> Callable[Concatenate[Any, P], Coroutine[Any, Any, AsyncContext]]:
    """A method that opens another agent, in a thread that closes it when nobody waits for it."""

    @wraps(method)
    async def run(
        self: AsyncNamespace[Agents], /, *args: P.args, **kwargs: P.kwargs
    ) -> AsyncContext:
        agents, threads = await self.opened(), self.owner.threads
        mark = threads.begin()

        def make() -> Context:
            try:
                return method(agents, *args, **kwargs)
            finally:
                threads.end(mark)

        return _made(await ThreadedOpening(make).wait())

    return run


class AsyncAgents(AsyncNamespace[Agents]):
    """Methods of `ctx.agents`, awaited."""

    spawn = opens_agent(Agents.spawn)
    child = opens_agent(Agents.child)
    fork = opens_agent(Agents.fork)
    give_up = on_namespace(Agents.give_up)
    join = on_namespace(Agents.join)
    wait = on_namespace(Agents.wait, waits=True)
    deliver = on_namespace(Agents.deliver)
    grant = on_namespace(Agents.grant)
    emit = on_namespace(Agents.emit)
    subscribe = on_namespace(Agents.subscribe)
    interrupt = on_namespace(Agents.interrupt)
