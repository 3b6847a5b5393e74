"""Servers of S3 for the tests of this folder, and addresses in them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from loom_paging.remote import bucket as buckets
from tests.kit import object_stores
from tests.kit.object_stores import S3Server

pytest.importorskip("obstore", reason="needs obstore")


@pytest.fixture(scope="session")
def moto() -> Iterator[S3Server]:
    """moto's S3, in this process."""
    pytest.importorskip("moto", reason="needs moto")
    with object_stores.moto() as server:
        yield server


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tries follow one another soon."""
    monkeypatch.setattr(buckets, "FIRST", 0.001)
    monkeypatch.setattr(buckets, "LONGEST", 0.01)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is read from, or left in, the user's cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
