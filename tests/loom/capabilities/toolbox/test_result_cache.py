"""Results on disk."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from loom.capabilities.toolbox.processes import Ran
from loom.capabilities.toolbox.scripts import ResultCache

RAN = Ran(("python", "x"), 0, b"\0\xff", b"", 0.5)


def test_nothing_is_kept(tmp_path: Path) -> None:
    """A folder that is not there holds nothing, and is not made by asking."""
    assert ResultCache(tmp_path / "none").get("k") is None
    assert not (tmp_path / "none").exists()


def test_the_longest_unused_go(tmp_path: Path) -> None:
    """No more than so many are kept; one that was used just now stays."""
    results = ResultCache(tmp_path, most=3)
    for at, key in enumerate("abc"):
        results.put(key, RAN)
        os.utime(tmp_path / f"{key}.ran", ns=(at, at))
    assert results.get("a") == RAN
    results.put("d", RAN)
    assert sorted(path.stem for path in tmp_path.iterdir()) == ["a", "c", "d"]


@pytest.mark.parametrize("data", [b"", b"x", b"x" * 100])
def test_damage(tmp_path: Path, data: bytes) -> None:
    """A file that is not whole is not there, and is replaced by the next result."""
    results = ResultCache(tmp_path)
    (tmp_path / "k.ran").write_bytes(data)
    assert results.get("k") is None
    results.put("k", RAN)
    assert results.get("k") == RAN
    whole = (tmp_path / "k.ran").read_bytes()
    for at in range(len(whole)):
        (tmp_path / "k.ran").write_bytes(whole[:at])
        assert results.get("k") is None
