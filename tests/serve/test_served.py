"""Real clients through `loom serve`: what the provider is sent, what is kept, how a run ends."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Timer
from typing import Any

import pytest

pytest.importorskip("uvicorn")

from starlette.requests import Request

from loom.adapters.sessions import folder_of
from loom.serve.owners import ConversationOwner, owner_of
from loom.serve.peers import TOLD
from tests.kit.scripted_server import said
from tests.serve.agents import AGENTS, Agent
from tests.serve.clients import Run
from tests.serve.proxies import Kept, ServedProxy, missing
from tests.serve.steps import Steps, mixed, printed, session
from tests.serve.upstream import Answer, Recorded, Upstream, exceeded, too_long

each = pytest.mark.parametrize("agent", AGENTS, ids=[agent.name for agent in AGENTS])
KEY = b"loopback"  # of each client (`tests/serve/clients.py`)
SHARE = 12  # requests to one cut


def sound(up: Upstream, steps: Steps, **words: str) -> None:
    """Nothing was refused for its form, and no word stands in a request of another session."""
    assert up.faults == []
    assert mixed(steps, up.asked, words or {"amber": ""}) == []


def taken(proxy: ServedProxy) -> None:
    """Each list was managed: none refused, none passed on as it came."""
    counts = proxy.counts
    assert (counts["refused"], counts["unmanaged"]) == (0, 0), proxy.said


def kept(proxy: ServedProxy, *homes: Path) -> list[Kept]:
    """The workspaces; whatever the clients' commands printed is whole in one of them."""
    found = [Kept(workspace) for workspace in proxy.workspaces]
    texts = [text for home in homes for text in printed(home / "work")]
    assert texts
    assert missing(texts, found) == []
    assert [text for one in found for text in one.unreachable] == []
    return found


def folder(agent: Agent, run: Run) -> str:
    """The folder that the session of a run has."""
    asked = Request({"type": "http", "headers": [(b"x-api-key", KEY)], "query_string": b""})
    mine = ConversationOwner(os.geteuid() if TOLD else None, owner_of(asked).key)
    return folder_of(mine.of(f"{agent.name}-{agent.session(run)}"))


@each
def test_eighty_calls(agent_home: Path, agent: Agent) -> None:
    """Cuts keep requests within the window, are seldom, and lose nothing; less is sent than
    without the proxy."""
    prompt = "Run 80 steps of amber."
    steps, alone = Steps(agent.lines), Steps(agent.lines)
    with Upstream(alone) as up:
        assert agent.well(agent.first(up.url, agent_home / "alone", prompt))
        sent = sum(request.size for request in up.asked)
        largest = max(request.size for request in up.asked)
    home = agent_home / "served"
    with Upstream(steps) as up, ServedProxy(up.url, agent_home / "ws", agent.window) as proxy:
        run = agent.first(proxy.url, home, prompt)
        taken(proxy)
    assert agent.well(run), run.out[-500:]
    sound(up, steps)
    (one,) = kept(proxy, home)
    assert [path.name for path in proxy.workspaces] == [folder(agent, run)]
    assert len(printed(home / "work")) == 80
    assert one.left > 0
    assert sum(request.size for request in up.asked) < sent
    assert max(request.size for request in up.asked) < largest
    assert 0 < SHARE * one.cuts <= one.requests or agent.window < 128_000


@each
def test_resumed_and_forked(agent_home: Path, agent: Agent) -> None:
    """A session that goes on is one workspace; a fork is another, with what came before."""
    steps, home = Steps(agent.lines), agent_home / "home"
    with Upstream(steps) as up, ServedProxy(up.url, agent_home / "ws", agent.window) as proxy:
        first = agent.first(proxy.url, home, "Run 30 steps of amber.")
        name = agent.session(first)
        resumed = agent.on(proxy.url, home, name, "Run 10 steps of amber in part 2.")
        forked = agent.fork(proxy.url, home, name, "Run 10 steps of amber in part 3.")
        taken(proxy)
    assert [agent.well(run) for run in (first, resumed, forked)] == [True] * 3
    sound(up, steps)
    kept(proxy, home)
    assert {path.name for path in proxy.workspaces} == {folder(agent, first), folder(agent, forked)}
    assert folder(agent, resumed) == folder(agent, first) != folder(agent, forked)
    assert len(printed(home / "work")) == 50


