"""The asynchronous twin: the same context, off the event loop."""

from __future__ import annotations

import asyncio
import inspect
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Coroutine
from pathlib import Path
from typing import Any

import pytest

import loom
from loom.aio import AsyncContext
from loom_partitions import laws
from loom_partitions.records import Compressed, Renewed
from tests.kit.cases import all_cases
from tests.kit.opened import plain
from tests.kit.step import calls

ROOT = Path(__file__).parent.parent.parent
NOISE = "the build went on and on as builds do\n"
PROPERTIES = {"calls", "done", "pressure", "text", "window"}
TURNS = 12


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


def test_it_is_there_without_an_import() -> None:
    """`loom.aio` is an attribute of `loom`, imported when first used and not before."""
    code = "import sys, loom; assert 'asyncio' not in sys.modules; print(loom.aio.open.__name__)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=240
    )
    assert (done.stdout.strip(), done.returncode) == ("open", 0), done.stderr
    with pytest.raises(AttributeError, match="no_such"):
        loom.no_such  # type: ignore[attr-defined] # noqa: B018


NAMES = sorted(name for name in dir(loom.Context) if not name.startswith("_"))


@all_cases("name", NAMES)
def test_it_has_what_the_context_has(name: str) -> None:
    """Every method is there under its name; what is a property stays one."""
    one, two = getattr(loom.Context, name), getattr(AsyncContext, name)
    assert isinstance(one, property) == isinstance(two, property) == (name in PROPERTIES)


@all_cases("space", ["working", "memory", "skills", "tools", "agents", "events", "history"])
def test_its_namespaces_have_what_the_contexts_have(folder: Path, space: str) -> None:
    """Every method of a namespace is there and awaited; properties are read by `sync`."""
    ctx = opened(folder)
    with loom.open(folder, durable=False) as twin:
        held = type(getattr(twin, space))
    hooks = set(dir(loom.Capability))
    names = {name for name in dir(held) if not name.startswith("_")} - hooks
    methods = {name for name in names if inspect.isfunction(getattr(held, name))}
    made = type(getattr(ctx, space))
    assert methods <= set(dir(made))
    assert all(inspect.iscoroutinefunction(getattr(made, name)) for name in methods)


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


def test_the_same_workspace(folder: Path) -> None:
    """What one twin wrote the other goes on with; both make the same request of it."""

    async def work() -> str:
        async with opened(folder) as ctx:
            await ctx.user("go on")
            return (await ctx.turn()).sha256

    sha256 = asyncio.run(work())
    with plain(folder) as ctx:
        assert ctx.turn().sha256 == sha256


def test_errors_come_out(folder: Path) -> None:
    """Errors of opening and of methods are those of the context, and it is closed at the end."""

    async def work() -> None:
        with pytest.raises(loom.OverCapacity):
            async with opened(folder, window=200):
                pytest.fail("opened")
        async with opened(folder, window=8_000) as ctx:
            with pytest.raises(loom.UnknownCall):
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


def test_results_at_once(folder: Path) -> None:
    """Twenty results given at the same time all land, each under its call."""
    ids = [f"c{number}" for number in range(20)]

    async def work() -> None:
        async with opened(folder, window=32_000) as ctx:
            await ctx.user("go on")
            await ctx.turn()
            await ctx.reply(calls(*ids))
            await asyncio.gather(*(ctx.result(id, f"of {id}\n" + NOISE * 9) for id in ids))
            assert ctx.calls == ()
            results = (await ctx.history.restore(2)).results
            assert {id: text.split("\n")[0] for id, text in results.items()} == {
                id: f"of {id}" for id in ids
            }
            turn = await ctx.turn()
            assert laws.counted(ctx.window) == laws.paired(ctx.window) == []
            first, *others = await asyncio.gather(*(ctx.turn() for _ in range(8)))
            assert {each.sha256 for each in others} == {first.sha256} == {turn.sha256}

    run(work())


