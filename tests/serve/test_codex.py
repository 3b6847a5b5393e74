"""What Codex sends, and how it takes what a provider answers."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("uvicorn")

from tests.kit.scripted_server import said
from tests.serve.clients import Run, codex
from tests.serve.scripts import DONE, listed, results, working
from tests.serve.upstream import Answer, Recorded, Upstream, exceeded, limited

THREAD, WINDOW = "thread-id", "x-codex-window-id"


def thread(run: Run) -> str:
    """The thread a run was of."""
    return str(run.lines[0]["thread_id"])


def last(run: Run) -> str:
    """The kind of its last event."""
    return str(run.lines[-1]["type"])


def nameless(request: Recorded) -> list[dict[str, Any]]:
    """Its items without their ids."""
    return [{name: item[name] for name in item if name != "id"} for item in listed(request)]


def metadata(request: Recorded) -> dict[str, Any]:
    """What its header tells of the turn."""
    told: dict[str, Any] = json.loads(request.headers["x-codex-turn-metadata"])
    return told


def test_ten_calls_in_one_thread(agent_home: Path) -> None:
    """Each request extends the one before, ids included, and names the thread four times."""
    with Upstream(working(10, thought="Let me count.")) as up:
        run = codex(up.url, agent_home, "Count to ten.")
    assert last(run) == "turn.completed"
    assert [results(request) for request in up.asked] == list(range(11))
    assert not up.faults
    names = {
        (request.headers[THREAD], request.headers["session-id"], request.body["prompt_cache_key"])
        for request in up.asked
    }
    assert names == {(thread(run),) * 3}
    assert {request.headers[WINDOW] for request in up.asked} == {f"{thread(run)}:0"}
    lists = list(map(listed, up.asked))
    assert all(now[: len(old)] == old for old, now in pairwise(lists))


def test_keeps_nothing_at_the_provider(agent_home: Path) -> None:
    """It sends the whole input each time, asks for sealed reasoning, and gives it back."""
    with Upstream(working(1, thought="Let me count.")) as up:
        codex(up.url, agent_home, "Count.")
    for request in up.asked:
        assert request.body["store"] is False
        assert "previous_response_id" not in request.body
        assert request.body["include"] == ["reasoning.encrypted_content"]
        assert "instructions" not in request.body
        assert listed(request)[0]["role"] == "developer"
    assert [item["type"] for item in listed(up.asked[1])[4:]] == [
        "reasoning", "message", "function_call", "function_call_output",
    ]  # fmt: skip


def test_resumed_and_forked(agent_home: Path) -> None:
    """Resuming keeps the thread; a fork has a new one behind the same items, but for their ids."""
    with Upstream(working(2)) as up:
        name = thread(codex(up.url, agent_home, "Count."))
        codex(up.url, agent_home, "resume", name, "Again.")
        fork = thread(codex(up.url, agent_home, "fork", name, "Fork."))
    assert fork != name
    assert [request.headers[THREAD] for request in up.asked] == [name] * 4 + [fork]
    resumed, forked = map(nameless, up.asked[-2:])
    assert forked[: len(resumed)] == resumed


def test_its_own_compaction(agent_home: Path) -> None:
    """Past its limit of tokens it asks without tools, says so, and numbers a new window."""
    count = working(3)

    def script(request: Recorded, n: int) -> Any:
        return (
            Answer(said("Next.", ("exec_command", {"cmd": "ls"})), (50_000, 9))
            if n == 1
            else (count(request, n))
        )

    with Upstream(script) as up:
        run = codex(up.url, agent_home, "Count.", limit=40_000)
    assert last(run) == "turn.completed"
    kinds = [metadata(request)["request_kind"] for request in up.asked]
    assert kinds[:4] == ["turn", "turn", "compaction", "turn"]
    assert up.asked[2].tools == []
    windows = [request.headers[WINDOW].partition(":")[2] for request in up.asked]
    assert windows[:4] == ["0", "0", "0", "1"]
    assert results(up.asked[3]) == 0
    assert DONE in json.dumps(listed(up.asked[3])[-1])


def test_sub_agent(agent_home: Path) -> None:
    """A sub-agent has a thread of its own, names its parent's, and shares the session."""
    count = working(1)

    def script(request: Recorded, n: int) -> Any:
        if "x-openai-subagent" in request.headers:
            return count(request, n)
        made = re.search(r'"agent_id\W+([\w-]+)', json.dumps(listed(request)[-1]))
        if made:
            waits = {"targets": [made[1]], "timeout_ms": 60_000}
            return said("", ("multi_agent_v1.wait_agent", waits))
        return DONE if n else said("", ("multi_agent_v1.spawn_agent", {"message": "Count."}))

    with Upstream(script) as up:
        run = codex(up.url, agent_home, "Delegate.")
    inner = [request for request in up.asked if "x-openai-subagent" in request.headers]
    assert inner
    assert {request.headers["session-id"] for request in up.asked} == {thread(run)}
    assert {request.headers["x-codex-parent-thread-id"] for request in inner} == {thread(run)}
    assert thread(run) not in {request.headers[THREAD] for request in inner}


def test_too_long_ends_it(agent_home: Path) -> None:
    """The provider's refusal of a prompt too long ends the turn: nothing is compacted."""
    count = working(3)
    with Upstream(lambda request, n: exceeded() if n == 2 else count(request, n)) as up:
        run = codex(up.url, agent_home, "Count.")
    assert last(run) == "turn.failed"
    assert len(up.asked) == 3


def test_waits_and_asks_again(agent_home: Path) -> None:
    """After 429 the same input is sent again."""
    count = working(2)
    with Upstream(lambda request, n: limited(1) if n == 1 else count(request, n)) as up:
        run = codex(up.url, agent_home, "Count.")
    assert last(run) == "turn.completed"
    assert listed(up.asked[1]) == listed(up.asked[2])


@pytest.mark.parametrize(("cut", "kept"), [(1, []), (9, ["message"])])
def test_cut_stream(agent_home: Path, cut: int, kept: list[str]) -> None:
    """It asks again, with the items of the reply that were whole when the stream was cut."""
    broken = Answer(said("Next.", ("exec_command", {"cmd": "ls"})), cut=cut)
    count = working(2)
    with Upstream(lambda request, n: broken if n == 1 else count(request, n)) as up:
        run = codex(up.url, agent_home, "Count.")
    assert last(run) == "turn.completed"
    first, again = map(listed, up.asked[1:3])
    assert again[: len(first)] == first
    assert [item["type"] for item in again[len(first) :]] == kept
