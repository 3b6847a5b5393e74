"""What breaks in the middle: streams that end early, processes that die between call and result."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

import loom
from tests.kit.cases import all_cases, each_value
from tests.providers.hosting import session as hosting
from tests.providers.hosting.host import Host

Options = Callable[..., dict[str, Any]]
BARE = loom.Policy(own_tools=False)

Serve = Callable[..., Any]
APIS = ("openai", "responses", "anthropic", "gemini")
ENDS = ("the server hangs up", "the stream ends early", "the consumer leaves")


@all_cases("end", ENDS)
@all_cases("api", APIS)
def test_a_broken_stream_leaves_no_record(
    api: str, end: str, serve: Serve, clients: ModuleType, options: Options
) -> None:
    """The same turn is there again, and the session goes on to its end."""
    server = serve(seed=f"{api}/{end}", steps=8)
    host = Host(api)
    with (
        clients.connected(server, api) as (ask, _),
        loom.open(**options(api, 16_000, policy=BARE)) as ctx,
    ):
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
    options: Options,
    tmp_path: Path,
) -> None:
    """A reopened session gives its open calls up, told to or not; a late result is taken."""
    server = serve(seed=2935, steps=8)
    host = Host(api)
    opened = options(api, 16_000, policy=BARE)
    with clients.connected(server, api) as (ask, _):
        with loom.open(**opened) as ctx:
            hosting.run(ctx, hosting.begun(), ask)
            while len(ctx.calls) < 2:
                hosting.run(ctx, hosting.until_done(ctx, host, api, 1), ask)
            for call in ctx.calls[:given]:
                ctx.result(call, "in time")
            lost = ctx.calls
            shutil.copytree(opened["path"], tmp_path / "killed")
        with loom.open(**{**opened, "path": tmp_path / "killed"}) as ctx:
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
