"""An agent nobody spawned; stores of a bus: in memory, of files, and one that counts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import loom
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


@pytest.fixture
def root(tmp_path: Path) -> Iterator[loom.Context]:
    """Yield an agent nobody spawned."""
    with loom.open(tmp_path / "w", goal="Survey.", window=16_000, durable=False) as ctx:
        yield ctx
