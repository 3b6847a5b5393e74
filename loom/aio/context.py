"""AsyncContext: a Context for `async` code, with its namespaces and the same signatures."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Callable, Coroutine
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, Generic, NoReturn, ParamSpec, Self, TypeVar

from loom.aio.threads import ThreadedCalls
from loom.capabilities.agents.capability import Agents
from loom.capabilities.events.capability import Heartbeat
from loom.capabilities.memory.capability import Memory
from loom.capabilities.skills.capability import Skills
from loom.context.history import Archive
from loom.context.inputs import StreamChunk, check_may_collect
from loom.context.tools import DeclaredTools
from loom.context.working import WorkingSurfaces
from loom.live import Context
from loom.providers.formats.stream.collected import collecting_stream
from loom.session.pressure import Pressure
from loom.typed import bad_argument
from loom_partitions.message import Call
from loom_partitions.window import Window

P = ParamSpec("P")
R = TypeVar("R")
N = TypeVar("N")
ASYNC = "an asynchronous stream, one for `async for`: that of your provider's async client"


def in_thread(
    method: Callable[Concatenate[N, P], R], **how: bool
) -> Callable[Concatenate[Any, P], Coroutine[Any, Any, R]]:
    """Return an async method that runs `method`, of Context or a namespace, in a thread and returns
    its result. `how` are the options `beside` and `waits` of `ThreadedCalls.run`."""

    @wraps(method)
    async def run(self: Any, /, *args: P.args, **kwargs: P.kwargs) -> R:
        made: R = await self._calls.run(
            lambda context: method(self._part(context), *args, **kwargs), **how
        )
        return made

    return run


def open_agent_in_thread(
    method: Callable[Concatenate[Agents[Context], P], Context],
) -> Callable[Concatenate[Any, P], Coroutine[Any, Any, AsyncContext]]:
    """Return an async method that runs `method`, which opens another agent, in a thread and returns
    that agent's AsyncContext. If the awaiting task is cancelled, the agent is closed."""

    @wraps(method)
    async def run(self: Any, /, *args: P.args, **kwargs: P.kwargs) -> AsyncContext:
        made = await self._calls.opening(lambda context: method(context.agents, *args, **kwargs))
        agent = AsyncContext(lambda: made)
        agent._calls._held = made
        return agent

    return run


class AsyncNamespace(Generic[N]):
    """A namespace of an AsyncContext, such as `ctx.memory`. Its methods are awaited; its properties
    are read from `ctx.memory.sync`, the synchronous namespace."""

    def __init__(self, calls: ThreadedCalls, part: Callable[[Context], N]) -> None:
        self._calls, self._part = calls, part

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: its properties are read by `sync`>"

    if not TYPE_CHECKING:  # a checker is to find what is misspelt

        def __getattr__(self, name: str) -> NoReturn:
            """Raise AttributeError. The message says that properties are read by `sync`."""
            what = f"{type(self).__name__} has no {name!r}"
            raise AttributeError(f"{what}: properties are read by `sync`: sync.{name}")

    @property
    def sync(self) -> N:
        """Return the synchronous namespace of the Context. Raises Closed before it was opened."""
        return self._part(self._calls.context)


class AsyncWorking(AsyncNamespace[WorkingSurfaces]):
    """The namespace `ctx.working`, with awaited methods."""

    as_dict = in_thread(WorkingSurfaces.as_dict)
    set_goal = in_thread(WorkingSurfaces.set_goal)
    plan = in_thread(WorkingSurfaces.plan)
    progress = in_thread(WorkingSurfaces.progress)
    scratch = in_thread(WorkingSurfaces.scratch)
    note = in_thread(WorkingSurfaces.note)
    ask = in_thread(WorkingSurfaces.ask)
    answered = in_thread(WorkingSurfaces.answered)
    evidence = in_thread(WorkingSurfaces.evidence)


class AsyncMemory(AsyncNamespace[Memory]):
    """The namespace `ctx.memory`, with awaited methods."""

    remember = in_thread(Memory.remember)
    forget = in_thread(Memory.forget)
    save = in_thread(Memory.save)
    query = in_thread(Memory.query)
    use_embedder = in_thread(Memory.use_embedder)


class AsyncSkills(AsyncNamespace[Skills]):
    """The namespace `ctx.skills`, with awaited methods."""

    activate = in_thread(Skills.activate)
    drop = in_thread(Skills.drop)
    use = in_thread(Skills.use)


class AsyncTools(AsyncNamespace[DeclaredTools]):
    """The namespace `ctx.tools`, with awaited methods."""

    declare = in_thread(DeclaredTools.declare)
    schemas = in_thread(DeclaredTools.schemas)
    without_own = in_thread(DeclaredTools.without_own)
    answer = in_thread(DeclaredTools.answer)


