"""A provider refuses a request as too long: one refusal, one compression, and on it goes."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

import loom
from tests.kit.cases import all_cases, each_value
from tests.providers.hosting import session as hosting
from tests.providers.hosting.host import Host

Options = Callable[..., dict[str, Any]]

Serve = Callable[..., Any]
APIS = ("openai", "responses", "anthropic", "gemini")
WINDOW, LIMIT = 16_000, 10_500
STEPS = 24


@all_cases(("mode", "api"), each_value(["stated", "unstated", "413"], APIS))
def test_a_lower_limit(
    api: str, mode: str, serve: Serve, clients: ModuleType, options: Options
) -> None:
    """The server's limit is lower than the window: each refusal costs one request, and no more.

    A limit that was stated is met from then on; one that was not is met again now and then.
    """
    server = serve(limit=LIMIT, too_long=mode, seed=f"{api}/{mode}", steps=STEPS)
    host = Host(api)
    with clients.connected(server, api) as (ask, _), loom.open(**options(api, WINDOW)) as ctx:
        hosting.run(ctx, hosting.begun(), ask)
        session = hosting.until_done(ctx, host, api)
        refusals = hosting.run(ctx, session, ask, recover=clients.REFUSED)
        assert ctx.done
    assert refusals == len(server.refused) > 0
    assert refusals == 1 or mode != "stated" or api == "responses"  # it never states one
    statuses = "".join(str(exchange.status)[0] for exchange in server.exchanges)
    assert "44" not in statuses
    assert statuses.count("2") == STEPS + 1


@all_cases("api", APIS)
def test_a_second_refusal_in_a_row(
    api: str, serve: Serve, clients: ModuleType, options: Options
) -> None:
    """When the compressed request is refused too, the host is told that the window is too small."""
    server = serve(seed=api, steps=30, too_long="unstated")
    host = Host(api)
    with clients.connected(server, api) as (ask, _), loom.open(**options(api, WINDOW)) as ctx:
        hosting.run(ctx, hosting.begun(), ask)
        hosting.run(ctx, hosting.until_done(ctx, host, api, 6), ask)
        server.limit = 400
        session = hosting.until_done(ctx, host, api)
        with pytest.raises(loom.OverCapacity):
            hosting.run(ctx, session, ask, recover=clients.REFUSED)
    assert len(server.refused) == 2


OTHERS = [
    (400, "Invalid value for 'temperature'.", "invalid_request_error"),
    (401, "Incorrect API key provided: key.", "authentication_error"),
    (429, "Rate limit reached for tokens per min (TPM): Limit 30000.", "rate_limit_error"),
]


@all_cases(("status", "message", "kind", "api"), [(*a, b) for a, b in each_value(OTHERS, APIS)])
def test_another_error_is_raised_again(
    api: str,
    status: int,
    message: str,
    kind: str,
    serve: Serve,
    clients: ModuleType,
    options: Options,
) -> None:
    """An error that is no overflow comes back, nothing is compressed, the same turn is accepted."""
    server = serve(seed=api)
    error = {"type": kind, "message": message, "code": status, "param": None}
    host = Host(api)
    with clients.connected(server, api) as (ask, _), loom.open(**options(api, WINDOW)) as ctx:
        hosting.run(ctx, hosting.begun(), ask)
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
