"""A workspace on an object store keeps the contract of a store, on every backend."""

from loom_paging.remote.bucket import Bucket
from loom_paging.remote.tree import RemoteTree
from loom_paging.testing import CONTRACTS, Contract
from tests.kit.cases import all_cases
from tests.paging.remote.conftest import Client


@all_cases("contract", CONTRACTS.values(), ids=CONTRACTS)
def test_contract(contract: Contract, client: Client) -> None:
    """Every promise of the contract."""
    opened: list[RemoteTree] = []

    def make() -> RemoteTree:
        opened.append(RemoteTree(Bucket(client(), "here"), write=True))
        return opened[0]

    try:
        contract(make)
    finally:
        for store in opened:
            store.close()
