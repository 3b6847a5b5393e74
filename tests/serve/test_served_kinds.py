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
from tests.serve.proxies import ServedProxy
from tests.serve.scripts import compacting
from tests.serve.steps import Steps, delegated, printed
from tests.serve.test_served import each, folder, kept, sound, taken
from tests.serve.upstream import COUNT, Answer, Recorded, Upstream

TASK = "Take 3 steps of slate."


def test_claude_compacts(agent_home: Path) -> None:
    """`/compact` gets the window with its question behind it; the workspace goes on, and has what
    left the client's list."""
    steps, home = Steps(2_000), agent_home / "home"
    with Upstream(steps) as up, ServedProxy(up.url, agent_home / "ws") as proxy:
        first = claude(proxy.url, home, "Run 40 steps of amber.")
        name = CLAUDE.session(first)
        summed = CLAUDE.on(proxy.url, home, name, "/compact")
        after = CLAUDE.on(proxy.url, home, name, "Run 40 steps of amber in part 2.")
        taken(proxy)
        assert proxy.counts["summary"] == 1
    assert [CLAUDE.well(run) for run in (first, summed, after)] == [True] * 3
    sound(up, steps)
    (asked,) = [request for request in up.asked if compacting(request)]
    assert asked.size <= max(request.size for request in up.asked)
    (one,) = kept(proxy, home)
    assert len(one.results) == 80
    assert [path.name for path in proxy.workspaces] == [folder(CLAUDE, first)]


def test_codex_compacts(agent_home: Path) -> None:
    """Past its own limit Codex asks for a summary and numbers a new window: the same workspace."""
    full = Answer(said("Much.", CODEX.command("true")), (250_000, 9))
    steps, home = Steps(800, {30: lambda request: full}), agent_home / "home"
    with Upstream(steps) as up, ServedProxy(up.url, agent_home / "ws", CODEX.window) as proxy:
        run = codex(proxy.url, home, "Run 60 steps of amber.", limit=200_000)
        taken(proxy)
        assert proxy.counts["summary"] == 1
    assert CODEX.well(run)
    sound(up, steps)
    assert {one.headers["x-codex-window-id"].partition(":")[2] for one in up.asked} == {"0", "1"}
    (one,) = kept(proxy, home)
    assert one.requests >= 60
    assert len(printed(home / "work")) == 60


def test_opencode_compacts(agent_home: Path) -> None:
    """Near the context it was told of opencode asks for a summary in words of its own, and the
    shorter list is the same workspace."""
    full = Answer(said("Much.", OPENCODE.command("true")), (195_000, 9))
    steps, home = Steps(800, {30: lambda request: full}), agent_home / "home"
    with Upstream(steps) as up, ServedProxy(up.url, agent_home / "ws", OPENCODE.window) as proxy:
        run = opencode(proxy.url, home, "Run 60 steps of amber.")
        taken(proxy)
    assert OPENCODE.well(run)
    sound(up, steps)
    assert sum("<conversation>" in json.dumps(one.body) for one in up.asked) == 1
    assert len(kept(proxy, home)) == 1
    assert len(printed(home / "work")) == 60


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
    steps, home = Steps(agent.lines, delegating(agent)), agent_home / "home"
    with Upstream(steps) as up, ServedProxy(up.url, agent_home / "ws", agent.window) as proxy:
        run = agent.first(proxy.url, home, "Run 30 steps of amber.")
        taken(proxy)
    assert agent.well(run)
    sound(up, steps, amber="", slate="amber")
    kept(proxy, home)
    inner = [request for request in up.asked if delegated(request)]
    assert len([request for request in inner if request.tools]) == 4
    outer = [request for request in up.asked if not delegated(request)]
    assert not any(".out" in word for one in outer for word in re.findall(r"slate-\S+", str(one)))
    assert len(printed(home / "work")) == 33
    assert len(proxy.workspaces) == 2
    assert folder(agent, run) in [path.name for path in proxy.workspaces]


def test_title_is_no_turn(agent_home: Path) -> None:
    """opencode's question for a title goes on as it came, whenever it comes."""
    steps, home = Steps(10), agent_home / "home"
    with Upstream(steps) as up, ServedProxy(up.url, agent_home / "ws", OPENCODE.window) as proxy:
        run = opencode(proxy.url, home, "Run 2 steps of amber.")
        taken(proxy)
        assert proxy.counts["side"] == 1
    assert OPENCODE.well(run)
    (title,) = [request for request in up.asked if not request.tools]
    assert title.body["messages"][0]["content"].startswith("You are a title generator")
    assert len(title.body["messages"]) == 3


def test_counts_go_on(agent_home: Path) -> None:
    """`/context` counts at the provider, and is no conversation."""
    steps, home = Steps(10), agent_home / "home"
    with Upstream(steps) as up, ServedProxy(up.url, agent_home / "ws") as proxy:
        name = CLAUDE.session(claude(proxy.url, home, "Run 2 steps of amber."))
        CLAUDE.on(proxy.url, home, name, "/context")
        taken(proxy)
        assert proxy.counts["other"] == sum(request.path == COUNT for request in up.requests) > 0
    assert len(proxy.workspaces) == 1


