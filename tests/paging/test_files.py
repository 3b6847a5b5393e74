"""What is particular to files: modes, links, symbolic links, temporary files, syncs."""

from __future__ import annotations

from pathlib import Path

import pytest

from loom_paging import FileStore, MissingPage, PageExists, StoreReplaced
from loom_paging.snapshot import save


def refuse(self: Path, target: Path) -> None:
    """What a file system without hard links says."""
    raise PermissionError(1, "no hard links here")


def test_create_false_needs_a_folder(tmp_path: Path) -> None:
    """Opening what is not there without leave to make it raises and makes nothing."""
    with pytest.raises(MissingPage):
        FileStore(tmp_path / "none", create=False)
    assert not (tmp_path / "none").exists()


def test_a_log_removed_behind_the_writer_is_noticed(store: FileStore) -> None:
    """Bytes are not written to a file that has no name any more."""
    store.append("journal/log", b"x")
    (store.root / "journal/log").unlink()
    for _ in range(2):
        with pytest.raises(StoreReplaced, match="removed or replaced"):
            store.append("journal/log", b"y")
    (store.root / "journal/log").write_bytes(b"x")
    with pytest.raises(StoreReplaced):
        store.append("journal/log", b"y")
    assert (store.root / "journal/log").read_bytes() == b"x"


def test_a_failed_write_leaves_nothing(store: FileStore) -> None:
    """When the data cannot be written the name stays free and no temporary file stays."""
    with pytest.raises(TypeError):
        store.put("a", "text")  # type: ignore[arg-type]
    assert list(store.root.iterdir()) == []


def test_links_that_cannot_be_made_become_copies(
    store: FileStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a file system without hard links pages are still write-once, and links are copies."""
    monkeypatch.setattr(Path, "hardlink_to", refuse)
    store.put("a", b"x")
    with pytest.raises(PageExists):
        store.put("a", b"y")
    store.link("a", "b")
    assert (store.get("a"), store.get("b"), store.leftovers()) == (b"x", b"x", [])


def test_a_file_where_the_snapshots_should_be(store: FileStore) -> None:
    """Where no name can be had the search for one ends."""
    store.put("snapshots", b"x")
    with pytest.raises(PageExists):
        save(store, 1, b"{}")
