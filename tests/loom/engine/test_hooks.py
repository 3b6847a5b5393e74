"""A hook that waits for another thread of its context: that one is told, and nothing hangs."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from pathlib import Path
from typing import Any

import pytest

import loom
from loom.engine import hooks
from tests.kit.cases import all_cases
from tests.kit.step import calls

Act = Callable[[loom.Context], object]


class Waiting(loom.Capability):
    """Every moment and tool of it hands what `act` does to another thread, and waits for it."""

    name = "waiting"

    def __init__(self) -> None:
        self.act: Act = lambda ctx: None
        self.at = ""  # the moment it acts at
        self.spread: Callable[[Callable[[], object]], Callable[[], object]] = lambda call: call
        self.met: list[BaseException | None] = []
        self.pool = ThreadPoolExecutor(1)

    def acts(self, moment: str) -> str:
        """Act, at the moment that was chosen."""
        if moment == self.at:
            call = self.spread(lambda: self.act(self.context))
            self.met.append(self.pool.submit(call).exception())
        return "done"

    @property
    def tools(self) -> tuple[loom.OwnTool, ...]:
        """A tool that acts."""
        return (loom.own_tool("wait", "Wait.", {}, lambda *given: self.acts("the tool wait")),)

    def cut(self, record: object) -> None:
        """As an `on_cut`."""
        self.acts("on_cut")

    def before_turn(self) -> None:
        """Act."""
        self.acts("waiting.before_turn")

    def before_renewal(self) -> None:
        """Act."""
        self.acts("waiting.before_renewal")

    def goal_changed(self) -> None:
        """Act."""
        self.acts("waiting.goal_changed")

    def resized(self) -> None:
        """Act."""
        self.acts("waiting.resized")

    def recalled(self, query: str) -> None:
        """Act."""
        self.acts("recalled")

    def closing(self) -> None:
        """Act."""
        self.acts("waiting.closing")

    def run(self, call: loom.Call, context: loom.Context) -> loom.Executed | None:
        """Run the tool of the host's."""
        return loom.Executed(1, self.acts("run")) if call.name == "run" else None


def replied(ctx: loom.Context, tool: str) -> None:
    """A reply with a call of a tool."""
    ctx.reply(calls("w", tool=tool, args="{}"))


DOES: dict[str, Act] = {
    "on_cut": lambda ctx: ctx.renew(),
    "the tool wait": lambda ctx: replied(ctx, "wait"),
    "waiting.before_renewal": lambda ctx: ctx.renew(),
    "waiting.goal_changed": lambda ctx: ctx.working.set_goal("Another."),
    "waiting.resized": lambda ctx: ctx.resize(16_000),
    "recalled": lambda ctx: ctx.recall("line"),
}
FREE: dict[str, Act] = {
    "waiting.before_turn": lambda ctx: ctx.turn(),
    "run": lambda ctx: (replied(ctx, "run"), ctx.run("w")),
}


@pytest.fixture
def waiting() -> Iterator[Waiting]:
    """The capability, with a thread of its own."""
    made = Waiting()
    yield made
    made.pool.shutdown()


@pytest.fixture
def ctx(tmp_path: Path, waiting: Waiting) -> Iterator[loom.Context]:
    """A context with some history, and hooks that do nothing yet."""
    with loom.open(
        tmp_path / "w", window=8_000, goal="Go.", capabilities=[waiting], on_cut=waiting.cut,
        tools=[{"name": "run", "description": "Run."}], durable=False,
    ) as made:  # fmt: skip
        for number in range(6):
            made.user(f"message {number}: " + "a line of it\n" * 40)
        yield made