def test_system_messages_between(agent_home: Path) -> None:
    """Reminders that Claude Code lists as system messages among the others reach the model, and an
    older model's session may go on with a newer one."""
    steps, home = Steps(2_000), agent_home / "home"
    older, new = ("--model", "claude-sonnet-4-5"), ("--model", "claude-opus-4-8")
    with Upstream(steps) as up, ServedProxy(up.url, agent_home / "ws") as proxy:
        first = claude(proxy.url, home, "Run 20 steps of amber.", *older)
        name = CLAUDE.session(first)
        newer = claude(proxy.url, home, "Run 40 steps of amber in part 2.", "--resume", name, *new)
        back = claude(proxy.url, home, "Run 5 steps of amber in part 3.", "--resume", name, *older)
        taken(proxy)
    assert [CLAUDE.well(run) for run in (first, newer, back)] == [True] * 3
    sound(up, steps)
    assert len({request.body["model"] for request in up.asked}) == 2
    assert len(printed(home / "work")) == 65
    kept(proxy, home)
    assert [path.name for path in proxy.workspaces] == [folder(CLAUDE, first)]


def test_codex_with_another_model(agent_home: Path) -> None:
    """A thread that goes on with another model is the same workspace."""
    steps, home = Steps(800), agent_home / "home"
    with Upstream(steps) as up, ServedProxy(up.url, agent_home / "ws", CODEX.window) as proxy:
        first = codex(proxy.url, home, "Run 20 steps of amber.")
        words = (
            CODEX.session(first),
            "-m",
            "gpt-5.1-codex-mini",
            "Run 20 steps of amber in part 2.",
        )
        other = codex(proxy.url, home, "resume", *words)
        taken(proxy)
    assert [CODEX.well(run) for run in (first, other)] == [True] * 2
    sound(up, steps)
    assert len({request.body["model"] for request in up.asked}) == 2
    kept(proxy, home)
    assert [path.name for path in proxy.workspaces] == [folder(CODEX, first)]


@pytest.mark.parametrize("cut", [*range(1, 14)])
def test_codex_cut_at_each_event(agent_home: Path, cut: int) -> None:
    """Codex lists the items that were whole when its stream broke off; a reasoning item may be the
    last of them, and the request is still lawful."""
    broken = Answer(said("Half.", CODEX.command("true"), thought="Let me think."), cut=cut)
    steps, home = Steps(800, {3: lambda request: broken}), agent_home / "home"
    with Upstream(steps) as up, ServedProxy(up.url, agent_home / "ws", CODEX.window) as proxy:
        run = codex(proxy.url, home, "Run 4 steps of amber.")
        taken(proxy)
    assert CODEX.well(run), run.out[-500:]
    sound(up, steps)
    kept(proxy, home)


@each
def test_calls_of_loom_do_not_make_it_compact(agent_home: Path, agent: Agent) -> None:
    """Usage tells how long the list is, not what several requests took together: a client that
    compacts by it is left in peace while Loom's tools are answered."""
    recall = ("recall", {"query": "amber"})
    asks = {at: lambda request: said("Looking.", recall) for at in (30, 31, 32)}
    steps, home = Steps(agent.lines, asks), agent_home / "home"
    with Upstream(steps) as up, ServedProxy(up.url, agent_home / "ws", agent.window) as proxy:
        prompt = "Run 40 steps of amber."
        if agent is CODEX:
            run = codex(proxy.url, home, prompt, limit=60_000)
        elif agent is OPENCODE:
            run = opencode(proxy.url, home, prompt, context=70_000)
        else:
            run = claude(proxy.url, home, prompt, CLAUDE_CODE_AUTO_COMPACT_WINDOW="160000")
        taken(proxy)
        assert proxy.counts["summary"] == 0
    assert agent.well(run)
    sound(up, steps)
    assert len([request for request in up.asked if request.tools]) == 44
    assert len(printed(home / "work")) == 40
    bare = [request for request in up.asked if not request.tools]
    assert len(bare) == (1 if agent is OPENCODE else 0)


@each
@pytest.mark.parametrize("cut", [0, 1, 3, 5, 8, 12])
def test_cut_behind_a_call_of_loom(agent_home: Path, agent: Agent, cut: int) -> None:
    """The stream breaks off in the reply behind one whose call was answered here: the client asks
    again by the list it has, or ends as it does without the proxy, and goes on when resumed."""
    recall = said("Looking.", ("recall", {"query": "amber"}))
    broken = Answer(said("Half.", agent.command("true")), cut=cut)
    steps = Steps(agent.lines, {8: lambda request: recall, 9: lambda request: broken})
    home = agent_home / "home"
    with Upstream(steps) as up, ServedProxy(up.url, agent_home / "ws", agent.window) as proxy:
        run = agent.first(proxy.url, home, "Run 12 steps of amber.")
        assert agent.well(run) or agent is CLAUDE
        again = agent.on(proxy.url, home, agent.session(run), "Run 3 steps of amber in part 2.")
        taken(proxy)
    assert agent.well(again), again.out[-500:]
    sound(up, steps)
    kept(proxy, home)
    assert len(proxy.workspaces) == 1
