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


def test_without_a_folder_it_is_the_workspace_s_own(tmp_path: Path) -> None:
    """What is saved is found when the same workspace is opened again, and by no other."""
    for name, found in (("w", []), ("w", ["something"]), ("x", [])):
        with loom.open(tmp_path / name, durable=False) as ctx:
            assert [one.memory.text for one in ctx.memory.query("something")] == found
            assert ctx.memory.notes is None
            if name == "w":
                ctx.memory.save("something", key="one")


def test_without_any_folder_there_is_none() -> None:
    """It says what to give where the workspace is no folder."""
    with loom.open(MemoryStore()) as ctx, pytest.raises(NoLongTerm, match=r"loom\.Memory"):
        ctx.memory.save("something")


def test_an_engine_that_is_none(tmp_path: Path) -> None:
    """It is refused at once."""
    with pytest.raises(LoomError, match="no engine"):
        loom.open(tmp_path / "x", capabilities=[loom.Memory(tmp_path, "stone")], durable=False)


def test_another_session_finds_it(opened: Opened) -> None:
    """By its words, with where it is from; the model's own recall tells it too, marked."""
    with opened("one") as ctx:
        saved = ctx.memory.save("The staging database is db7.", key="staging")
        assert saved.source.startswith(ctx.window.config.key)
    with opened("two") as ctx:
        assert [one.memory for one in ctx.memory.query("staging database")] == [saved]
        ctx.reply(loom.Reply((loom.ToolCall("c", "recall", '{"query": "staging database"}'),)))
        told = ctx.history.restore(1).results["c"]
        assert f"[memory {saved.id}, " in told and saved.text in told


def test_what_was_recalled_is_no_new_memory(opened: Opened) -> None:
    """Its line leads to the memory it shows; what is said beside it is kept alone."""
    with opened("one") as ctx:
        saved = ctx.memory.save("The staging database is db7.")
        ctx.reply(loom.Reply((loom.ToolCall("c", "recall", '{"query": "staging database"}'),)))
        shown = "from earlier sessions:" + ctx.history.restore(1).results["c"].split("sessions:")[1]
        assert ctx.memory.save(shown) == saved
        assert ctx.memory.save(f"{shown}\nIts port is 5433.").text == "Its port is 5433."


def test_a_later_one_of_a_key_takes_its_place(opened: Opened) -> None:
    """Only the later one is found."""
    with opened("one") as ctx:
        ctx.memory.save("The staging database is db7.", key="staging")
        later = ctx.memory.save("The staging database is db9.", key="staging")
        assert [one.memory for one in ctx.memory.query("staging database")] == [later]


def test_an_entry_is_promoted(opened: Opened) -> None:
    """What a step held becomes a memory that names the step; secrets stay out of both."""
    with opened("one") as ctx:
        ctx.reply(loom.Reply((loom.ToolCall("c", "Bash", '{"command": "uname"}'),)))
        ctx.result("c", "Linux of the staging host, AKIAQ7L3MZ5XW2RT6VBN")
        made = ctx.memory.promote("step_0001")
        assert "step_0001" in made.source and "Linux of the staging host" in made.text
        assert "AKIA" not in made.text
