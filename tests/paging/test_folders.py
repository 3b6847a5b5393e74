"""Folders that last: each one's parent is synced, or it is not there."""

from pathlib import Path

import pytest

from loom_paging.plain import make_private_folders


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
        make_private_folders(tmp_path / "a" / "b" / "c", sync)
    assert list((tmp_path / fails).iterdir()) == []
    make_private_folders(tmp_path / "a" / "b" / "c", sync)
    assert synced == [tmp_path, tmp_path / "a", tmp_path / "a" / "b"]
    assert (tmp_path / "a" / "b" / "c").is_dir()


def test_a_folder_others_use_stays(tmp_path: Path) -> None:
    """What another writer put in it meanwhile is not taken away with it."""

    def sync(folder: Path) -> None:
        (tmp_path / "a" / "file").touch()
        raise OSError("Input/output error")

    with pytest.raises(OSError, match="Input/output"):
        make_private_folders(tmp_path / "a", sync)
    assert (tmp_path / "a" / "file").is_file()
