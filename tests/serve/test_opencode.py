"""What opencode sends, and how it takes what a provider answers. Each run takes some 15 seconds."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("uvicorn")

from tests.kit.scripted_server import said
from tests.serve.clients import Run, opencode
from tests.serve.scripts import DONE, listed, results, working
from tests.serve.upstream import Answer, Recorded, Upstream, limited

SESSION, PARENT = "x-session-id", "x-parent-session-id"


def session(run: Run) -> str:
    """The session a run was of."""
    return str(run.lines[0]["sessionID"])


def turns(up: Upstream) -> list[Recorded]:
    """The requests that offer tools; the others are for titles and summaries."""
    return [request for request in up.asked if request.tools]


def test_ten_calls_resumed_and_forked(agent_home: Path) -> None:
    """The title is asked for under the same name, without tools; a fork alone has another name."""
    with Upstream(working(10)) as up:
        run = opencode(up.url, agent_home, "Count to ten.")
        opencode(up.url, agent_home, "Again.", "--continue")
        fork = opencode(up.url, agent_home, "Fork.", "--session", session(run), "--fork")
    assert not up.faults
    assert DONE in run.out
    assert [results(request) for request in turns(up)] == [*range(11), 10, 10]
    assert len(up.asked) == len(turns(up)) + 1
    *names, last = [request.headers[SESSION] for request in up.asked]
    assert set(names) == {session(run)}
    assert last == session(fork) != session(run)
    lists = list(map(listed, turns(up)))
    assert all(now[1 : len(old)] == old[1:] for old, now in pairwise(lists))


def test_sub_agent(agent_home: Path) -> None:
    """A sub-agent is a session of its own that names its parent."""
    task = {"description": "count", "prompt": "Count.", "subagent_type": "general"}
    count = working(2)

    def script(request: Recorded, n: int) -> Any:
        asks = "task" in request.tools and not results(request)
        return said("", ("task", task)) if asks else count(request, n)

    with Upstream(script) as up:
        run = opencode(up.url, agent_home, "Delegate.")
    inner = [request for request in up.asked if PARENT in request.headers]
    assert len(inner) == 3
    assert {request.headers[PARENT] for request in inner} == {session(run)}
    assert session(run) not in {request.headers[SESSION] for request in inner}


def test_its_own_compaction(agent_home: Path) -> None:
    """Usage near the context it is told of makes it ask for a summary, without tools."""
    full = Answer(said("", ("bash", {"command": "ls", "description": "x"})), usage=(99_000, 9))
    count = working(1)
    filled: list[int] = []

    def script(request: Recorded, n: int) -> Any:
        if request.tools and not filled:
            filled.append(n)
            return full
        return count(request, n)

    with Upstream(script) as up:
        run = opencode(up.url, agent_home, "Count.", context=100_000)
    summary = next(request for request in up.asked if "<conversation>" in json.dumps(request.body))
    assert summary.tools == []
    assert {request.headers[SESSION] for request in up.asked} == {session(run)}
    assert DONE in json.dumps(listed(turns(up)[1]))


def test_asks_again(agent_home: Path) -> None:
    """After 429, and after a stream cut at any event, the same messages are sent again."""
    count = working(2)
    broken = Answer(said("Next.", ("bash", {"command": "ls"})), cut=5)
    odd: list[Any] = [broken, limited(1)]

    def script(request: Recorded, n: int) -> Any:
        return odd.pop() if odd and results(request) == 1 else count(request, n)

    with Upstream(script) as up:
        run = opencode(up.url, agent_home, "Count.")
    assert DONE in run.out
    same = [listed(request) for request in turns(up) if results(request) == 1]
    assert len(same) == 3
    assert same[0] == same[1] == same[2]