@all_cases("at", DOES)
@all_cases("act", ["changes", "reads"])
def test_a_thread_that_a_hook_waits_for_is_told(
    ctx: loom.Context, waiting: Waiting, at: str, act: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its call is a HeldByHook that names the hook, and the hook's own call goes on."""
    monkeypatch.setattr(hooks, "WAIT", 0.01)
    waiting.act = {"changes": lambda c: c.user("x"), "reads": lambda c: c.recall("line")}[act]
    waiting.at = at
    before = ctx.window.history.next_id
    DOES[at](ctx)
    waiting.at = ""
    assert waiting.met
    for error in waiting.met:
        assert isinstance(error, loom.HeldByHook) and isinstance(error, loom.Reentered)
        assert error.hook == at and at in str(error)
    assert ctx.window.history.next_id <= before + 1  # the reply, and nothing of the thread's
    ctx.user("afterwards")
    assert "afterwards" in str(ctx.turn().messages)


@all_cases("at", DOES)
def test_a_thread_that_comes_from_the_hook_is_told_at_once(
    ctx: loom.Context, waiting: Waiting, at: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the hook's context variables it reads as the hook does, and waits for nothing."""
    monkeypatch.setattr(hooks, "WAIT", 1e6)
    read: list[object] = []
    waiting.act = lambda c: read.append((c.recall("line"), c.history.restore(1).name, c.calls))
    waiting.at = at if at != "recalled" else "none"
    context: list[Any] = []

    def spread(call: Callable[[], object]) -> Callable[[], object]:
        context[:] = [copy_context()]
        return lambda: context[0].run(call)

    waiting.spread = spread
    DOES[at](ctx)
    assert set(waiting.met) <= {None} and (read or at == "recalled")


def test_a_change_from_within_is_reentered_at_once(
    ctx: loom.Context, waiting: Waiting, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an on_cut hook may not do, no thread of its context variables may."""
    monkeypatch.setattr(hooks, "WAIT", 1e6)
    waiting.at, waiting.act = "on_cut", lambda c: c.user("x")

    def spread(call: Callable[[], object]) -> Callable[[], object]:
        context = copy_context()
        return lambda: context.run(call)

    waiting.spread = spread
    ctx.renew()
    assert [type(error) for error in waiting.met] == [loom.Reentered]


@pytest.mark.parametrize("at", FREE)
def test_where_no_lock_is_held_the_thread_goes_on(
    ctx: loom.Context, waiting: Waiting, at: str
) -> None:
    """Before a turn, and while a tool runs, another thread calls as ever."""
    waiting.at, waiting.act = at, lambda c: c.working.note("from the thread")
    FREE[at](ctx)
    assert waiting.met == [None]
    assert "from the thread" in str(ctx.window.working.scratchpad)


def waits(ctx: loom.Context) -> bool:
    """True while a thread waits for a hook to end."""
    return bool(ctx._engine.hooks._over._waiters)  # type: ignore[attr-defined]


def test_a_slow_hook_fails_nobody(ctx: loom.Context, waiting: Waiting) -> None:
    """A thread that comes while a hook is at work waits for it, and its call is made then."""
    told: list[Future[str]] = []

    def slow(record: object) -> None:
        told.append(waiting.pool.submit(ctx.user, "from a thread"))
        while not waits(ctx):
            threading.Event().wait(0.001)

    waiting.cut = slow  # type: ignore[method-assign]
    ctx._engine.on_cut = None
    ctx._engine.remember()
    ctx._engine.on_cut = lambda cut: ctx._engine.hooks.run("on_cut", slow, cut)  # type: ignore[func-returns-value]
    ctx._engine.remember()
    ctx.renew()
    (entry,) = [one.result(30) for one in told]
    assert entry.startswith("user_")
    generation = ctx.window.sent.generation
    assert generation == 2 or generation == 1
    assert "from a thread" in str(ctx.turn().messages)


def test_hooks_are_waited_for_one_by_one(
    ctx: loom.Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many short ones in one call are no long one: the time counts for each anew."""
    engine, clock = ctx._engine, [0.0]
    monkeypatch.setattr(hooks, "monotonic", lambda: clock[0])
    monkeypatch.setattr(hooks, "WAIT", 1e5)
    with ThreadPoolExecutor(1) as pool, engine.lock:
        waits_for: list[Future[str]] = []

        def short() -> None:
            if not waits_for:
                waits_for.append(pool.submit(ctx.recall, "line"))
            while not waits(ctx):
                threading.Event().wait(0.001)
            clock[0] += 9e4

        for number in range(4):
            engine.hooks.run(f"hook {number}", short)
    assert "line" in waits_for[0].result(30)


def test_awaited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hook that blocks on the loop, which awaits the same context, is told at once."""
    monkeypatch.setattr(hooks, "WAIT", 1e6)
    met: list[BaseException | None] = []

    async def session() -> str:
        loop = asyncio.get_running_loop()

        def cut(record: object) -> None:
            waited = asyncio.run_coroutine_threadsafe(ctx.user("from the hook"), loop)
            met.append(waited.exception(30))

        async with loom.aio.open(
            tmp_path, window=8_000, goal="Go.", on_cut=cut, durable=False
        ) as ctx:
            await ctx.user("a line\n" * 300)
            await ctx.renew()
            return str((await ctx.turn()).messages)

    assert "from the hook" not in asyncio.run(session())
    assert [type(error) for error in met] == [loom.Reentered]


@pytest.mark.parametrize("at", ["on_cut", "the tool wait"])
def test_a_hook_that_waits_for_the_close(
    ctx: loom.Context, waiting: Waiting, at: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The context is closed, and the hook's own call is told so."""
    monkeypatch.setattr(hooks, "WAIT", 0.01)
    waiting.at, waiting.act = at, lambda c: c.close()
    with pytest.raises(loom.Closed):
        DOES[at](ctx)
    assert waiting.met == [None]


def test_a_thread_that_closing_waits_for(
    ctx: loom.Context, waiting: Waiting, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While a capability closes, a call from elsewhere is told, and the workspace is free."""
    monkeypatch.setattr(hooks, "WAIT", 0.01)
    waiting.at, waiting.act = "waiting.closing", lambda c: c.user("late")
    ctx.close()
    waiting.at = ""  # the fixture closes again
    assert [type(error) for error in waiting.met] == [loom.HeldByHook]


def test_an_interrupt_within_a_hook_lets_others_in(ctx: loom.Context, waiting: Waiting) -> None:
    """Whatever interrupts it: the lock is free, and no hook is left on the list."""

    def interrupted(record: object) -> None:
        raise KeyboardInterrupt

    ctx._engine.on_cut = lambda cut: ctx._engine.hooks.run("on_cut", interrupted, cut)  # type: ignore[func-returns-value]
    ctx._engine.remember()
    with pytest.raises(KeyboardInterrupt):
        ctx.renew()
    assert ctx._engine.hooks._running == []
    assert waiting.pool.submit(ctx.user, "after it").exception(30) is None
