"""What the tools answer over a workspace, without a server."""

from __future__ import annotations

from pathlib import Path

import pytest

import loom
from loom.mcp import answers
from loom.mcp.answers import answer_reading, answer_working, open_reader
from tests.kit.opened import plain


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace with one long page, `shell_0001`."""
    with plain(tmp_path / "w") as ctx:
        ctx.reply(loom.Reply((loom.ToolCall("c1", "Bash", "{}"),)))
        ctx.result("c1", "".join(f"line {at}\n" for at in range(20_000)))
        ctx.turn()
    return tmp_path / "w"


def test_a_lock_held_for_a_moment_is_waited_for(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hook has it while it puts a result on a page: the note is kept when that is over."""
    writer = plain(folder)
    pauses: list[float] = []

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 3:
            writer.close()

    monkeypatch.setattr(answers.time, "sleep", pause)
    assert answer_working(folder, {"action": "note", "text": "kept"}).text == "ok"
    assert len(pauses) == 3
    with plain(folder) as ctx:
        assert "kept" in ctx.page_in("working/scratchpad.md").text


def test_reading_writes_nothing(folder: Path) -> None:
    """Every file of the workspace stays as it was, its index of recall among them."""

    def held() -> dict[str, bytes]:
        return {str(one): one.read_bytes() for one in folder.rglob("*") if one.is_file()}

    before = held()
    engine = open_reader(folder)
    for name, given in (("page_in", {"ref": "shell_0001"}), ("recall", {"query": "line 77"})):
        assert not answer_reading(engine, name, given).error
    engine.workspace.close()
    assert held() == before


def test_what_stands_in_the_window_is_brought_back_all_the_same(folder: Path) -> None:
    """Who asks here may have another window: nothing is refused as standing there."""
    with loom.open(folder, policy=loom.Policy(own_tools=True), durable=False) as ctx:
        for number in (2, 3):
            given = '{"ref": "shell_0001", "lines": "5-6"}'
            ctx.reply(loom.Reply((loom.ToolCall(f"c{number}", "page_in", given),)))
    made = answer_reading(open_reader(folder), "page_in", {"ref": "shell_0001", "lines": "5-6"})
    assert "line 4\nline 5" in made.text and "stands above" not in made.text
