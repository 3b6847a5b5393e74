"""The contract of a store, run on both stores, and on stores that break it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from loom_paging import CONTRACTS, FileStore, MemoryStore, Store

Contract = Callable[[Callable[[], Store]], None]
NAMES = [name for name, _ in CONTRACTS]


@pytest.mark.parametrize("contract", [check for _, check in CONTRACTS], ids=NAMES)
def test_memory_store_keeps_the_contract(contract: Contract) -> None:
    """The reference store passes every check."""
    contract(MemoryStore)


@pytest.mark.parametrize("durable", [True, False], ids=["synced", "unsynced"])
@pytest.mark.parametrize("contract", [check for _, check in CONTRACTS], ids=NAMES)
def test_file_store_keeps_the_contract(contract: Contract, durable: bool, tmp_path: Path) -> None:
    """The store of files passes every check, with and without syncs."""
    made = count()
    contract(lambda: FileStore(tmp_path / str(next(made)), durable=durable))


class Overwrites(MemoryStore):
    """Replaces pages."""

    def put(self, name: str, data: bytes) -> None:
        """Break write-once."""
        self.sketch(name, data)


class Unsorted(MemoryStore):
    """Lists names backwards."""

    def names(self, prefix: str = "") -> list[str]:
        """Break the order."""
        return super().names(prefix)[::-1]


class Copies(MemoryStore):
    """Forgets to cut."""

    def truncate(self, name: str, size: int) -> None:
        """Do nothing."""


class Loses(MemoryStore):
    """Makes links that hold nothing."""

    def link(self, existing: str, new: str) -> None:
        """Put no bytes under the second name."""
        self.put(new, b"")


@pytest.mark.parametrize("broken", [Overwrites, Unsorted, Copies, Loses])
def test_contract_finds_a_broken_store(broken: type[MemoryStore]) -> None:
    """A store that breaks its word fails at least one check."""
    failures = 0
    for _, contract in CONTRACTS:
        try:
            contract(broken)
        except AssertionError:
            failures += 1
    assert failures


def test_contracts_are_numbered() -> None:
    """The checks are numbered from 01 without a gap, so a failure can be named."""
    assert [name[:2] for name in NAMES] == [f"{n:02d}" for n in range(1, len(NAMES) + 1)]
