"""The asynchronous twin: the same context, off the event loop."""

import asyncio
import inspect
import threading
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

import loom
from loom.aio import AsyncContext
from tests.kit.cases import all_cases
from tests.kit.step import calls

PROPERTIES = {"calls", "done", "pressure", "text", "window"}


def run(work: Coroutine[Any, Any, None]) -> None:
    """Run it to its end, and fail rather than wait for ever."""
    asyncio.run(asyncio.wait_for(work, 240))


def opened(folder: Path, **given: Any) -> AsyncContext:
    """A workspace of 8,000 tokens without tools of Loom's own, or what is said."""
    settings: dict[str, Any] = {"policy": loom.Policy(own_tools=False), "durable": False}
    if not folder.exists():
        settings["window"] = 8_000
    made: AsyncContext = loom.aio.open(folder, **{**settings, **given})
    return made


NAMES = sorted(name for name in dir(loom.Context) if not name.startswith("_"))


@all_cases("name", NAMES)
def test_it_has_what_the_context_has(name: str) -> None:
    """Every method is there under its name; what is a property stays one."""
    one, two = getattr(loom.Context, name), getattr(AsyncContext, name)
    assert isinstance(one, property) == isinstance(two, property) == (name in PROPERTIES)


def test_it_is_opened_as_the_context_is() -> None:
    """The asynchronous `open` takes what the other takes."""
    one, two = inspect.signature(loom.open), inspect.signature(loom.aio.open)
    assert one.parameters == two.parameters


def test_every_method_is_awaited(folder: Path) -> None:
    """Each method gives an awaitable, and does what its twin does."""

    async def work() -> None:
        async with opened(folder) as ctx:
            await ctx.working.set_goal("Fix it.")
            await ctx.system("be careful")
            await ctx.memory.remember("note", "we use tabs")
            await ctx.skills.activate("skill", "how to test")
            await ctx.tools.declare({"name": "Bash", "description": "Run.", "parameters": {}})
            await ctx.user("go on")
            await ctx.working.plan(["one", ("two", "doing")])
            await ctx.working.progress("halfway")
            await ctx.working.note("scratch")
            await ctx.working.ask("q", "which?")
            await ctx.working.answered("q")
            await ctx.working.evidence("e", "it is so", citations=["a.py"])
            await ctx.events.signal("s", "it broke", urgency="high")
            await ctx.events.acknowledge("s", "defer")
            await ctx.memory.forget("note")
            await ctx.skills.drop("skill")
            turn = await ctx.turn()
            assert "go on" in str(turn.request("anthropic"))
            await ctx.metered(900)
            assert ctx.window.sent.samples[-1].reported == 900
            await ctx.reply(calls("a", "b"))
            assert [call.id for call in ctx.calls] == ["a", "b"]
            with pytest.raises(loom.OpenCalls):
                await ctx.turn()
            await ctx.result(ctx.calls[0], {"ok": True}, error=True)
            await ctx.abandon("asleep")
            assert ctx.calls == ()
            await ctx.result("b", "late")
            restored = await ctx.history.restore(2)
            assert restored.results["a"] == '{"ok":true}'
            assert "go on" in (await ctx.page_in("user_0001")).text
            assert "go on" in await ctx.recall("go")
            await ctx.resize(16_000)
            assert ctx.window.limits.window == 16_000
            assert ctx.pressure.rho < 1.0
            with pytest.raises(ZeroDivisionError):
                await ctx.overflowed(ZeroDivisionError())
            await ctx.turn()
            await ctx.reply("done")
            assert ctx.done
            assert not ctx.tools.sync.own
            await ctx.finish("well")
            assert ctx.window.sent.finished

    run(work())


def test_errors_come_out(folder: Path) -> None:
    """Errors of opening and of methods are those of the context, and it is closed at the end."""

    async def work() -> None:
        with pytest.raises(loom.OverCapacity):
            async with opened(folder, window=200):
                pytest.fail("opened")
        async with opened(folder, window=8_000) as ctx:
            with pytest.raises(loom.BadInput, match="waits for a result"):
                await ctx.result("nope", "x")
            with pytest.raises(loom.StoreLocked):
                async with opened(folder):
                    pytest.fail("opened twice")
            await ctx.user("go on")
        with pytest.raises(loom.Closed):
            await ctx.user("too late")
        with pytest.raises(KeyError):
            async with opened(folder):
                raise KeyError("the host's own")
        async with opened(folder) as ctx:
            assert "go on" in (await ctx.history.restore(1)).text

    run(work())


class Gate(loom.Capability):
    """A capability that is asked when the workspace is locked; it lets nobody on."""

    name = "gate"

    def __init__(self) -> None:
        self.reached, self.open = threading.Event(), threading.Event()

    def opened(self) -> None:
        """Wait until the gate is opened."""
        self.reached.set()
        self.open.wait(60)


def test_a_child_whose_opening_is_cancelled(folder: Path) -> None:
    """It is closed, and is opened again as it was left."""

    async def work() -> None:
        gate = Gate()
        async with opened(folder) as ctx:
            await ctx.user("share it out")
            await ctx.turn()
            task = asyncio.create_task(ctx.agents.spawn("Count.", name="one", capabilities=[gate]))
            await asyncio.to_thread(gate.reached.wait)
            task.cancel()
            await asyncio.sleep(0)
            gate.open.set()
            with pytest.raises(asyncio.CancelledError):
                await task
            child = await ctx.agents.child("one")
            await child.close()
            await (await ctx.agents.child("one")).close()

    run(work())


def test_an_opening_that_is_cancelled(folder: Path) -> None:
    """It is closed once it is open, and can be opened again."""

    async def work() -> None:
        gate = Gate()
        ctx = opened(folder, capabilities=[gate])
        task = asyncio.create_task(ctx.__aenter__())
        await asyncio.to_thread(gate.reached.wait)
        task.cancel()
        await asyncio.sleep(0)
        gate.open.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        async with opened(folder):
            pass
        async with ctx:
            await ctx.user("go on")

    run(work())
