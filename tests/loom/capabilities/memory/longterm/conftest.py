"""Every store there is, in a folder of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from loom.capabilities.memory.longterm import ENGINES, LongTerm, open_longterm

ROOT = Path(__file__).parents[5]
NEEDS = {"rocksdb": "rocksdict"}

Run = Callable[..., subprocess.Popen[str]]


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


@pytest.fixture
def run() -> Iterator[Run]:
    """Starts Python with a script and arguments; what still runs is killed at the end."""
    started: list[subprocess.Popen[str]] = []

    def start(code: str, *arguments: object) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", code, *map(str, arguments)]
        process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()
