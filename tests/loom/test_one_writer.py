"""One writer: not a forked child, not one whose folder is gone or another one now."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import pytest

import loom
from loom.inputs import Reply, ToolCall
from tests.kit.cases import all_cases

ACTS: dict[str, Callable[[loom.Context], object]] = {
    "user": lambda ctx: ctx.user("Go on."),
    "large user": lambda ctx: ctx.user("Go on. " * 400),
    "turn": lambda ctx: ctx.turn(),
    "reply": lambda ctx: ctx.reply(Reply((ToolCall("c1", "Bash", "{}"),))),
    "renew": lambda ctx: ctx.renew(),
}


def opened(path: Path) -> loom.Context:
    """A context with something in it."""
    ctx = loom.open(path, window=4_000)
    ctx.user("Build it. " * 300)
    return ctx


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_forked_while_a_thread_is_in_a_call_does_not_hang(tmp_path: Path) -> None:
    """The lock such a thread holds is never let go in the child, which is refused all the same."""
    ctx = opened(tmp_path / "w")
    with ctx._engine.guard:
        status: list[int] = []

        def forks() -> None:
            child = os.fork()
            if not child:
                try:
                    ctx.user("Mine?")
                except loom.errors.StoreReplaced:
                    ctx.close()
                    os._exit(7)
                os._exit(1)
            status.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))

        thread = Thread(target=forks)
        thread.start()
        thread.join(60)
    assert status == [7]
    ctx.close()


@all_cases("act", ACTS)
@all_cases("change", ["removed", "replaced", "restored"])
def test_a_folder_that_is_another_one_now_is_not_written(
    tmp_path: Path, act: str, change: str
) -> None:
    """A typed error, and not a file in what lies there now."""
    path = tmp_path / "w"
    ctx = opened(path)
    if change == "restored":
        shutil.copytree(path, tmp_path / "backup")
    path.rename(tmp_path / "elsewhere")
    if change == "replaced":
        path.mkdir()
    elif change == "restored":
        (tmp_path / "backup").rename(path)
    before = sorted(path.rglob("*"))
    with pytest.raises(loom.errors.StoreReplaced, match="open it again"):
        ACTS[act](ctx)
    assert sorted(path.rglob("*")) == before
    ctx.close()


@pytest.mark.parametrize("part", ["LOCK", "journal", "journal/000001.jsonl"])
def test_a_part_that_vanished_stops_the_writer(tmp_path: Path, part: str) -> None:
    """Without its lock or its log a writer says so and adds nothing."""
    ctx = opened(tmp_path / "w")
    ctx.user("Before.")
    gone = tmp_path / "w" / part
    if gone.is_dir():
        shutil.rmtree(gone)
    else:
        gone.unlink()
    for _ in range(2):
        with pytest.raises(loom.errors.StoreReplaced):
            ctx.user("After.")
    assert not gone.exists()
    ctx.close()


def lived(path: Path, renewals: int) -> loom.Context:
    """A context whose journal has that many sealed segments, each with a commit or more."""
    ctx = opened(path)
    for number in range(renewals):
        ctx.turn()
        ctx.reply(Reply((ToolCall(f"c{number}", "Bash", "{}"),)))
        ctx.result(f"c{number}", "built\n" * 40)
        ctx.renew()
    return ctx


@pytest.mark.parametrize("since", [0, 1])
def test_a_backup_restored_in_place_stops_the_writer(tmp_path: Path, since: int) -> None:
    """Copied over the folder, which keeps its lock file: told at the next renewal at the latest,
    and nothing is written from then on."""
    path, backup = tmp_path / "w", tmp_path / "backup"
    ctx = lived(path, 1)
    shutil.copytree(path, backup)
    ctx.user("After the backup.")
    if since:
        ctx.renew()
        ctx.user("After a renewal.")
    shutil.copytree(backup, path, dirs_exist_ok=True)
    if since:
        ctx.user("Nobody looked yet.")
    journal = {file.name: file.read_bytes() for file in (path / "journal").iterdir()}
    for act in (ctx.renew, lambda: ctx.user("Mine."), ctx.renew):
        with pytest.raises(loom.errors.StoreReplaced):
            act()
    ctx.close()
    left = {file.name: file.read_bytes() for file in (path / "journal").iterdir()}
    assert left["000001.jsonl"] == journal["000001.jsonl"]
    assert left == journal
