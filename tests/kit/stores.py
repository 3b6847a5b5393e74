"""Stores that count what is asked of them."""

from collections import Counter

from loom_paging import MemoryStore


class Counting(MemoryStore):
    """A store in memory that counts its calls by method, and its reads by name."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: Counter[str] = Counter()
        self.reads: Counter[str] = Counter()

    def put(self, name: str, data: bytes) -> None:
        """Count, and put."""
        self.calls["put"] += 1
        super().put(name, data)

    def sketch(self, name: str, data: bytes) -> None:
        """Count, and write."""
        self.calls["sketch"] += 1
        super().sketch(name, data)

    def has(self, name: str) -> bool:
        """Count, and look."""
        self.calls["has"] += 1
        return super().has(name)

    def read(self, name: str, offset: int, length: int) -> bytes:
        """Count, and read."""
        self.calls["read"] += 1
        self.reads[name] += 1
        return super().read(name, offset, length)

    def names(self, prefix: str = "") -> list[str]:
        """Count, and list."""
        self.calls["names"] += 1
        return super().names(prefix)
