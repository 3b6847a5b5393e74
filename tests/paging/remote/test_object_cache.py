"""The cache of objects on this machine: verified, bounded, private, and none where it fails."""

import os
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from loom_paging.remote.hashed import ObjectCache, cache_folder

PAGE = b"a large page\n" * 4_000


def named(data: bytes) -> str:
    """The name of bytes."""
    return sha256(data).hexdigest()


@pytest.mark.parametrize("damage", [lambda data: data[:-1], lambda data: b"x" + data[1:]])
def test_what_was_changed_there_is_not_believed(
    tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    """It is removed, and kept anew."""
    cache = ObjectCache(tmp_path)
    cache.keep(named(PAGE), PAGE)
    (tmp_path / named(PAGE)).write_bytes(damage(PAGE))
    assert cache.get(named(PAGE)) is None and not list(tmp_path.iterdir())
    cache.keep(named(PAGE), PAGE)
    assert cache.get(named(PAGE)) == PAGE


def test_those_unused_longest_go_over_the_bound(tmp_path: Path) -> None:
    """What was read meanwhile stays; one that is larger than all of it is not kept."""
    pages = [b"%d" % number * 100 for number in range(10)]
    for at, page in enumerate(pages[:5]):
        ObjectCache(tmp_path, 500).keep(named(page), page)
        os.utime(tmp_path / named(page), (at, at))
    assert ObjectCache(tmp_path, 500).get(named(pages[0])) == pages[0]
    ObjectCache(tmp_path, 500).keep(named(pages[6]), pages[6])
    held = {path.name for path in tmp_path.iterdir()}
    assert held == {named(pages[at]) for at in (0, 2, 3, 4, 6)}
    ObjectCache(tmp_path, 500).keep(named(PAGE), PAGE)
    assert named(PAGE) not in {path.name for path in tmp_path.iterdir()}


def test_a_cache_that_cannot_be_written_is_none(tmp_path: Path) -> None:
    """A file in the place of its folder."""
    (tmp_path / "c").write_text("")
    ObjectCache(tmp_path / "c").keep(named(PAGE), PAGE)
    assert ObjectCache(tmp_path / "c").get(named(PAGE)) is None


def test_where_it_lies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As XDG has it; a relative folder does not count."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "loom/objects"
    monkeypatch.setenv("XDG_CACHE_HOME", "cache")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache/loom/objects"