def test_the_loop_goes_on_while_a_hook_is_slow(folder: Path) -> None:
    """A hook that waits holds its own turn alone: other tasks run meanwhile."""
    ticks = 0
    enough = threading.Event()

    async def ticker() -> None:
        nonlocal ticks
        while True:
            ticks += 1
            if ticks > 200:
                enough.set()
            await asyncio.sleep(0)

    waited: list[bool] = []

    def slow(record: Compressed | Renewed) -> None:
        if not waited:
            enough.clear()
            nonlocal ticks
            ticks = 0
            waited.append(enough.wait(120))

    async def work() -> None:
        other = asyncio.create_task(ticker())
        async with opened(folder, window=4_000, on_cut=slow) as ctx:
            for number in range(60):
                await ctx.reply(calls(f"c{number}"))
                await ctx.result(f"c{number}", NOISE * 30)
                await ctx.turn()
            assert ctx.window.sent.cuts
        other.cancel()

    run(work())
    assert waited == [True]


def test_a_cancelled_task(folder: Path) -> None:
    """Cancelled while a cut is under way: the workspace is whole, and goes on."""
    begun, go = threading.Event(), threading.Event()

    def held(record: Compressed | Renewed) -> None:
        begun.set()
        assert go.wait(120)

    async def filled(ctx: AsyncContext) -> None:
        for number in range(30):
            await ctx.reply(calls(f"c{number}"))
            await ctx.result(f"c{number}", NOISE * 30)

    async def work() -> None:
        async with opened(folder, window=8_000, on_cut=held) as ctx:
            await filled(ctx)
            task = asyncio.create_task(ctx.turn())
            while not begun.is_set():
                await asyncio.sleep(0)
            task.cancel()
            # A cancelled task may wait for what it began, so the hook may end now.
            asyncio.get_running_loop().call_soon(go.set)
            with pytest.raises(asyncio.CancelledError):
                await task
            turn = await ctx.turn()
            assert turn.pressure.rho <= 1.0
            await ctx.reply(calls("after"))
            await ctx.result("after", "fine")
            sha256 = (await ctx.turn()).sha256
            for number in range(30):
                assert NOISE in (await ctx.history.restore(number + 1)).results[f"c{number}"]
        async with opened(folder) as ctx:
            assert (await ctx.turn()).sha256 == sha256
            assert laws.counted(ctx.window) == laws.ordered(ctx.window) == []

    run(work())


def test_cancelled_before_it_began(folder: Path) -> None:
    """Tasks cancelled at once have done what they do or nothing of it; the next ones go through."""

    async def work() -> None:
        async with opened(folder) as ctx:
            tasks = [asyncio.create_task(ctx.user(f"word {number}")) for number in range(10)]
            await asyncio.sleep(0)
            for task in tasks[::2]:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await ctx.user("the last")
            told = [
                (await ctx.history.restore(id)).text for id in range(1, ctx.window.history.next_id)
            ]
            assert told[-1] == "the last"
            assert len(set(told)) == len(told)
            assert {f"word {number}" for number in range(1, 10, 2)} <= set(told)

    run(work())


def test_a_life_of_turns(folder: Path) -> None:
    """A loop as a host writes it, with parallel tools, through cuts and a reopen."""

    async def tool(ctx: AsyncContext, call: Any) -> None:
        await asyncio.sleep(0)
        await ctx.result(call, f"{call.id} " + NOISE * 25)

    async def work() -> None:
        for life in range(3):
            async with opened(folder) as ctx:
                await ctx.user(f"life {life}")
                for number in range(TURNS):
                    turn = await ctx.turn()
                    assert turn.pressure.rho <= 1.0
                    await ctx.reply(calls(*(f"c{life}_{number}_{at}" for at in range(3))))
                    await asyncio.gather(*(tool(ctx, call) for call in ctx.calls))
                await ctx.turn()
                assert ctx.window.sent.cuts
                texts = [
                    (await ctx.history.restore(id)) for id in range(1, ctx.window.history.next_id)
                ]
                assert sum(len(text.results) for text in texts) == 3 * TURNS * (life + 1)

    run(work())


