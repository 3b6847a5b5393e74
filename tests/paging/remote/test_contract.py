"""A store on an object store keeps the contract of a store, on memory and on local files."""

from __future__ import annotations

from pathlib import Path

import pytest

from loom_paging.remote import Bucket, RemoteTree
from loom_paging.testing import CONTRACTS

obstore = pytest.importorskip("obstore")


@pytest.mark.parametrize("contract", CONTRACTS.values(), ids=CONTRACTS)
@pytest.mark.parametrize("kind", ["memory", "local"])
def test_contract(contract, kind: str, tmp_path: Path) -> None:
    """Every promise of the contract."""
    from obstore.store import LocalStore, MemoryStore

    client = MemoryStore() if kind == "memory" else LocalStore(tmp_path)
    opened: list[RemoteTree] = []

    def make() -> RemoteTree:
        opened.append(RemoteTree(Bucket(client, "here"), write=True))
        return opened[0]

    try:
        contract(make)
    finally:
        for store in opened:
            store.close()
