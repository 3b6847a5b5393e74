"""Opening holds the newest snapshot against the journal, which stands."""

from __future__ import annotations

import shutil
import warnings
from pathlib import Path

import pytest
from msgspec.structs import replace

import loom
from loom.cli import main
from loom_partitions.records import Finished
from tests.kit.opened import plain
from tests.kit.step import step

SCHEMA_1 = Path(__file__).parents[3] / "golden" / "schema-1"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace that was renewed twice."""
    with plain(tmp_path / "w", window=8_000, goal="Mend it.") as ctx:
        for number in range(2):
            ctx.working.plan([f"item {number}"])
            step(ctx, 200)
            ctx.turn()
            ctx.renew()
    return tmp_path / "w"


def opened(folder: Path) -> list[loom.SnapshotWarning]:
    """Return what opening a workspace warns of; the plan is that of the journal in any case."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        with loom.open(folder, durable=False) as ctx:
            assert ctx.window.working.plan[0].text == "item 1"
    return [one.message for one in told if isinstance(one.message, loom.SnapshotWarning)]


def test_one_of_an_earlier_schema_opens_silently(tmp_path: Path) -> None:
    """Its snapshots are C_working alone."""
    shutil.copytree(SCHEMA_1, tmp_path / "w")
    (tmp_path / "w" / "journal").chmod(0o700)  # as Loom makes it; a checkout goes by the umask
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        loom.open(tmp_path / "w", durable=False).close()


def test_a_damaged_snapshot_is_told(folder: Path) -> None:
    """The warning names file and commit; the workspace opens; the check finds the file."""
    newest = sorted((folder / "snapshots").iterdir())[-1]
    newest.write_bytes(newest.read_bytes().replace(b"item 1", b"item 7"))
    (told,) = opened(folder)
    assert told.damaged and told.snapshot == f"snapshots/{newest.name}" and told.commit > 0
    assert newest.name in str(told) and f"commit {told.commit} " in str(told)
    assert main(["check", str(folder)]) == 1


def test_a_snapshot_that_says_other_than_the_journal_is_told(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whole, but of another C_working: told by the members that differ, with exit 1."""
    with loom.open(folder, durable=False) as ctx:
        engine = ctx._engine
        plan = ctx.window.working.plan
        other = replace(ctx.window, working=replace(ctx.window.working, goal=None, plan=()))
        engine.commit(Finished("x", *engine.snapshot(other, other, "finish")))
        engine.workspace.acknowledge()
        ctx.working.plan([(item.text, item.state) for item in plan])
    (told,) = opened(folder)
    assert not told.damaged and "goal, plan are not as the journal folds" in str(told)
    capsys.readouterr()
    assert main(["check", str(folder)]) == 1
    assert "goal, plan" in capsys.readouterr().out
