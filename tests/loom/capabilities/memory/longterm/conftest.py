"""Every store there is, in a folder of its own."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from loom.capabilities.memory.longterm.memories import ENGINES, LongTerm, open_longterm

NEEDS = {"rocksdb": "rocksdict"}


@pytest.fixture(params=list(ENGINES))
def engine(request: pytest.FixtureRequest) -> str:
    """The name of an engine that is installed."""
    name = str(request.param)
    if name in NEEDS and find_spec(NEEDS[name]) is None:
        pytest.skip(f"{NEEDS[name]} is not installed")
    return name


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a store may be made."""
    return tmp_path / "longterm"


@pytest.fixture
def store(path: Path, engine: str) -> Iterator[LongTerm]:
    """An empty store."""
    with open_longterm(path, engine) as made:
        yield made
