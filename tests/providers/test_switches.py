"""A session that moves from provider to provider, in the middle of its tool loops."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import ModuleType
from typing import Any

import loom
from tests.kit.cases import all_cases, each_value
from tests.providers.hosting import session as hosting
from tests.providers.hosting.host import TOOLS, Host

Serve = Callable[..., Any]
Move = tuple[str, str, bool]  # the API, the model, whether it is asked to think
SONNET, GPT, GEMINI = "claude-sonnet-5", "gpt-5", "gemini-3-pro"
ROUTES: dict[str, tuple[Move, ...]] = {
    "thinking first": (
        ("anthropic", SONNET, True),
        ("responses", GPT, True),
        ("gemini", GEMINI, True),
        ("openai", GPT, True),
    ),
    "ids of every kind": (
        ("gemini", "gemini-2.5-pro", True),
        ("anthropic", SONNET, False),
        ("openai", GPT, True),
        ("gemini", GEMINI, True),
        ("responses", GPT, True),
    ),
    "there and back": (
        ("responses", GPT, True),
        ("anthropic", SONNET, False),
        ("responses", GPT, True),
        ("gemini", GEMINI, True),
        ("anthropic", SONNET, False),
    ),
}


@all_cases(("window", "route"), each_value([8_192, 32_000], ROUTES))
def test_a_switch_of_provider(
    route: str, window: int, serve: Serve, clients: ModuleType, tmp_path: Path
) -> None:
    """Eight steps each on one workspace: every provider accepts what the others left."""
    server = serve(limit=window, seed=f"{route}/{window}", steps=60)
    moves = ROUTES[route]
    with ExitStack() as stack:
        options: dict[str, Any] = {
            "tools": TOOLS,
            "policy": loom.Policy(own_tools=False),
            "durable": False,
        }
        ctx = stack.enter_context(loom.open(tmp_path, model=moves[0][1], window=window, **options))
        hosting.run(ctx, hosting.begun(), None)
        given = Host(route)
        for number, (api, model, thinks) in enumerate(moves):
            ctx.resize(window, model=model)
            connection = clients.connected(server, api, f"{number}/{api}")
            ask, _ = stack.enter_context(connection)
            session = hosting.until_done(ctx, given, api, 8, thinks=thinks)
            hosting.run(ctx, session, ask)
        assert ctx.window.sent.cuts > 0
    assert not server.refused
    assert len(server.accepted) == 8 * len(moves)
