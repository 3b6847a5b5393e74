"""Snapshots: saved durably, loaded verified, never in each other's way."""

from __future__ import annotations

import pytest

from loom_paging import FileStore, PageExists
from loom_paging.snapshot import save


def test_a_file_where_the_snapshots_should_be(store: FileStore) -> None:
    """Where no name can be had the search for one ends."""
    store.put("snapshots", b"x")
    with pytest.raises(PageExists):
        save(store, 1, b"{}")
