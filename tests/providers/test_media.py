"""Images that reach the providers: what the server counts for them, and sessions with them."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import loom
from loom.providers.media.cost import tokens
from loom.providers.media.inspect import inspect
from tests.kit.cases import all_cases
from tests.providers.hosting import session as hosting
from tests.providers.hosting.host import OWN_TOOLS, Host
from tests.providers.serving import media
from tests.providers.serving.pictures import coded, png

Options = Callable[..., dict[str, Any]]
APIS = ("openai", "responses", "anthropic", "gemini")
SIDES = st.one_of(st.integers(1, 4_000), st.sampled_from([384, 512, 513, 768, 1_568, 2_048]))


@given(SIDES, SIDES)
def test_the_servers_count_of_an_image_is_within_looms(width: int, height: int) -> None:
    """Loom's figure is an upper bound of what is counted here from the pages, for any pixels."""
    models = import_module("tests.providers.serving.clients").MODELS
    rules = {"anthropic": media.by_area, "gemini": media.flat}
    data = png(width, height)
    for api in APIS:
        counted = rules.get(api, media.by_tiles)(data)
        assert 1 <= counted <= tokens(inspect(data), api, models[api])


@all_cases(("api", "model"), [*((api, "") for api in APIS), ("gemini", "gemini-2.5-pro")])
def test_a_session_with_images(
    api: str, model: str, serve: Callable[..., Any], clients: ModuleType, options: Options
) -> None:
    """A tool's image and the user's: both reach the provider as they are, and nothing is refused.

    Later steps cut; each request is within the limit as the server counts it.
    """
    made, asked = png(200, 120, shade=7), png(64, 48, shade=9)
    server = serve(limit=16_000, seed="seen", steps=14, avoid=OWN_TOOLS)
    bare = loom.Policy(own_tools=False)
    with (
        clients.connected(server, api) as (ask, _),
        loom.open(**options(api, 16_000, model, policy=bare)) as ctx,
    ):
        hosting.run(ctx, hosting.begun(), ask)
        ctx.user(["What is this?", asked])
        ctx.reply(ask(**hosting.requested(ctx.turn(), api)))
        first, *rest = ctx.calls
        ctx.result(first, made)
        for call in rest:
            ctx.result(call, "nothing")
        ctx.reply(ask(**hosting.requested(ctx.turn(), api)))
        hosting.run(ctx, hosting.until_done(ctx, Host("seen"), api), ask)
        assert ctx.window.sent.cuts > 0
    assert not server.refused
    sent = json.dumps(server.exchanges[1].body).replace("-", "+").replace("_", "/")
    assert all(coded(image) in sent for image in (made, asked))
