"""What real clients write to disk is found, and read as what they did."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("uvicorn")

from loom.inputs import Reply, Result, Session
from loom.replay.finding import FoundSession, recorded_sessions, with_title
from loom.replay.importers import load
from tests.kit.scripted_server import said
from tests.serve.clients import claude, codex, opencode
from tests.serve.scripts import DONE, results, working
from tests.serve.upstream import Answer, Recorded, Upstream

AGENT = "x-claude-code-agent-id"


def recorded(home: Path) -> list[tuple[FoundSession, Session]]:
    """The sessions in a client's home, the newest first, each with what its file holds."""
    found = recorded_sessions(home, {})
    assert found.unreadable == ()
    return [(with_title(one), load(one.path)[0]) for one in found.sessions]


def outputs(session: Session) -> int:
    """How many results it has, none of them made."""
    assert not [note for note in session.mended if "was made" in note]
    return sum(isinstance(event, Result) for event in session.events)


def test_codex(agent_home: Path) -> None:
    """A rollout with a compaction of its own."""
    count = working(3, lines=3, thought="Let me count.")
    full = Answer(said("Next.", ("exec_command", {"cmd": "ls"})), (50_000, 9))

    def script(request: Recorded, n: int) -> Any:
        return full if n == 1 else count(request, n)

    with Upstream(script) as up:
        codex(up.url, agent_home, "Count to three.", limit=40_000)
    [(found, session)] = recorded(agent_home)
    assert found.title == "Count to three."
    assert found.project == str(agent_home / "work")
    assert outputs(session) == 5
    [compaction] = session.compactions
    assert compaction.before == 50_009
    assert 0 < compaction.after < 50_009 and compaction.wrote
    assert DONE in compaction.summary
    replies = [event for event in session.events if isinstance(event, Reply)]
    assert all(reply.prompt_tokens and reply.model for reply in replies)


def test_claude_code(agent_home: Path) -> None:
    """A session with a sub-agent's beside it, compacted by command."""
    task = {"description": "count", "prompt": "Count below.", "subagent_type": "general-purpose"}
    count = working(2, lines=3)

    def script(request: Recorded, n: int) -> Any:
        asks = AGENT not in request.headers and not results(request) and "Agent" in request.tools
        given = ("Agent", {**task, "run_in_background": False})
        return said("", given) if asks and n == 0 else count(request, n)

    with Upstream(script) as up:
        run = claude(up.url, agent_home, "Count.")
        name = str(run.lines[0]["session_id"])
        claude(up.url, agent_home, "/compact", "--resume", name)
    sessions = {session.name: (found, session) for found, session in recorded(agent_home)}
    [child] = [each for each in sessions if each != name]
    assert child.startswith(f"{name}/agent-")
    found, session = sessions[name]
    assert found.title == "Count."
    assert found.project == str(agent_home / "work")
    [compaction] = session.compactions
    assert compaction.trigger == "manual"
    assert compaction.before > compaction.after > 0
    assert outputs(session) == outputs(sessions[child][1]) == 2
    assert session.usage is not None and session.usage.output


def test_opencode(agent_home: Path) -> None:
    """Its database while its log is beside it: a session compacted by itself."""
    full = Answer(said("", ("bash", {"command": "ls", "description": "x"})), usage=(99_000, 9))
    count = working(1, lines=3)
    filled: list[int] = []

    def script(request: Recorded, n: int) -> Any:
        if request.tools and not filled:
            filled.append(n)
            return full
        return count(request, n)

    with Upstream(script) as up:
        opencode(up.url, agent_home, "Count.", context=100_000)
    [(found, session)] = recorded(agent_home)
    assert found.project == str(agent_home / "work")
    assert session.model == "scripted"
    assert outputs(session) == 2
    [compaction] = session.compactions
    assert (compaction.before, compaction.trigger) == (99_009, "auto")
    assert compaction.summary
