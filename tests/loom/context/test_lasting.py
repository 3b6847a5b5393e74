"""Long-term memory through a context: saved here, found there, never saved twice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import loom
from loom.capabilities.memory import NoLongTerm
from loom.capabilities.memory.longterm import ENGINES
from loom.errors import LoomError
from loom_paging import MemoryStore

Opened = Callable[[str], loom.Context]


@pytest.fixture(params=sorted(ENGINES))
def opened(tmp_path: Path, request: pytest.FixtureRequest) -> Opened:
    """Open a workspace of that name on one folder for memory."""
    return lambda name: loom.open(
        tmp_path / name, capabilities=[loom.Memory(tmp_path / "kept", request.param)], durable=False
    )


def test_without_any_folder_there_is_none() -> None:
    """It says what to give where the workspace is no folder."""
    with loom.open(MemoryStore()) as ctx, pytest.raises(NoLongTerm, match=r"loom\.Memory"):
        ctx.memory.save("something")


def test_an_engine_that_is_none(tmp_path: Path) -> None:
    """It is refused at once."""
    with pytest.raises(LoomError, match="no engine"):
        loom.open(tmp_path / "x", capabilities=[loom.Memory(tmp_path, "stone")], durable=False)


def test_what_was_recalled_is_no_new_memory(opened: Opened) -> None:
    """Its line leads to the memory it shows; what is said beside it is kept alone."""
    with opened("one") as ctx:
        saved = ctx.memory.save("The staging database is db7.")
        ctx.reply(loom.Reply((loom.ToolCall("c", "recall", '{"query": "staging database"}'),)))
        shown = "from earlier sessions:" + ctx.history.restore(1).results["c"].split("sessions:")[1]
        assert ctx.memory.save(shown) == saved
        assert ctx.memory.save(f"{shown}\nIts port is 5433.").text == "Its port is 5433."


def test_an_entry_is_promoted(opened: Opened) -> None:
    """What a step held becomes a memory that names the step; secrets stay out of both."""
    with opened("one") as ctx:
        ctx.reply(loom.Reply((loom.ToolCall("c", "Bash", '{"command": "uname"}'),)))
        ctx.result("c", "Linux of the staging host, AKIAQ7L3MZ5XW2RT6VBN")
        made = ctx.memory.promote("step_0001")
        assert "step_0001" in made.source and "Linux of the staging host" in made.text
        assert "AKIA" not in made.text
