"""After a crash anywhere, the journal less its torn tail folds to a lawful window."""

import shutil
from pathlib import Path

import loom
from loom.inputs import Reply, Speech, ToolCall
from tests.kit.journal import lawful


def work(ctx: loom.Context, steps: int) -> None:
    """Drive some steps with results large enough for pages and cuts."""
    for number in range(steps):
        ctx.turn()
        call = ToolCall(f"call_{number}", "Bash", f'{{"command": "make part{number}"}}')
        ctx.reply(Reply((Speech(f"Part {number}."), call)))
        ctx.result(call.id, f"output {number}\n" * 150, error=number % 5 == 4)


def test_journal_cut_at_every_byte(tmp_path: Path) -> None:
    """Wherever the last commits were torn, the workspace opens lawfully and goes on."""
    whole = tmp_path / "whole"
    with loom.open(whole, window=3_000, durable=False) as ctx:
        ctx.user("Build every part.")
        work(ctx, 15)
    segment = sorted((whole / "journal").iterdir())[-1]
    data = segment.read_bytes()
    assert len(data) > 1_000
    for size in range(len(data), len(data) - 900, -7):
        torn = tmp_path / "torn"
        shutil.copytree(whole, torn)
        with (torn / "journal" / segment.name).open("r+b") as file:
            file.truncate(size)
        with loom.open(torn, durable=False) as ctx:
            assert lawful(ctx) == []
            for call in ctx.calls:
                ctx.result(call, "late")
            assert ctx.turn().pressure.rho < 1.0
            for entry in ctx._engine.workspace.index.commits:
                assert ctx.history.restore(entry).name
        shutil.rmtree(torn)
