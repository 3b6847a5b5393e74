"""The same context off the event loop: every method awaits a thread that does the work.

    async with loom.aio.open("runs/auth", goal="…", tools=TOOLS) as ctx:
        turn = await ctx.turn()
        await ctx.reply(await client.chat.completions.create(**turn.request("openai")))

What a method commits it commits whole, also when the task that awaits it is cancelled. A thread
cannot be cancelled: what it opens for a task that no longer waits is closed again.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable
from inspect import signature
from threading import Lock
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from loom import opening
from loom.capabilities.agents import EventBus
from loom.capabilities.events import Heartbeat
from loom.capabilities.skills import SkillSet
from loom.capabilities.toolbox import Toolbox
from loom.context import Context
from loom.context.guided import Guidance
from loom.context.results import check_answered
from loom.engine.pressure import Pressure
from loom.errors import Closed
from loom.providers.formats.stream.collected import collecting
from loom.reduce.summarize import asummarize
from loom_paging import Slice
from loom_partitions.message import Call
from loom_partitions.window import Window

__all__ = ["AsyncContext", "asummarize", "open"]

P = ParamSpec("P")
R = TypeVar("R")
Chunk = TypeVar("Chunk")


def _off(
    method: Callable[Concatenate[Context, P], R],
) -> Callable[Concatenate[AsyncContext, P], Awaitable[R]]:
    """The method, in a thread."""

    async def run(self: AsyncContext, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return await asyncio.to_thread(method, await self.opened(), *args, **kwargs)

    run.__doc__ = method.__doc__
    return run


async def _surely(call: Callable[[], None]) -> None:
    """Call it in a thread, also when the task that awaits this is cancelled."""
    await asyncio.shield(asyncio.get_running_loop().run_in_executor(None, call))


class _Opening:
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
        await _surely(self._close)

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


class AsyncContext:
    """A Context for `async` code: methods are awaited, properties are those of the Context."""

    def __init__(self, make: Callable[[], Context]) -> None:
        self._make = make
        self._context: Context | None = None
        self._opening: tuple[_Opening, asyncio.Task[Context]] | None = None

    async def opened(self) -> Context:
        """The Context itself, opened when it was not; a cancelled wait does not undo that."""
        if self._opening is None:
            opening = _Opening(self._make)
            self._opening = opening, asyncio.ensure_future(opening.wait())
        self._context = await asyncio.shield(self._opening[1])
        return self._context

    system = _off(Context.system)
    remember = _off(Context.remember)
    forget = _off(Context.forget)
    activate = _off(Context.activate)
    drop = _off(Context.drop)
    pin = _off(Context.pin)
    unpin = _off(Context.unpin)
    renew = _off(Context.renew)
    declare = _off(Context.declare)
    task = _off(Context.task)
    plan = _off(Context.plan)
    progress = _off(Context.progress)
    note = _off(Context.note)
    scratch = _off(Context.scratch)
    ask = _off(Context.ask)
    answered = _off(Context.answered)
    evidence = _off(Context.evidence)
    signal = _off(Context.signal)
    acknowledge = _off(Context.acknowledge)
    watch = _off(Context.watch)
    remind = _off(Context.remind)
    attend = _off(Context.attend)
    follow = _off(Context.follow)
    look = _off(Context.look)
    equip = _off(Context.equip)
    last = _off(Context.last)
    memory_save = _off(Context.memory_save)
    memory_promote = _off(Context.memory_promote)
    memory_query = _off(Context.memory_query)
    use_skill = _off(Context.use_skill)
    user = _off(Context.user)
    reply = _off(Context.reply)
    metered = _off(Context.metered)
    grant = _off(Context.grant)
    settle = _off(Context.settle)
    emit = _off(Context.emit)
    subscribe = _off(Context.subscribe)
    interrupt = _off(Context.interrupt)
    join = _off(Context.join)
    wait = _off(Context.wait)
    give_up = _off(Context.give_up)
    deliver = _off(Context.deliver)
    result = _off(Context.result)
    run = _off(Context.run)
    abandon = _off(Context.abandon)
    answer = _off(Context.answer)
    overflowed = _off(Context.overflowed)
    resize = _off(Context.resize)
    finish = _off(Context.finish)
    turn = _off(Context.turn)
    recall = _off(Context.recall)
    payload = _off(Context.payload)
    use_embedder = _off(Context.use_embedder)
    restore = _off(Context.restore)

    async def close(self) -> None:
        """Release the workspace; a no-op when it was never opened."""
        if self._opening is not None or self._context is not None:
            await _surely((await self.opened()).close)

    async def page_in(self, ref: str, **ways: str) -> Slice:
        """A page or an entry, whole or by `lines`, `grep` or `pointer`; see Context."""
        return await asyncio.to_thread((await self.opened()).page_in, ref, **ways)

    async def collect(self, stream: AsyncIterable[Chunk]) -> AsyncIterator[Chunk]:
        """Pass a provider's stream on, and take the reply when it has ended; see Context."""
        context = await self.opened()
        check_answered(context.window)
        async with collecting(stream) as collected:
            async for chunk in stream:
                collected.take(chunk)
                yield chunk
        await asyncio.to_thread(context.reply, collected.reply())

    async def spawn(self, goal: str, **given: Any) -> AsyncContext:
        """Open a child that knows the goal and its grants alone; see Context."""
        context = await self.opened()
        return _made(await _Opening(lambda: context.spawn(goal, **given)).wait())

    async def child(self, name: str, **given: Any) -> AsyncContext:
        """Open a child again, as it was left; see Context."""
        context = await self.opened()
        return _made(await _Opening(lambda: context.child(name, **given)).wait())

    async def fork(self, name: str, **given: Any) -> AsyncContext:
        """Open a copy of this agent as it stands; see Context."""
        context = await self.opened()
        return _made(await _Opening(lambda: context.fork(name, **given)).wait())

    @property
    def sync(self) -> Context:
        """The Context itself; raises RuntimeError before it was opened."""
        if self._context is None:
            raise RuntimeError("the context is not open yet: use `async with loom.aio.open(…)`")
        return self._context

    @property
    def calls(self) -> tuple[Call, ...]:
        """The host's calls that wait for a result."""
        return self.sync.calls

    @property
    def done(self) -> bool:
        """Whether the model has answered without calls, or the task was finished."""
        return self.sync.done

    @property
    def window(self) -> Window:
        """The window as it stands, a value."""
        return self.sync.window

    @property
    def pressure(self) -> Pressure:
        """How full the request is."""
        return self.sync.pressure

    @property
    def memory(self) -> Guidance:
        """What the project's AGENTS.md files say, and the agent's notes."""
        return self.sync.memory

    @property
    def skills(self) -> SkillSet:
        """The skills that were found when the context was opened."""
        return self.sync.skills

    @property
    def heartbeat(self) -> Heartbeat:
        """What looks at the world."""
        return self.sync.heartbeat

    @property
    def toolbox(self) -> Toolbox | None:
        """The tools the context was opened with."""
        return self.sync.toolbox

    @property
    def children(self) -> dict[str, str]:
        """The agents that are spawned and not joined, and how it stands with each."""
        return self.sync.children

    @property
    def address(self) -> str:
        """This agent's name on the bus."""
        return self.sync.address

    @property
    def bus(self) -> EventBus:
        """The bus all agents of the workspace share."""
        return self.sync.bus

    @property
    def own(self) -> set[str]:
        """Names of the tools Loom answers itself."""
        return self.sync.own

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


def open(*args: Any, **kwargs: Any) -> AsyncContext:
    """An AsyncContext for the arguments of `loom.open`.

    The workspace is opened by `async with`, or by the first method that is awaited.
    """
    return AsyncContext(lambda: opening.open(*args, **kwargs))


open.__signature__ = signature(opening.open)  # type: ignore[attr-defined]
