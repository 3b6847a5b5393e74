"""Retired pages in a workspace: told everywhere as let go, their files removed when it is safe."""

import json
import shutil
from pathlib import Path

import pytest

import loom
from loom.cli import main
from loom.session.archive.workspace import Workspace
from loom_partitions.records import Sifted
from tests.kit.opened import Open, opened_with
from tests.kit.step import own, step

opened = opened_with(window=8_192)


def outputs(folder: Path) -> set[str]:
    """The names of the pages that lie in a workspace."""
    return {f"outputs/{path.name}" for path in (folder / "outputs").glob("*_*")}


def retire(ctx: loom.Context, *pages: str, why: str = "expired") -> None:
    """Retire pages, as a call of the context would."""
    engine = ctx._engine
    with engine.lock, engine.atomic:
        engine.commit(Sifted(pages, why))


def worked(ctx: loom.Context, steps: int = 12) -> list[str]:
    """Steps with a page each, most of which a renewal took out of the window; their pages."""
    for number in range(steps):
        step(ctx, 60, tool="Read", args={"path": f"f{number}.py"})
    ctx.renew(0)
    ctx.user("On.")
    return [name for name in ctx._engine.workspace.pager.table if "read" in name]


@pytest.mark.parametrize("checkpoint", [True, False])
def test_what_is_left_goes_at_the_next_opening(
    opened: Open, tmp_path: Path, checkpoint: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    """A removal that was cut short is a note of the check, and ends when it is opened to write."""
    ctx = opened()
    first, second, *_ = worked(ctx)
    shutil.copytree(tmp_path / "w" / "outputs", tmp_path / "before")
    retire(ctx, first, second)
    if checkpoint:
        ctx.renew()
    ctx.close()
    shutil.copy(tmp_path / "before" / Path(first).name, tmp_path / "w" / first)
    assert main(["check", str(tmp_path / "w"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [(one["kind"], one["where"]) for one in found["notes"]] == [("retired", first)]
    assert found["retired"] == 2
    Workspace.at_path(tmp_path / "w", write=False).close()
    assert first in outputs(tmp_path / "w")
    opened()
    assert first not in outputs(tmp_path / "w")


def test_every_command_tells_of_them(
    opened: Open, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`pages`, `cat`, `log`, `stat`, `top` and `check` know what was retired."""
    ctx = opened()
    first, second, *_ = worked(ctx)
    retire(ctx, first, second)
    ctx.close()
    folder = str(tmp_path / "w")

    def said(code: int, *command: str) -> str:
        assert main([command[0], folder, *command[1:]]) == code
        return capsys.readouterr().out

    rows = json.loads(said(0, "pages", "--json"))["pages"]
    assert {row["name"]: row["retired"] for row in rows}[first] == "expired"
    assert "expired" in said(0, "pages")
    assert json.loads(said(2, "cat", first, "--json"))["kind"] == "Expired"
    assert "2 pages" in said(0, "log", "--kind", "Sifted") and "read_0001" in first
    told = json.loads(said(0, "stat", "--json"))
    assert (told["retired"], told["pages"]) == (2, len(outputs(tmp_path / "w")))
    assert "; 2 retired" in said(0, "stat")
    assert json.loads(said(0, "top", "--once", "--json"))["pages"] == told["pages"]
    assert ", 2 retired" in said(0, "check")


def test_what_asks_for_one_is_told(opened: Open, tmp_path: Path) -> None:
    """page_in and restore raise Expired, the model's page_in a line, recall says it is gone."""
    ctx = opened()
    first, *_ = worked(ctx)
    entry = next(
        f"step_{id:04d}" for id in ctx._engine.workspace.index.commits if _holds(ctx, id, first)
    )
    assert "f0.py" in ctx.recall("f0.py", 2_000) and first in ctx.recall("line", 9_000)
    retire(ctx, first)
    for again in (False, True):
        if again:
            ctx.close()
            (tmp_path / "w" / "index.db").unlink()
            ctx = opened()
        for ask in (ctx.page_in, ctx.history.payload):
            with pytest.raises(loom.errors.Expired, match="retired"):
                ask(first)
        assert len(ctx.history.restore(entry).retired) == 1
        told = ctx.recall("line", 9_000)
        assert "not searched" not in told and first not in told.partition("(they match")[0]
        assert again or f"they match, but are no longer kept: {first}" in told
    said, failed = own(ctx, "page_in", {"ref": "read_0001"})
    whole, lost = own(ctx, "page_in", {"ref": entry})
    assert not lost and "[call " in whole and "f0.py" in whole
    assert "is retired: its bytes are no longer kept" in whole and "line 1" not in whole
    assert failed and "read_0001.txt is retired" in said and "loom check" not in said


def _holds(ctx: loom.Context, entry: int, page: str) -> bool:
    return any(page in str(record) for record in ctx._engine.workspace.about(entry))


def test_a_step_comes_back_around_what_was_let_go(opened: Open) -> None:
    """Its words and its other results are whole; a line stands for the one whose page went."""
    ctx = opened()
    for number in range(12):
        said = loom.Speech(f"What I found in step {number}.")
        calls = [loom.ToolCall(f"{id}{number}", "shell", "{}") for id in "ab"]
        ctx.reply(loom.Reply((said, *calls)))
        ctx.result(f"a{number}", "".join(f"row {row} of {number}\n" for row in range(300)))
        ctx.result(f"b{number}", "small")
        ctx.turn()
    ctx.renew(0)
    ctx.turn()
    ctx.history.gc(loom.Retention(quota=1, horizon=1, ttl={"shell": 0.0}), apply=True)
    for number in range(8):
        step = ctx.history.restore(f"step_{number + 1:04d}")
        assert step.reply.parts[0].text == f"What I found in step {number}."
        assert step.results[f"b{number}"] == "small" and step.retired == (f"a{number}",)
        assert "retired" in step.results[f"a{number}"] and "\n" not in step.results[f"a{number}"]
        assert f"What I found in step {number}." in ctx.page_in(step.name).text
