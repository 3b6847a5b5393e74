"""The stores of a bus: one in memory, one of files, and one that counts what is asked of it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from loom_paging import FileStore, MemoryStore, Store


class Counting(MemoryStore):
    """A store in memory that counts its calls."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: Counter[str] = Counter()

    def put(self, name: str, data: bytes) -> None:
        """Count, and put."""
        self.calls["put"] += 1
        super().put(name, data)

    def has(self, name: str) -> bool:
        """Count, and look."""
        self.calls["has"] += 1
        return super().has(name)

    def read(self, name: str, offset: int, length: int) -> bytes:
        """Count, and read."""
        self.calls["read"] += 1
        return super().read(name, offset, length)

    def names(self, prefix: str = "") -> list[str]:
        """Count, and list."""
        self.calls["names"] += 1
        return super().names(prefix)


@pytest.fixture
def counting() -> Counting:
    """An empty store that counts."""
    return Counting()


@pytest.fixture(params=["memory", "files"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    """An empty store of each kind."""
    return MemoryStore() if request.param == "memory" else FileStore(tmp_path / "w", durable=False)