class AsyncEvents(AsyncNamespace[Heartbeat]):
    """The namespace `ctx.events`, with awaited methods."""

    signal = in_thread(Heartbeat.signal)
    acknowledge = in_thread(Heartbeat.acknowledge)
    watch = in_thread(Heartbeat.watch)
    remind = in_thread(Heartbeat.remind)


class AsyncHistory(AsyncNamespace[Archive]):
    """The namespace `ctx.history`, with awaited methods."""

    restore = in_thread(Archive.restore)
    payload = in_thread(Archive.payload)
    undo = in_thread(Archive.undo)
    gc = in_thread(Archive.gc)
    promote = in_thread(Archive.promote)


class AsyncAgents(AsyncNamespace[Agents[Context]]):
    """The namespace `ctx.agents`, with awaited methods."""

    spawn = open_agent_in_thread(Agents[Context].spawn)
    child = open_agent_in_thread(Agents[Context].child)
    fork = open_agent_in_thread(Agents[Context].fork)
    give_up = in_thread(Agents.give_up)
    join = in_thread(Agents.join)
    wait = in_thread(Agents.wait, waits=True)
    deliver = in_thread(Agents.deliver)
    grant = in_thread(Agents.grant)
    emit = in_thread(Agents.emit)
    subscribe = in_thread(Agents.subscribe)
    interrupt = in_thread(Agents.interrupt)


class AsyncContext:
    """A Context for `async` code. Methods, also of namespaces, are awaited. Properties are read as
    on a Context, but on namespaces by `sync`: `ctx.memory.sync.text`, `ctx.agents.sync.children`.
    """

    def __init__(self, make: Callable[[], Context]) -> None:
        calls = self._calls = ThreadedCalls(make)
        self.working = AsyncWorking(calls, lambda context: context.working)
        self.memory = AsyncMemory(calls, lambda context: context.memory)
        self.skills = AsyncSkills(calls, lambda context: context.skills)
        self.tools = AsyncTools(calls, lambda context: context.tools)
        self.agents = AsyncAgents(calls, lambda context: context.agents)
        self.events = AsyncEvents(calls, lambda context: context.events)
        self.history = AsyncHistory(calls, lambda context: context.history)

    @staticmethod
    def _part(context: Context) -> Context:
        """Return the context itself, whose methods `in_thread` calls."""
        return context

    async def opened(self) -> Context:
        """Return the Context, opened at the first call. Cancelling the awaiting task does not close
        it."""
        return await self._calls.run(self._part)

    system = in_thread(Context.system)
    user = in_thread(Context.user)
    reply = in_thread(Context.reply)
    metered = in_thread(Context.metered)
    result = in_thread(Context.result)
    run = in_thread(Context.run, beside=True)
    abandon = in_thread(Context.abandon)
    answer = in_thread(Context.answer)
    overflowed = in_thread(Context.overflowed)
    resize = in_thread(Context.resize)
    renew = in_thread(Context.renew)
    finish = in_thread(Context.finish)
    look = in_thread(Context.look)
    turn = in_thread(Context.turn)
    sync = in_thread(Context.sync)
    pin = in_thread(Context.pin)
    unpin = in_thread(Context.unpin)
    recall = in_thread(Context.recall)
    page_in = in_thread(Context.page_in)  # type: ignore[arg-type]  # no way is named "self"

    async def close(self) -> None:
        """Close the Context, if it was opened, and release the workspace."""
        await self._calls.close()

    async def collect(
        self, stream: AsyncIterable[StreamChunk], *, reasoning: bool = False
    ) -> AsyncIterator[StreamChunk]:
        """Yield each chunk of a provider's asynchronous stream. At the end, put the model's reply
        into the window, as `Context.collect` does. Raises BadInput for a synchronous stream."""
        if not isinstance(stream, AsyncIterable):
            raise bad_argument("collect", "stream", ASYNC, type(stream).__name__)
        await self._calls.run(lambda context: check_may_collect(context._engine))
        model = self.window.config.model
        async with collecting_stream(stream, model, reasoning) as collected:
            async for chunk in stream:
                for passed in collected.passed(chunk):
                    yield passed
        await self.reply(collected.reply())

    @property
    def context(self) -> Context:
        """Return the synchronous Context. Raises Closed before it was opened."""
        return self._calls.context

    @property
    def calls(self) -> tuple[Call, ...]:
        """Return the calls of the host's tools that have no result yet."""
        return self.context.calls

    @property
    def done(self) -> bool:
        """Return True if the model's last reply had no calls, or the task was finished."""
        return self.context.done

    @property
    def text(self) -> str:
        """Return the text of the model's last reply."""
        return self.context.text

    @property
    def window(self) -> Window:
        """Return the current window, an immutable value."""
        return self.context.window

    @property
    def pressure(self) -> Pressure:
        """Return how full the next request is."""
        return self.context.pressure

    async def __aenter__(self) -> Self:
        try:
            await self.opened()
        except asyncio.CancelledError:  # then `__aexit__` is not called
            await self._calls.close(anew=True)
            raise
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()
