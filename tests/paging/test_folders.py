"""Folders that last: each one's parent is synced, or it is not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from loom_paging.folders import make_folder


def test_a_folder_that_is_there(tmp_path: Path) -> None:
    """Nothing is made and nothing synced."""
    synced: list[Path] = []
    make_folder(tmp_path, synced.append)
    assert synced == []


def test_every_parent_is_synced(tmp_path: Path) -> None:
    """Up to the first folder that stood before, each when its child is there."""
    synced: list[Path] = []

    def sync(folder: Path) -> None:
        assert len(list(folder.iterdir())) == 1
        synced.append(folder)

    make_folder(tmp_path / "a" / "b" / "c", sync)
    assert synced == [tmp_path, tmp_path / "a", tmp_path / "a" / "b"]


@pytest.mark.parametrize("fails", ["", "a", "a/b"])
def test_a_parent_that_cannot_be_synced(tmp_path: Path, fails: str) -> None:
    """Its child is taken away again, those above stay, and the next try syncs what is left."""
    synced: list[Path] = []
    bad = {tmp_path / fails}

    def sync(folder: Path) -> None:
        if folder in bad:
            bad.clear()
            raise OSError("Input/output error")
        synced.append(folder)

    with pytest.raises(OSError, match="Input/output"):
        make_folder(tmp_path / "a" / "b" / "c", sync)
    assert list((tmp_path / fails).iterdir()) == []
    make_folder(tmp_path / "a" / "b" / "c", sync)
    assert synced == [tmp_path, tmp_path / "a", tmp_path / "a" / "b"]
    assert (tmp_path / "a" / "b" / "c").is_dir()


def test_a_folder_others_use_stays(tmp_path: Path) -> None:
    """What another writer put in it meanwhile is not taken away with it."""

    def sync(folder: Path) -> None:
        (tmp_path / "a" / "file").touch()
        raise OSError("Input/output error")

    with pytest.raises(OSError, match="Input/output"):
        make_folder(tmp_path / "a", sync)
    assert (tmp_path / "a" / "file").is_file()
