"""The stores of a bus: one in memory, one of files, and one that counts what is asked of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from loom_paging import FileStore, MemoryStore, Store
from tests.kit.stores import Counting


@pytest.fixture
def counting() -> Counting:
    """An empty store that counts."""
    return Counting()


@pytest.fixture(params=["memory", "files"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    """An empty store of each kind."""
    return MemoryStore() if request.param == "memory" else FileStore(tmp_path / "w", durable=False)