# ---- streams

CHUNKS: list[dict[str, Any]] = [
    {
        "object": "chat.completion.chunk",
        "model": "gpt-5",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }
    for delta, finish in (
        ({"role": "assistant", "content": "All "}, None),
        ({"content": "well."}, None),
        ({}, "stop"),
    )
]


async def stream(chunks: list[dict[str, Any]]) -> AsyncIterator[dict[str, Any]]:
    """A stream as an asynchronous client gives it."""
    for chunk in chunks:
        await asyncio.sleep(0)
        yield chunk


def test_collect(folder: Path) -> None:
    """`collect` is an asynchronous generator of the same chunks; the reply is taken at the end."""

    async def work() -> None:
        async with opened(folder) as ctx:
            await ctx.user("go on")
            await ctx.turn()
            seen = [chunk async for chunk in ctx.collect(stream(CHUNKS))]
            assert all(one is two for one, two in zip(seen, CHUNKS, strict=True))
            assert ctx.done
            reply = (await ctx.history.restore(2)).reply
            assert reply is not None
            assert "All well." in str(reply.parts)

    run(work())


def test_collect_goes_wrong(folder: Path) -> None:
    """Left, cut short, empty, or over open calls: nothing is taken, and the next try is."""

    async def take(ctx: AsyncContext, chunks: list[dict[str, Any]]) -> None:
        async for _ in ctx.collect(stream(chunks)):
            pass

    async def work() -> None:
        async with opened(folder) as ctx:
            await ctx.user("go on")
            sha256 = (await ctx.turn()).sha256
            window = ctx.window
            left: Any = ctx.collect(stream(CHUNKS))
            await anext(left)
            await left.aclose()
            for chunks in (CHUNKS[:2], []):
                with pytest.raises(loom.BrokenStream):
                    await take(ctx, chunks)
            assert ctx.window is window
            assert (await ctx.turn()).sha256 == sha256
            await ctx.reply(calls("a"))
            with pytest.raises(loom.OpenCalls):
                await take(ctx, CHUNKS)
            await ctx.result("a", "fine")
            await ctx.turn()
            await take(ctx, CHUNKS)
            assert ctx.done

    run(work())


def test_collecting_is_cancelled(folder: Path) -> None:
    """A task cancelled in the middle of a stream leaves no reply, and the turn as it was."""

    async def work() -> None:
        async with opened(folder) as ctx:
            await ctx.user("go on")
            sha256 = (await ctx.turn()).sha256
            first = asyncio.Event()

            async def take() -> None:
                async for _ in ctx.collect(endless()):
                    first.set()

            async def endless() -> AsyncIterator[dict[str, Any]]:
                while True:
                    await asyncio.sleep(0)
                    yield CHUNKS[0]

            task = asyncio.create_task(take())
            await first.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert not ctx.done
            assert ctx.window.history.next_id == 2
            assert (await ctx.turn()).sha256 == sha256
            assert [chunk async for chunk in ctx.collect(stream(CHUNKS))] == CHUNKS
            assert ctx.done

    run(work())


def test_a_child_is_asynchronous_too(tmp_path: Path) -> None:
    """Spawned, opened again and forked, each is a context that is awaited."""

    async def run() -> None:
        async with loom.aio.open(tmp_path / "w", durable=False) as ctx:
            async with await ctx.agents.spawn("Count.", name="one") as child:
                await child.user("go on")
                assert child.window.working.depth == 1
            async with await ctx.agents.child("one") as child:
                await child.agents.deliver("Nine.")
            assert [one.summary for one in await ctx.agents.wait(timeout=10)] == ["Nine."]
            async with await ctx.agents.fork("other") as fork:
                assert (await fork.turn()).pressure.rho <= 1.0

    asyncio.run(run())
