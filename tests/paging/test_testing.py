"""The contract of a store, run on both stores, and on stores that break it."""

from __future__ import annotations

from pathlib import Path

from loom_paging import FileStore, MemoryStore, Store
from loom_paging.testing import CONTRACTS, Contract
from tests.kit.cases import all_cases


@all_cases("kind", ["memory", "files"])
@all_cases("contract", CONTRACTS.values(), ids=CONTRACTS)
def test_both_stores_keep_the_contract(contract: Contract, kind: str, tmp_path: Path) -> None:
    """In memory and in files; no temporary file stays."""
    made: list[Store] = []

    def make() -> Store:
        made.append(MemoryStore() if kind == "memory" else FileStore(tmp_path, durable=False))
        return made[0]

    contract(make)
    assert not [left for one in made if isinstance(one, FileStore) for left in one.leftovers()]


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


@all_cases("broken", [Overwrites, Unsorted, Copies, Loses])
def test_contract_finds_a_broken_store(broken: type[MemoryStore]) -> None:
    """A store that breaks its word fails at least one check, and not all of them."""
    failures = 0
    for contract in CONTRACTS.values():
        try:
            contract(broken)
        except AssertionError:
            failures += 1
    assert 0 < failures < len(CONTRACTS)
