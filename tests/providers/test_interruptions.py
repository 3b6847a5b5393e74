"""What breaks in the middle: streams that end early, processes that die between call and result,
requests that are refused as too long or for another reason."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from types import ModuleType
from typing import Any

import pytest

import loom
from tests.kit.cases import all_cases, each_value
from tests.providers.hosting import session as hosting
from tests.providers.hosting.host import Host

BARE = loom.Policy(own_tools=False)
Start = Callable[..., Any]
APIS = ("openai", "responses", "anthropic", "gemini")
ENDS = ("the server hangs up", "the stream ends early", "the consumer leaves")


@all_cases("end", ENDS)
@all_cases("api", APIS)
def test_a_broken_stream_leaves_no_record(
    api: str, end: str, serve: Start, begin: Start, clients: ModuleType
) -> None:
    """The same turn is there again, and the session goes on to its end."""
    server, host = serve(seed=f"{api}/{end}", steps=8), Host(api)
    with begin(server, api, 16_000, policy=BARE) as (ctx, ask):
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


WINDOW, LIMIT, STEPS = 16_000, 10_500, 24


@all_cases(("mode", "api"), each_value(["stated", "unstated", "413"], APIS))
def test_a_lower_limit(
    api: str, mode: str, serve: Start, begin: Start, clients: ModuleType
) -> None:
    """The server's limit is lower than the window: each refusal costs one request, and no more. A
    limit that was stated is met from then on; one that was not is met again now and then."""
    server = serve(limit=LIMIT, too_long=mode, seed=f"{api}/{mode}", steps=STEPS)
    with begin(server, api, WINDOW) as (ctx, ask):
        session = hosting.until_done(ctx, Host(api), api)
        refusals = hosting.run(ctx, session, ask, recover=clients.REFUSED)
        assert ctx.done
    assert refusals == len(server.refused) > 0
    assert refusals == 1 or mode != "stated" or api == "responses"  # it never states one
    statuses = "".join(str(exchange.status)[0] for exchange in server.exchanges)
    assert "44" not in statuses and statuses.count("2") == STEPS + 1


OTHERS = [
    (400, "Invalid value for 'temperature'.", "invalid_request_error"),
    (401, "Incorrect API key provided: key.", "authentication_error"),
    (429, "Rate limit reached for tokens per min (TPM): Limit 30000.", "rate_limit_error"),
]


@all_cases(("other", "api"), each_value(OTHERS, APIS))
def test_another_error_is_raised_again(
    api: str, other: tuple[int, str, str], serve: Start, begin: Start, clients: ModuleType
) -> None:
    """An error that is no overflow comes back, nothing is compressed, the same turn is accepted."""
    server, host = serve(seed=api), Host(api)
    status, message, kind = other
    error = {"type": kind, "message": message, "code": status, "param": None}
    with begin(server, api, WINDOW) as (ctx, ask):
        hosting.run(ctx, hosting.until_done(ctx, host, api, 2), ask)
        hosting.run(ctx, hosting.answered(ctx, host), ask)
        before = ctx.turn()
        server.fail_next(status, {"type": "error", "error": error})
        with pytest.raises(clients.REFUSED) as caught:
            ask(**hosting.requested(before, api))
        with pytest.raises(clients.REFUSED) as again:
            ctx.overflowed(caught.value)
        assert again.value is caught.value
        assert ctx.turn().sha256 == before.sha256
        ctx.reply(ask(**hosting.requested(ctx.turn(), api)))
    assert [exchange.status for exchange in server.refused] == [status]