@each
@pytest.mark.parametrize("streaming", [False, True], ids=["before its reply", "in its stream"])
def test_proxy_is_killed(agent_home: Path, agent: Agent, streaming: bool) -> None:
    """A proxy that is killed while a client waits, and started again, goes on where it was."""
    home = agent_home / "home"

    def again() -> None:
        proxy.kill()
        proxy.start()

    def odd(request: Recorded) -> Any:
        if not streaming:
            return again()
        Timer(0.7, again).start()
        return Answer(said("This is never read to its end.", agent.command("true")), pause=0.25)

    steps = Steps(agent.lines, {15: odd})
    with Upstream(steps) as up, ServedProxy(up.url, agent_home / "ws", agent.window) as proxy:
        run = agent.first(proxy.url, home, "Run 30 steps of amber.")
        taken(proxy)
    assert agent.well(run), run.out[-500:]
    sound(up, steps)
    kept(proxy, home)
    assert [path.name for path in proxy.workspaces] == [folder(agent, run)]


@each
@pytest.mark.parametrize("cut", [0, 3, 4])
def test_connection_is_cut(agent_home: Path, agent: Agent, cut: int) -> None:
    """A stream that breaks off is seen as that by the client, which asks again and goes on."""
    home = agent_home / "home"
    broken = Answer(said("Never whole.", agent.command("true")), cut=cut)
    steps = Steps(agent.lines, {5: lambda request: broken, 12: lambda request: broken})
    with Upstream(steps) as up, ServedProxy(up.url, agent_home / "ws", agent.window) as proxy:
        run = agent.first(proxy.url, home, "Run 15 steps of amber.")
        taken(proxy)
    assert agent.well(run), run.out[-500:]
    sound(up, steps)
    kept(proxy, home)
    assert len(printed(home / "work")) >= 13


@each
def test_two_at_once(agent_home: Path, agent: Agent) -> None:
    """Two clients at one proxy: neither is told of the other's work."""
    steps = Steps(agent.lines)
    homes = [agent_home / "one", agent_home / "two"]
    words = ["amber", "cobalt"]
    with Upstream(steps) as up, ServedProxy(up.url, agent_home / "ws", agent.window) as proxy:
        with ThreadPoolExecutor(2) as pool:
            prompts = [f"Run 30 steps of {word}." for word in words]
            runs = list(pool.map(agent.first, [proxy.url] * 2, homes, prompts))
        taken(proxy)
    assert all(map(agent.well, runs))
    sound(up, steps, amber="", cobalt="")
    kept(proxy, *homes)
    assert {path.name for path in proxy.workspaces} == {folder(agent, run) for run in runs}


@each
def test_loom_tools_are_answered(agent_home: Path, agent: Agent) -> None:
    """Calls of recall and page_in, alone or beside the client's own, never reach the client."""
    home = agent_home / "home"
    recall = ("recall", {"query": "amber 3"})
    asks: dict[int, Callable[[Recorded], Any]] = {
        20: lambda request: said("Looking.", recall),
        25: lambda request: said("Both.", recall, agent.command("true")),
        30: lambda request: said("", ("page_in", {"path": "step_0004"})),
    }
    steps = Steps(agent.lines, asks)
    with Upstream(steps) as up, ServedProxy(up.url, agent_home / "ws", agent.window) as proxy:
        run = agent.first(proxy.url, home, "Run 40 steps of amber.")
        again = agent.on(proxy.url, home, agent.session(run), "Run 3 steps of amber in part 2.")
        taken(proxy)
    assert agent.well(run)
    assert agent.well(again)
    assert '"page_in"' not in run.out
    sound(up, steps)
    kept(proxy, home)
    assert len(printed(home / "work")) == 43
    assert len(proxy.workspaces) == 1


@each
def test_too_long_for_the_provider(agent_home: Path, agent: Agent) -> None:
    """A refusal for length is answered by a smaller request; the client is told of none."""
    home = agent_home / "home"
    refusal = too_long(130_000, 120_000) if agent.name == "claude" else exceeded()
    steps = Steps(agent.lines, {20: lambda request: refusal})
    with Upstream(steps) as up, ServedProxy(up.url, agent_home / "ws", agent.window) as proxy:
        run = agent.first(proxy.url, home, "Run 25 steps of amber.")
        taken(proxy)
    assert agent.well(run), run.out[-500:]
    sound(up, steps)
    kept(proxy, home)
    assert len(printed(home / "work")) == 25
    refused, smaller = [one for one in up.asked if one.tools][19:21]
    assert session(refused) == session(smaller)
    assert len(json.dumps(smaller.body)) < len(json.dumps(refused.body))
