"""Snapshots: saved durably, loaded verified, never in each other's way."""

from __future__ import annotations

import pytest

from loom_paging import CorruptPage, FileStore, MissingPage, PageExists
from loom_paging.snapshot import load, save


def test_a_snapshot_comes_back(store: FileStore) -> None:
    """Saving twice the same is a no-op, and loading gives the bytes."""
    ref = save(store, 1, b"{}")
    assert save(store, 1, b"{}") == ref
    assert store.names() == ["snapshots/working_0001.json"] == [ref.name]
    assert load(store, ref) == b"{}"


def test_a_stray_snapshot_blocks_nothing(store: FileStore) -> None:
    """Bytes a crash left under the number stay, and the new ones go beside them."""
    stray = save(store, 12, b"stray")
    ref = save(store, 12, b"new")
    assert ref.name == "snapshots/working_0012-2.json"
    assert (load(store, stray), load(store, ref)) == (b"stray", b"new")


def test_damage_is_found_on_loading(store: FileStore) -> None:
    """A snapshot altered on disk, or gone, is an error and never half-trusted."""
    ref = save(store, 1, b"{}")
    (store.root / ref.name).write_bytes(b"[]")
    with pytest.raises(CorruptPage):
        load(store, ref)
    store.delete(ref.name)
    with pytest.raises(MissingPage):
        load(store, ref)


def test_a_file_where_the_snapshots_should_be(store: FileStore) -> None:
    """Where no name can be had the search for one ends."""
    store.put("snapshots", b"x")
    with pytest.raises(PageExists):
        save(store, 1, b"{}")
