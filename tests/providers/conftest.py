"""A server that stands for the providers, and the SDKs pointed at it."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import loom
from tests.providers.hosting import session as hosting
from tests.providers.hosting.host import TOOLS
from tests.providers.serving import dialogue
from tests.providers.serving.server import Server


@pytest.fixture
def serve() -> Iterator[Callable[..., Any]]:
    """Start servers (`serving.server.Server`'s arguments); they stop when the test is over."""
    with ExitStack() as stack:

        def start(**options: Any) -> Any:
            server = Server(**options)
            stack.callback(server.stop)
            return server

        yield start


@pytest.fixture(scope="session")
def clients() -> ModuleType:
    """`serving.clients`; the tests are skipped where an SDK is missing."""
    for name in ("openai", "anthropic", "google.genai"):
        pytest.importorskip(name)
    return import_module("tests.providers.serving.clients")


@pytest.fixture
def options(clients: ModuleType, tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """The arguments of `loom.open` for a session of one API (or one model) in a window."""

    def given(api: str, window: int = 8_192, model: str = "", **more: Any) -> dict[str, Any]:
        named = model or clients.MODELS[api]
        common = {"path": tmp_path / "session", "tools": TOOLS, "durable": False}
        return {**common, "model": named, "window": window, **more}

    return given


@pytest.fixture
def begin(clients: ModuleType, options: Callable[..., dict[str, Any]]) -> Callable[..., Any]:
    """Open a session with a server (`options` of it besides) in which the host has spoken: the
    context, and a way to ask."""

    @contextmanager
    def begun(server: Server, api: str, *given: Any, **more: Any) -> Iterator[tuple[Any, Any]]:
        with (
            clients.connected(server, api) as (ask, _),
            loom.open(**options(api, *given, **more)) as ctx,
        ):
            hosting.run(ctx, hosting.begun(), ask)
            yield ctx, ask

    return begun


@pytest.fixture(scope="module")
def talks(clients: ModuleType) -> Iterator[dict[str, Any]]:
    """For each API a way to ask one server, and a lawful request of two tool steps. The first step
    has two calls, the second a text and one call; both have reasoning."""
    with ExitStack() as opened:
        server = Server(seed=2935, steps=9)
        opened.callback(server.stop)
        made = {}
        for api in clients.APIS:
            ask, _ = opened.enter_context(clients.connected(server, api, api))
            made[api] = (ask, dialogue.grown(ask, api, 2))
        yield made


@pytest.fixture
def refusal(talks: dict[str, Any], clients: ModuleType) -> Callable[[str, Callable[..., Any]], Any]:
    """Break the lawful request by a function: the SDK's error; the lawful one is accepted."""

    def broken(api: str, change: Callable[[dict[str, Any]], object]) -> Any:
        ask, lawful = talks[api]
        request = copy.deepcopy(lawful)
        change(request)
        with pytest.raises(clients.REFUSED) as caught:
            ask(**request)
        ask(**lawful)
        return caught.value

    return broken
