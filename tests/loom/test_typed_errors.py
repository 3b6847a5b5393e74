"""What the host does wrong at the edges has a type of its own, and leaves nothing behind."""

from __future__ import annotations

from pathlib import Path

import pytest

import loom


def test_a_file_is_no_workspace(tmp_path: Path) -> None:
    """loom.open on a file says so, and the file is as it was."""
    file = tmp_path / "notes.txt"
    file.write_text("mine")
    with pytest.raises(loom.LoomError, match=r"notes\.txt"):
        loom.open(file)
    assert file.read_text() == "mine"
    assert list(tmp_path.iterdir()) == [file]
