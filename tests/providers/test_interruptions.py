"""What breaks in the middle: streams that end early, processes that die between call and result."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from contextlib import aclosing, suppress
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import loom
import loom.aio
from tests.kit.cases import all_cases, each_value
from tests.providers.hosting import session as hosting
from tests.providers.hosting.host import TOOLS, Host

Options = Callable[[str], dict[str, Any]]

Serve = Callable[..., Any]
APIS = ("openai", "responses", "anthropic", "gemini")
ENDS = ("the server hangs up", "the stream ends early", "the consumer leaves")


@pytest.fixture
def opened(clients: ModuleType, tmp_path: Path) -> Options:
    """The arguments of `loom.open` for a session of one API."""
    tools = TOOLS

    def options(api: str) -> dict[str, Any]:
        common = {
            "tools": tools,
            "policy": loom.Policy(own_tools=False),
            "durable": False,
            "window": 16_000,
        }
        return {**common, "path": tmp_path / "session", "model": clients.MODELS[api]}

    return options


@all_cases("end", ENDS)
@all_cases("api", APIS)
def test_a_broken_stream_leaves_no_record(
    api: str, end: str, serve: Serve, clients: ModuleType, opened: Options
) -> None:
    """The same turn is there again, and the session goes on to its end."""
    server = serve(seed=f"{api}/{end}", steps=8)
    host = Host(api)
    with clients.connected(server, api) as (ask, _), loom.open(**opened(api)) as ctx:
        hosting.run(ctx, hosting.begun(), ask)
        hosting.run(ctx, hosting.until_done(ctx, host, api, 3), ask, stream=True)
        hosting.run(ctx, hosting.answered(ctx, host), ask)
        before = ctx.turn()
        if end != ENDS[2]:
            server.break_next(2, clean=end == ENDS[1])
        request = hosting.requested(before, api)
        with suppress(loom.LoomError, *clients.BROKEN):
            for number, _ in enumerate(ctx.collect(ask(**request, stream=True))):
                if end == ENDS[2] and number == 1:
                    break
        assert ctx.turn().sha256 == before.sha256
        assert not ctx.calls
        hosting.run(ctx, hosting.until_done(ctx, host, api), ask, stream=True)
        assert ctx.done
    assert not server.refused


@all_cases(("end", "api"), each_value(ENDS, APIS))
def test_a_broken_stream_of_the_asynchronous_twin(
    api: str, end: str, serve: Serve, clients: ModuleType, opened: Options
) -> None:
    """The same of `loom.aio` and the asynchronous SDK."""
    server = serve(seed=f"{api}/{end}", steps=8)
    host = Host(api)

    async def session() -> None:
        async with (
            clients.aconnected(server, api) as (ask, _),
            loom.aio.open(**opened(api)) as ctx,
        ):
            await hosting.arun(ctx, hosting.begun(), ask, stream=True)
            await hosting.arun(ctx, hosting.until_done(ctx, host, api, 3), ask, stream=True)
            await hosting.arun(ctx, hosting.answered(ctx, host), ask, stream=True)
            before = await ctx.turn()
            if end != ENDS[2]:
                server.break_next(2, clean=end == ENDS[1])
            stream = await ask(**hosting.requested(before, api), stream=True)
            with suppress(loom.LoomError, *clients.BROKEN):
                async with aclosing(ctx.collect(stream)) as chunks:
                    async for _ in chunks:
                        if end == ENDS[2]:
                            break
            if hasattr(stream, "close"):
                await stream.close()
            assert (await ctx.turn()).sha256 == before.sha256
            await hosting.arun(ctx, hosting.until_done(ctx, host, api), ask, stream=True)
            assert ctx.done

    asyncio.run(session())
    assert not server.refused


@all_cases(
    ("given", "told", "api"),
    [(*a, b) for a, b in each_value([(0, True), (1, True), (1, False)], APIS)],
)
def test_a_session_killed_between_call_and_result(
    api: str,
    given: int,
    told: bool,
    serve: Serve,
    clients: ModuleType,
    opened: Options,
    tmp_path: Path,
) -> None:
    """A reopened session gives its open calls up, told to or not; a late result is taken."""
    server = serve(seed=2935, steps=8)
    host = Host(api)
    options = opened(api)
    with clients.connected(server, api) as (ask, _):
        with loom.open(**options) as ctx:
            hosting.run(ctx, hosting.begun(), ask)
            while len(ctx.calls) < 2:
                hosting.run(ctx, hosting.until_done(ctx, host, api, 1), ask)
            for call in ctx.calls[:given]:
                ctx.result(call, "in time")
            lost = ctx.calls
            shutil.copytree(options["path"], tmp_path / "killed")
        with loom.open(**{**options, "path": tmp_path / "killed"}) as ctx:
            assert [call.id for call in ctx.calls] == [call.id for call in lost]
            if told:
                ctx.abandon("interrupted")
            ctx.reply(ask(**hosting.requested(ctx.turn(), api)))
            hosting.run(ctx, hosting.answered(ctx, host), ask)
            ctx.result(lost[-1].id, "the result that came late")
            hosting.run(ctx, hosting.until_done(ctx, host, api), ask)
            assert ctx.done
    assert not server.refused
    assert "the result that came late" in str(server.exchanges[-1].body)


@all_cases("api", APIS)
def test_a_session_killed_before_its_request(
    api: str, serve: Serve, clients: ModuleType, opened: Options, tmp_path: Path
) -> None:
    """All results were given: the reopened session has the very same turn, and goes on."""
    server = serve(seed=api, steps=8)
    host = Host(api)
    options = opened(api)
    with clients.connected(server, api) as (ask, _):
        with loom.open(**options) as ctx:
            hosting.run(ctx, hosting.begun(), ask)
            hosting.run(ctx, hosting.until_done(ctx, host, api, 4), ask)
            hosting.run(ctx, hosting.answered(ctx, host), ask)
            before = ctx.turn()
            shutil.copytree(options["path"], tmp_path / "killed")
        with loom.open(**{**options, "path": tmp_path / "killed"}) as ctx:
            assert ctx.turn().sha256 == before.sha256
            hosting.run(ctx, hosting.until_done(ctx, host, api), ask)
            assert ctx.done
    assert not server.refused
