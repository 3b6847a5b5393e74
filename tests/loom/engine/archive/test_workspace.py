"""A workspace that goes back to what was acknowledged."""

from __future__ import annotations

from pathlib import Path

from tests.kit.opened import plain


def test_entries_are_found_after_going_back(tmp_path: Path) -> None:
    """What was acknowledged before can be restored as ever; what was not is gone."""
    with plain(tmp_path / "w") as ctx:
        ctx.user("Begin.")
        before = ctx.history.restore(1)
        workspace = ctx._engine.workspace
        assert not workspace.settle()
        workspace.doubt()
        assert workspace.settle()
        assert ctx.history.restore(1) == before
        assert before.text == "Begin."
