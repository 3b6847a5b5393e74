"""What is particular to files: modes, links, symbolic links, temporary files, syncs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from loom_paging import FileStore, MissingPage, OutsideStore, PageExists, StoreReplaced
from loom_paging.names import TEMPORARY
from tests.kit.cases import all_cases


def test_create_false_needs_a_folder(tmp_path: Path) -> None:
    """Opening what is not there without leave to make it raises and makes nothing."""
    with pytest.raises(MissingPage):
        FileStore(tmp_path / "none", create=False)
    assert not (tmp_path / "none").exists()


def test_modes_are_private(store: FileStore) -> None:
    """Files are 0600 and folders 0700, whatever made them."""
    store.put("outputs/a/page", b"x")
    store.append("journal/log", b"x")
    store.sketch("history/view", b"x")
    store.link("outputs/a/page", "outputs/b/link")
    modes = {path.is_dir(): set[int]() for path in store.root.rglob("*")}
    for path in [store.root, *store.root.rglob("*")]:
        modes[path.is_dir()].add(path.stat().st_mode & 0o777)
    assert modes == {True: {0o700}, False: {0o600}}


def test_link_shares_the_file(store: FileStore) -> None:
    """A link costs no second copy."""
    store.put("a", b"x")
    store.link("a", "new/b")
    assert (store.root / "a").stat().st_ino == (store.root / "new/b").stat().st_ino


def test_a_page_leaves_no_temporary(store: FileStore) -> None:
    """After put, sketch and a refused put only the named files are there."""
    store.put("a", b"x")
    store.sketch("b", b"x")
    with pytest.raises(PageExists):
        store.put("a", b"y")
    assert sorted(path.name for path in store.root.iterdir()) == ["a", "b"]


@all_cases("name", ["out", "folder/secret", "folder/new", "loop"])
def test_symbolic_links_out_of_the_root_are_refused(store: FileStore, name: str) -> None:
    """Nothing outside is read, written, replaced, listed or removed through a symbolic link."""
    outside = store.root.parent / "outside"
    outside.mkdir()
    (outside / "secret").write_bytes(b"secret")
    (store.root / "out").symlink_to(outside / "secret")
    (store.root / "folder").symlink_to(outside)
    (store.root / "loop").symlink_to(store.root / ".." / "outside" / "none")
    for call in (store.get, store.size, store.delete, store.has):
        with pytest.raises(OutsideStore):
            call(name)
    for write in (store.put, store.append, store.sketch):
        with pytest.raises(OutsideStore):
            write(name, b"x")
    assert store.names() == []
    assert [path.read_bytes() for path in outside.iterdir()] == [b"secret"]


def test_symbolic_link_to_the_root_is_followed(store: FileStore) -> None:
    """A store may be opened through a symbolic link to its folder."""
    alias = store.root.parent / "alias"
    alias.symlink_to(store.root)
    FileStore(alias, durable=False).put("a", b"x")
    assert store.get("a") == b"x"


def test_leftovers_are_no_names_and_are_swept(store: FileStore) -> None:
    """What a crash left half-written is listed apart, and sweep removes it and nothing else."""
    store.put("outputs/a", b"x")
    assert store.sweep() == []
    for name in (f"{TEMPORARY}1-0", f"outputs/{TEMPORARY}99-7"):
        (store.root / name).write_bytes(b"half")
    assert store.names() == ["outputs/a"]
    assert store.leftovers() == [f"{TEMPORARY}1-0", f"outputs/{TEMPORARY}99-7"]
    assert store.sweep() == [f"{TEMPORARY}1-0", f"outputs/{TEMPORARY}99-7"]
    assert store.leftovers() == []
    assert store.get("outputs/a") == b"x"


def test_the_lock_file_is_no_name(store: FileStore) -> None:
    """The lock file at the root is not listed."""
    (store.root / "LOCK").write_bytes(b"1")
    assert store.names() == []


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


def test_one_log_is_open_at_a_time(store: FileStore) -> None:
    """However many logs are written, one descriptor is held, and each log goes on."""
    held = len(list(Path("/proc/self/fd").iterdir())) if Path("/proc/self/fd").is_dir() else 0
    for turn in range(3):
        for number in range(40):
            store.append(f"journal/{number}", b"%d" % turn)
    assert {store.get(f"journal/{number}") for number in range(40)} == {b"012"}
    if held:
        assert len(list(Path("/proc/self/fd").iterdir())) <= held + 1


def test_a_failed_write_leaves_nothing(store: FileStore) -> None:
    """When the data cannot be written the name stays free and no temporary file stays."""
    with pytest.raises(TypeError):
        store.put("a", "text")  # type: ignore[arg-type]
    assert list(store.root.iterdir()) == []


def test_links_that_cannot_be_made_become_copies(
    store: FileStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a file system without hard links pages are still write-once, and links are copies."""

    def refuse(self: Path, target: Path) -> None:
        raise PermissionError(1, "no hard links here")

    monkeypatch.setattr(Path, "hardlink_to", refuse)
    store.put("a", b"x")
    with pytest.raises(PageExists):
        store.put("a", b"y")
    store.link("a", "b")
    assert (store.get("a"), store.get("b"), store.leftovers()) == (b"x", b"x", [])
    assert (store.root / "a").stat().st_ino != (store.root / "b").stat().st_ino


def test_close_keeps_the_store_usable(store: FileStore) -> None:
    """A log goes on after close."""
    store.append("log", b"a")
    store.close()
    store.append("log", b"b")
    assert store.get("log") == b"ab"


def test_a_sketch_waits_for_no_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A view can be made again, so it is not synced, as a page of the same store is."""
    store, synced = FileStore(tmp_path / "store"), list[int]()
    sync = os.fsync
    store.sketch("views/one", b"1")
    monkeypatch.setattr(os, "fsync", lambda file: (synced.append(file), sync(file)))
    store.sketch("views/one", b"2")
    assert ((store.root / "views/one").read_bytes(), synced) == (b"2", [])
    store.put("pages/one", b"1")
    assert synced
