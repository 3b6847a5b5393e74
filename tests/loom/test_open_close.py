"""Opening and closing, interrupted anywhere: whoever does it again has the workspace, or is rid
of it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

import loom
from tests.loom.interrupt import Interrupt, Place

NEAR = ("loom/opening.py", "loom/engine/archive/workspace.py", "paging/loom_paging/lock.py")
SIMULATED = os.environ.get("HYPOTHESIS_PROFILE") == "simulate"
# Of the lines near, of the others of paging, and of all others, one in so many to save time.
NEXT, FEW, SAMPLE = 5, 6, 90
# Interrupted at the end of a `with`, a file that was read is left for the collector to close.
ABANDONED = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
When = tuple[Place | None, int]  # a line, and which time it is reached
NEVER: When = (None, 1)
PLAIN: dict[str, Any] = {"durable": False, "window": 8_000}


def settings(path: Path, whole: bool) -> dict[str, Any]:
    """Arguments of `loom.open`: few, or with a project, memory and a thread that looks."""
    if not whole:
        return PLAIN
    project = path / "project"
    project.mkdir(exist_ok=True)
    (project / "AGENTS.md").write_text("# Rules\n")
    return {
        **PLAIN,
        "project": project,
        "capabilities": [loom.Memory(path / "memory"), loom.Heartbeat(60.0)],
    }


def times(seen: dict[Place, int]) -> list[When]:
    """The first and the last time of each line: at the end of its block a `with` comes again."""
    return [(place, time) for place, last in seen.items() for time in sorted({1, last})]


def chosen(seen: dict[Place, int], start: int) -> list[When]:
    """A fifth of the lines that may matter most, and some of the others; in a long run all."""
    if SIMULATED:
        return times(seen)
    near = {place: last for place, last in seen.items() if place[0].startswith(NEAR)}
    rest = {place: last for place, last in seen.items() if place not in near}
    paging = {place: last for place, last in rest.items() if place[0].startswith("paging/")}
    far = {place: last for place, last in rest.items() if place not in paging}
    return [*times(near)[start::NEXT], *times(paging)[start::FEW], *times(far)[start::SAMPLE]]


def opened_again(path: Path, given: dict[str, Any], at: When = NEVER) -> dict[Place, int]:
    """Open, and once more within `except` where that is interrupted; the lines of the first."""
    interrupt = Interrupt(*at)
    try:
        with interrupt:
            ctx = loom.open(path, **given)
    except KeyboardInterrupt:  # the traceback still holds what the interrupted call had
        ctx = loom.open(path, **given)
    ctx.user("Go on.")
    ctx.turn()
    ctx.close()
    loom.open(path, **given).close()
    return interrupt.seen


@ABANDONED
@pytest.mark.parametrize(("known", "whole"), [(False, False), (True, True)])
def test_opening_interrupted_at_any_line(tmp_path: Path, known: bool, whole: bool) -> None:
    """It can be opened at once, within the `except` that caught the interrupt."""
    given = settings(tmp_path, whole)
    template = tmp_path / "template"
    if known:
        loom.open(template, **given).close()
    else:
        template.mkdir()
    shutil.copytree(template, tmp_path / "calm")
    for number, at in enumerate(chosen(opened_again(tmp_path / "calm", given), int(whole))):
        path = tmp_path / f"run{number}"
        shutil.copytree(template, path)
        try:
            opened_again(path, given, at)
        except loom.PagingError as error:
            raise AssertionError(f"interrupted at {at}") from error
        shutil.rmtree(path)


def closed_again(path: Path, given: dict[str, Any], half: bool, at: When = NEVER) -> Interrupt:
    """Close, and once more where that is interrupted; `half` leaves a call that did not return."""
    ctx = loom.open(path, **given)
    ctx.user("Keep this.")
    if "memory" in given:
        ctx.memory.save("the build takes a minute")
    if half:
        ctx._engine.workspace.doubt()
    interrupt = Interrupt(*at)
    try:
        with interrupt:
            ctx.close()
    except KeyboardInterrupt:
        ctx.close()
    with loom.open(path, **given) as again:
        assert "Keep this." in repr(again.turn().messages)
    return interrupt


@ABANDONED
@pytest.mark.parametrize(("half", "whole"), [(True, False), (False, True)])
def test_closing_interrupted_at_any_line(tmp_path: Path, half: bool, whole: bool) -> None:
    """Closed again, the workspace is free and holds what was acknowledged."""
    given = settings(tmp_path, whole)
    found = times(closed_again(tmp_path / "calm", given, half).seen)
    for number, at in enumerate(found if SIMULATED else found[int(whole) :: 4]):
        path = tmp_path / f"run{number}"
        try:
            assert closed_again(path, given, half, at).raised
        except loom.PagingError as error:
            raise AssertionError(f"interrupted at {at}") from error
        shutil.rmtree(path)


def test_files_that_cannot_be_closed_do_not_keep_the_lock(tmp_path: Path) -> None:
    """The error of the store is raised, and the workspace is free."""

    def failing() -> None:
        raise OSError(5, "input/output error")

    ctx = loom.open(tmp_path / "w", **PLAIN)
    close = ctx._engine.workspace.store.close  # type: ignore[attr-defined]
    ctx._engine.workspace.store.close = failing  # type: ignore[attr-defined]
    with pytest.raises(OSError, match="input/output"):
        ctx.close()
    loom.open(tmp_path / "w", **PLAIN).close()
    ctx._engine.workspace.store.close = close  # type: ignore[attr-defined]
    ctx.close()


def test_memory_that_cannot_be_closed_does_not_keep_the_lock(tmp_path: Path) -> None:
    """What outlives the session has its own files; the workspace is free all the same."""

    def failing() -> None:
        raise OSError(5, "input/output error")

    ctx = loom.open(tmp_path / "w", capabilities=[loom.Memory(tmp_path / "m")], **PLAIN)
    ctx.memory.save("the build takes a minute")
    kept = ctx.memory._kept.open()
    close, kept.close = kept.close, failing  # type: ignore[method-assign]
    with pytest.raises(OSError, match="input/output"):
        ctx.close()
    loom.open(tmp_path / "w", **PLAIN).close()
    kept.close = close  # type: ignore[method-assign]
    ctx.close()


@pytest.mark.parametrize("name", ["missing", "file"])
def test_a_project_that_is_no_folder(tmp_path: Path, name: str) -> None:
    """Refused with its name, before anything is written."""
    (tmp_path / "file").write_text("")
    with pytest.raises(loom.LoomError, match="no folder; give the agent's working folder"):
        loom.open(tmp_path / "w", project=tmp_path / name)
    assert not (tmp_path / "w").exists()
