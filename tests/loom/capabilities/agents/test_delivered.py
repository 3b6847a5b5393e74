"""A result is what its agent delivered, an event of Loom's own is Loom's, a child has a goal."""

from __future__ import annotations

from pathlib import Path

import pytest

import loom


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The folder of a parent."""
    return tmp_path / "w"


def test_a_result_that_was_edited(home: Path) -> None:
    """It is told as damaged, and nothing of it is taken."""
    with loom.open(home, durable=False) as ctx:
        with ctx.agents.spawn("look") as child:
            child.agents.deliver("found ONE")
        file = home / "agents" / "agent-1" / "capsule.json"
        file.chmod(0o644)
        file.write_bytes(file.read_bytes().replace(b"found ONE", b"EVIL TWO!"))
        found = ctx.agents.join("agent-1")
        assert found.status == "failed"
        assert "not the one that was delivered" in found.error
        assert "EVIL" not in str(ctx.turn().request())


def test_a_lost_child_has_no_record(home: Path) -> None:
    """What the parent itself says of it stands."""
    with loom.open(home, durable=False) as ctx:
        ctx.agents.spawn("look").close()
        ctx.agents.give_up("agent-1", "its machine is gone")
        assert ctx.agents.join("agent-1").status == "lost"


@pytest.mark.parametrize("topic", ["agent.spawn", "agent.result"])
def test_topics_of_looms_own(home: Path, topic: str) -> None:
    """Nobody emits them, through whichever door; nothing is written."""
    with loom.open(home, durable=False) as ctx:
        for emit in (ctx.agents.emit, ctx.agents.bus.emit):
            with pytest.raises(loom.BadEvent, match="told by Loom itself"):
                emit(topic, {"agent": "agent-1"})
        assert ctx.agents.bus.since() == []


@pytest.mark.parametrize("goal", ["", " \n"])
def test_a_child_without_a_goal(home: Path, goal: str) -> None:
    """It is refused, and nobody is spawned."""
    with loom.open(home, durable=False) as ctx:
        with pytest.raises(loom.LoomError, match="the goal is empty"):
            ctx.agents.spawn(goal)
        assert ctx.agents.children == {}
