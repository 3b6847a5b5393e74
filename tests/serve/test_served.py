"""Real clients through `loom serve`: what the provider is sent, what is kept, how a run ends."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from typing import Any, NamedTuple

import pytest

pytest.importorskip("uvicorn")

from starlette.requests import Request

from loom.adapters.sessions import folder_of
from loom.serve.conversation_owners import TOLD, ConversationOwner, request_owner
from tests.kit.scripted_server import said
from tests.serve.agents import AGENTS, Agent
from tests.serve.clients import Run
from tests.serve.proxies import Kept, ServedProxy, missing
from tests.serve.steps import Steps, mixed, printed
from tests.serve.upstream import Answer, Recorded, Upstream

each = pytest.mark.parametrize("agent", AGENTS, ids=[agent.name for agent in AGENTS])
KEY = b"loopback"  # of each client (`tests/serve/clients.py`)
SHARE = 12  # requests to one cut
RECALL = ("recall", {"query": "amber 3"})


class Serving(NamedTuple):
    """A provider, the proxy before it, a client's home; `kept` are the workspaces at the end."""

    up: Upstream
    proxy: ServedProxy
    home: Path
    kept: list[Kept]

    @property
    def names(self) -> set[str]:
        """The names of the workspaces."""
        return {path.name for path in self.proxy.workspaces}

    @property
    def outputs(self) -> int:
        """How many commands the client ran."""
        return len(printed(self.home / "work"))


@contextmanager
def serving(
    folder: Path,
    agent: Agent,
    odd: Mapping[int, Callable[[Recorded], Any]] | None = None,
    *,
    words: Mapping[str, str] | None = None,
) -> Iterator[Serving]:
    """The proxy for an agent. At the end each list was managed, nothing was refused for its form,
    no word stands in a request of another session, and whatever the commands printed is whole in
    one of the workspaces, and can be paged in."""
    steps = Steps(agent.lines, odd)
    with Upstream(steps) as up, ServedProxy(up.url, folder / "ws", agent.window) as proxy:
        made = Serving(up, proxy, folder / "home", [])
        yield made
        counts = proxy.counts
        assert (counts["refused"], counts["unmanaged"]) == (0, 0), proxy.said
    assert up.faults == [] and mixed(steps, up.asked, words or {"amber": ""}) == []
    made.kept.extend(Kept(workspace) for workspace in proxy.workspaces)
    texts = printed(folder / "home" / "work")
    assert texts and missing(texts, made.kept) == []
    assert [text for one in made.kept for text in one.unreachable] == []


def folder(agent: Agent, run: Run) -> str:
    """The folder that the session of a run has."""
    asked = Request({"type": "http", "headers": [(b"x-api-key", KEY)], "query_string": b""})
    mine = ConversationOwner(os.geteuid() if TOLD else None, request_owner(asked).key)
    return folder_of(mine.of(f"{agent.name}-{agent.session(run)}"))


@each
def test_eighty_calls(agent_home: Path, agent: Agent) -> None:
    """Cuts keep requests within the window, are seldom, and lose nothing; less is sent than
    without the proxy."""
    prompt = "Run 80 steps of amber."
    with Upstream(Steps(agent.lines)) as alone:
        assert agent.well(agent.first(alone.url, agent_home / "alone", prompt))
    with serving(agent_home, agent) as at:
        run = agent.first(at.proxy.url, at.home, prompt)
    assert agent.well(run), run.out[-500:]
    assert at.names == {folder(agent, run)} and at.outputs == 80
    sizes, sent = ([one.size for one in up.asked] for up in (at.up, alone))
    assert sum(sizes) < sum(sent) and max(sizes) < max(sent)
    (one,) = at.kept
    assert one.left > 0
    assert 0 < SHARE * one.cuts <= one.requests or agent.window < 128_000


@each
def test_resumed_and_forked(agent_home: Path, agent: Agent) -> None:
    """A session that goes on is one workspace; a fork is another, with what came before."""
    with serving(agent_home, agent) as at:
        first = agent.first(at.proxy.url, at.home, "Run 30 steps of amber.")
        name = agent.session(first)
        resumed = agent.on(at.proxy.url, at.home, name, "Run 10 steps of amber in part 2.")
        forked = agent.fork(at.proxy.url, at.home, name, "Run 10 steps of amber in part 3.")
    assert [agent.well(run) for run in (first, resumed, forked)] == [True] * 3
    assert at.names == {folder(agent, first), folder(agent, forked)}
    assert folder(agent, resumed) == folder(agent, first) != folder(agent, forked)
    assert at.outputs == 50


@each
@pytest.mark.parametrize("streaming", [False, True], ids=["before its reply", "in its stream"])
def test_proxy_is_killed(agent_home: Path, agent: Agent, streaming: bool) -> None:
    """A proxy that is killed while a client waits, and started again, goes on where it was."""

    def again() -> None:
        at.proxy.kill()
        at.proxy.start()

    def odd(request: Recorded) -> Any:
        if not streaming:
            return again()
        Timer(0.7, again).start()
        return Answer(said("This is never read to its end.", agent.command("true")), pause=0.25)

    with serving(agent_home, agent, {15: odd}) as at:
        run = agent.first(at.proxy.url, at.home, "Run 30 steps of amber.")
    assert agent.well(run), run.out[-500:]
    assert at.names == {folder(agent, run)}
