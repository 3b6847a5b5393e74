"""Opening and closing, interrupted anywhere: whoever does it again has the workspace, or is rid
of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import loom

PLAIN: dict[str, Any] = {"durable": False, "window": 8_000}


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
