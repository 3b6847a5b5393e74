"""What clients ask beside their turns, through `loom serve`: summaries, sub-agents, titles, counts,
another model."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("uvicorn")

from tests.kit.scripted_server import said
from tests.serve.agents import CLAUDE, CODEX, OPENCODE, Agent
from tests.serve.clients import claude, codex, opencode
from tests.serve.scripts import compacting
from tests.serve.steps import delegated
from tests.serve.test_served import RECALL, each, folder, serving
from tests.serve.upstream import COUNT, Answer, Recorded

TASK = "Take 3 steps of slate."


def test_claude_compacts(agent_home: Path) -> None:
    """`/compact` gets the window with its question behind it; the workspace goes on, and has what
    left the client's list. `/context` counts at the provider, and is no conversation."""
    with serving(agent_home, CLAUDE) as at:
        url, home = at.proxy.url, at.home
        first = claude(url, home, "Run 40 steps of amber.")
        name = CLAUDE.session(first)
        summed = CLAUDE.on(url, home, name, "/compact")
        after = CLAUDE.on(url, home, name, "Run 40 steps of amber in part 2.")
        CLAUDE.on(url, home, name, "/context")
        assert at.proxy.counts["summary"] == 1
        counts = sum(request.path == COUNT for request in at.up.requests)
        assert at.proxy.counts["other"] == counts > 0
    assert [CLAUDE.well(run) for run in (first, summed, after)] == [True] * 3
    (asked,) = [request for request in at.up.asked if compacting(request)]
    assert asked.size <= max(request.size for request in at.up.asked)
    (one,) = at.kept
    assert len(one.results) == 80 and at.names == {folder(CLAUDE, first)}


@pytest.mark.parametrize("agent", [CODEX, OPENCODE], ids=["codex", "opencode"])
def test_a_client_compacts_by_itself(agent_home: Path, agent: Agent) -> None:
    """Past its own limit Codex asks for a summary and numbers a new window; near the context it was
    told of opencode asks in words of its own: the same workspace. opencode's question for a title
    goes on as it came."""
    full = Answer(said("Much.", agent.command("true")), (250_000 if agent is CODEX else 195_000, 9))
    with serving(agent_home, agent, {30: lambda request: full}) as at:
        prompt = "Run 60 steps of amber."
        if agent is CODEX:
            run = codex(at.proxy.url, at.home, prompt, limit=200_000)
            assert at.proxy.counts["summary"] == 1
        else:
            run = opencode(at.proxy.url, at.home, prompt)
            assert at.proxy.counts["side"] >= 1
    assert agent.well(run) and len(at.kept) == 1 and at.outputs == 60
    if agent is CODEX:
        windows = {one.headers["x-codex-window-id"].partition(":")[2] for one in at.up.asked}
        assert windows == {"0", "1"} and at.kept[0].requests >= 60
    else:
        assert sum("<conversation>" in json.dumps(one.body) for one in at.up.asked) == 1
        title = next(one for one in at.up.asked if not one.tools)
        assert title.body["messages"][0]["content"].startswith("You are a title generator")
        assert len(title.body["messages"]) == 3


def delegating(agent: Agent) -> dict[int, Any]:
    """What the model says so that a sub-agent works, by the number of the request."""
    if agent is CLAUDE:
        task = {"description": "slate", "prompt": TASK, "subagent_type": "general-purpose"}
        return {5: lambda request: said("", ("Agent", {**task, "run_in_background": False}))}
    if agent is OPENCODE:
        task = {"description": "slate", "prompt": TASK, "subagent_type": "general"}
        return {5: lambda request: said("", ("task", task))}

    def waits(request: Recorded) -> Any:
        made = re.search(r'"agent_id\W+([\w-]+)', json.dumps(request.body["input"][-1]))
        assert made
        targets = {"targets": [made[1]], "timeout_ms": 60_000}
        return said("", ("multi_agent_v1.wait_agent", targets))

    return {
        5: lambda request: said("", ("multi_agent_v1.spawn_agent", {"message": TASK})),
        6: waits,
    }


@each
def test_sub_agent(agent_home: Path, agent: Agent) -> None:
    """A sub-agent has a workspace of its own, and its parent's list none of its steps."""
    words = {"amber": "", "slate": "amber"}
    with serving(agent_home, agent, delegating(agent), words=words) as at:
        run = agent.first(at.proxy.url, at.home, "Run 30 steps of amber.")
    assert agent.well(run) and at.outputs == 33
    inner = [request for request in at.up.asked if delegated(request)]
    assert len([request for request in inner if request.tools]) == 4
    outer = [request for request in at.up.asked if not delegated(request)]
    assert not any(".out" in word for one in outer for word in re.findall(r"slate-\S+", str(one)))
    assert len(at.names) == 2 and folder(agent, run) in at.names


@pytest.mark.parametrize(
    ("agent", "models"),
    [(CLAUDE, ("claude-sonnet-4-5", "claude-opus-4-8")), (CODEX, ("", "gpt-5.1-codex-mini"))],
    ids=["claude", "codex"],
)
def test_another_model(agent_home: Path, agent: Agent, models: tuple[str, str]) -> None:
    """A session that goes on with another model is the same workspace. Reminders that Claude Code
    lists as system messages among the others, for a newer one alone, reach the model."""
    older, newer = models
    with serving(agent_home, agent) as at:
        url, home, more = at.proxy.url, at.home, "Run 40 steps of amber in part 2."
        if agent is CLAUDE:
            first = claude(url, home, "Run 20 steps of amber.", "--model", older)
            name = agent.session(first)
            other = claude(url, home, more, "--resume", name, "--model", newer)
            back = "Run 5 steps of amber in part 3."
            assert agent.well(claude(url, home, back, "--resume", name, "--model", older))
        else:
            first = codex(url, home, "Run 20 steps of amber.")
            other = codex(url, home, "resume", agent.session(first), "-m", newer, more)
    assert agent.well(first) and agent.well(other)
    assert len({request.body["model"] for request in at.up.asked}) == 2
    assert at.outputs == (65 if agent is CLAUDE else 60)
    assert at.names == {folder(agent, first)}


@each
def test_calls_of_loom_do_not_make_it_compact(agent_home: Path, agent: Agent) -> None:
    """Usage tells how long the list is, not what several requests took together: a client that
    compacts by it is left in peace while Loom's tools are answered."""
    asks = dict.fromkeys((30, 31, 32), lambda request: said("Looking.", RECALL))
    with serving(agent_home, agent, asks) as at:
        url, prompt = at.proxy.url, "Run 40 steps of amber."
        if agent is CODEX:
            run = codex(url, at.home, prompt, limit=60_000)
        elif agent is OPENCODE:
            run = opencode(url, at.home, prompt, context=70_000)
        else:
            run = claude(url, at.home, prompt, CLAUDE_CODE_AUTO_COMPACT_WINDOW="160000")
        assert at.proxy.counts["summary"] == 0
    assert agent.well(run) and at.outputs == 40
    assert len([request for request in at.up.asked if request.tools]) == 44
    bare = [request for request in at.up.asked if not request.tools]
    assert len(bare) == (1 if agent is OPENCODE else 0)
