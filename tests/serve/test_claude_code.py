"""What Claude Code sends, and how it takes what a provider answers."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("uvicorn")

from tests.kit.scripted_server import said
from tests.serve.clients import Run, claude
from tests.serve.scripts import DONE, compacting, listed, results, working
from tests.serve.upstream import (
    COUNT,
    Answer,
    Recorded,
    Scripted,
    Upstream,
    limited,
    overloaded,
    too_long,
)

SESSION, AGENT = "x-claude-code-session-id", "x-claude-code-agent-id"


def told(run: Run) -> dict[str, Any]:
    """The JSON a run ended with."""
    return run.lines[0]


def sessions(requests: list[Recorded]) -> list[str]:
    """The session each request names, in its header and in its metadata alike."""
    named = [json.loads(request.body["metadata"]["user_id"])["session_id"] for request in requests]
    assert named == [request.headers[SESSION] for request in requests]
    return named


def unmarked(request: Recorded) -> list[Any]:
    """The messages without cache marks, texts as the one block they are."""
    given = json.loads(json.dumps(listed(request)))
    for message in given:
        content = message["content"]
        if isinstance(content, str):
            message["content"] = [{"type": "text", "text": content}]
        for block in message["content"]:
            block.pop("cache_control", None)
    return given


def failing(at: dict[int, Any], script: Scripted) -> Scripted:
    """The script, but for the requests with these numbers."""
    return lambda request, n: at[n] if n in at else script(request, n)


def test_ten_calls_in_one_session(agent_home: Path) -> None:
    """Each request extends the one before, but for cache marks, and names the session."""
    with Upstream(working(10, thought="Let me count.")) as up:
        run = claude(up.url, agent_home, "Count to ten.")
    assert told(run)["result"] == DONE
    assert [results(request) for request in up.asked] == list(range(11))
    assert not up.faults
    assert set(sessions(up.asked)) == {told(run)["session_id"]}
    lists = [unmarked(request) for request in up.asked]
    assert all(now[: len(old)] == old for old, now in pairwise(lists))
    heads = [(request.body["system"], request.body["tools"]) for request in up.asked]
    assert all(head == heads[0] for head in heads)


def test_head_of_a_request(agent_home: Path) -> None:
    """An unmarked line of attribution comes first; marks stand on the system and one message."""
    with Upstream(working(2)) as up:
        claude(up.url, agent_home, "Count.")
    for request in up.asked:
        first, *others = request.body["system"]
        assert first["text"].startswith("x-anthropic-billing-header:")
        assert "cache_control" not in first
        assert all("cache_control" in block for block in others)
        marked = [m for m in listed(request) if "cache_control" in json.dumps(m["content"])]
        assert len(marked) == 1
        assert request.query == "beta=true"
        assert request.body["stream"] is True


def test_system_messages_between_others(agent_home: Path) -> None:
    """Newer models get reminders as messages of role `system`, which a beta header announces."""
    with Upstream(working(1)) as up:
        claude(up.url, agent_home, "Count.")
        claude(up.url, agent_home, "Count.", "--model", "claude-sonnet-4-5")
    newer, older = up.asked[0], up.asked[-1]
    assert [message["role"] for message in listed(newer)] == ["user", "system"]
    assert "mid-conversation-system" in newer.headers["anthropic-beta"]
    assert "system" not in [message["role"] for message in listed(older)]
    assert "mid-conversation-system" not in older.headers["anthropic-beta"]


def test_resumed_and_forked(agent_home: Path) -> None:
    """Resuming keeps the session's name; a fork has a new one behind the same messages."""
    with Upstream(working(2)) as up:
        name = told(claude(up.url, agent_home, "Count."))["session_id"]
        claude(up.url, agent_home, "Again.", "--resume", name)
        fork = told(claude(up.url, agent_home, "Fork.", "--resume", name, "--fork-session"))
    assert sessions(up.asked) == [name] * 4 + [fork["session_id"]]
    assert fork["session_id"] != name
    resumed, forked = map(unmarked, up.asked[-2:])
    assert forked[: len(resumed)] == resumed


def test_its_own_compaction(agent_home: Path) -> None:
    """`/compact` asks with all tools under the same name; then the list is a shorter one."""
    with Upstream(working(2)) as up:
        name = told(claude(up.url, agent_home, "Count."))["session_id"]
        claude(up.url, agent_home, "/compact", "--resume", name)
        claude(up.url, agent_home, "Go on.", "--resume", name)
    assert set(sessions(up.asked)) == {name}
    assert [compacting(request) for request in up.asked[:5]] == [False, False, False, True, False]
    before, asked, after = up.asked[2:5]
    assert asked.tools == before.tools
    assert results(after) == 0 < results(asked)
    assert DONE in json.dumps(listed(after)[0])


def test_sub_agent(agent_home: Path) -> None:
    """A sub-agent shares the session's name, adds its own, and has fewer tools."""
    task = {"description": "count", "prompt": "Count.", "subagent_type": "general-purpose"}
    count = working(2)

    def script(request: Recorded, n: int) -> Any:
        asks = AGENT not in request.headers and not results(request)
        return (
            said("", ("Agent", {**task, "run_in_background": False})) if asks else count(request, n)
        )

    with Upstream(script) as up:
        run = claude(up.url, agent_home, "Delegate.")
    assert told(run)["result"] == DONE
    assert set(sessions(up.asked)) == {told(run)["session_id"]}
    inner = [request for request in up.asked if AGENT in request.headers]
    assert len(inner) == 3
    assert len({request.headers[AGENT] for request in inner}) == 1
    assert set(inner[0].tools) < set(up.asked[0].tools)


def test_too_long_makes_it_compact(agent_home: Path) -> None:
    """The 400 of a prompt too long is followed by a compaction, and by the rest of the work."""
    with Upstream(failing({3: too_long(210_000, 200_000)}, working(4))) as up:
        run = claude(up.url, agent_home, "Count.")
    assert told(run)["result"] == DONE
    assert compacting(up.asked[4])
    assert results(up.asked[5]) < results(up.asked[3])
    assert set(sessions(up.asked)) == {told(run)["session_id"]}


def test_waits_and_asks_again(agent_home: Path) -> None:
    """After 429 and 529 the same body is sent again."""
    with Upstream(failing({1: limited(1), 3: overloaded()}, working(2))) as up:
        run = claude(up.url, agent_home, "Count.")
    assert told(run)["result"] == DONE
    assert up.asked[1].body == up.asked[2].body
    assert up.asked[3].body == up.asked[4].body


@pytest.mark.parametrize(("cut", "streams"), [(0, [True]), (4, [None]), (5, [])])
def test_cut_stream(agent_home: Path, cut: int, streams: list[bool | None]) -> None:
    """Cut before a block is whole it asks again, unstreamed once events came; later it fails."""
    broken = Answer(said("Next.", ("Bash", {"command": "ls"})), cut=cut)
    with Upstream(failing({1: broken}, working(2))) as up:
        run = claude(up.url, agent_home, "Count.")
    assert told(run)["is_error"] is not bool(streams)
    assert [request.body.get("stream") for request in up.asked[2:3]] == streams
    for again in up.asked[2:3]:
        assert listed(again) == listed(up.asked[1])


def test_counts_tokens_for_its_overview(agent_home: Path) -> None:
    """`/context` asks `count_tokens` for the parts of a request, and no model."""
    with Upstream(working(1)) as up:
        name = told(claude(up.url, agent_home, "Count."))["session_id"]
        asked = len(up.asked)
        claude(up.url, agent_home, "/context", "--resume", name)
    assert len(up.asked) == asked
    assert any(request.path == COUNT for request in up.requests)


def test_usage_past_its_window_stops_it(agent_home: Path) -> None:
    """What usage reports past the window it is told of ends the run without a further request."""
    full = Answer(said("", ("Bash", {"command": "ls"})), usage=(198_000, 9))
    with Upstream(failing({0: full}, working(1))) as up:
        options = ("--model", "claude-sonnet-4-5")
        run = claude(
            up.url, agent_home, "Count.", *options, CLAUDE_CODE_AUTO_COMPACT_WINDOW="190000"
        )
    assert told(run)["terminal_reason"] == "blocking_limit"
    assert len(up.asked) == 1
