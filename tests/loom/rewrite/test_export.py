"""A workspace as one archive: byte for byte, whole or not at all, while its agent is at work."""

from __future__ import annotations

import sqlite3
import tarfile
from contextlib import closing
from pathlib import Path

import pytest

import loom
from loom.rewrite import export as exporting
from loom.rewrite.archive import unpack_archive
from loom.rewrite.export import export
from tests.kit.journal import files
from tests.kit.opened import plain
from tests.kit.rich_workspace import rich

LEFT = ("LOCK", "index.db", "index.db-wal", "index.db-shm", "extent")


def moved(folder: Path) -> dict[str, bytes]:
    """The files of a workspace that go along."""
    return {name: data for name, data in files(folder).items() if name.split("/")[-1] not in LEFT}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace that was lived in. Read it only."""
    return rich(tmp_path_factory.mktemp("whole") / "w")


def test_the_same_bytes_each_time(whole: Path, tmp_path: Path) -> None:
    """Order and headers are fixed: two archives of one workspace are equal, and private."""
    for name in ("a", "b"):
        export(whole, tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o600
    with tarfile.open(tmp_path / "a") as tar:
        names = tar.getnames()
        assert names == sorted(names)
        assert {(one.mtime, one.uid, one.mode, one.uname) for one in tar} == {(0, 0, 0o600, "")}


def test_what_is_there_stays(whole: Path, tmp_path: Path) -> None:
    """A name that is taken is refused, by a dangling link too; nothing is changed."""
    (out := tmp_path / "a.tar").symlink_to(tmp_path / "nowhere")
    with pytest.raises(loom.BadInput, match="something already"):
        export(whole, out)
    assert list(tmp_path.iterdir()) == [out]


def test_it_is_taken_while_it_is_written(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who comes first keeps the name, and nothing is left beside it."""
    real = exporting._pack

    def written(*given: object) -> object:
        (tmp_path / "a.tar").write_text("first")
        return real(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(exporting, "_pack", written)
    with pytest.raises(loom.BadInput, match="name another place"):
        export(whole, tmp_path / "a.tar")
    assert [path.read_text() for path in tmp_path.iterdir()] == ["first"]


def test_within_the_workspace(tmp_path: Path) -> None:
    """An archive in what it is of would be part of the next one: refused."""
    plain(tmp_path / "w").close()
    with pytest.raises(loom.BadInput, match="it lies in the workspace"):
        export(tmp_path / "w", tmp_path / "w" / "a.tar")


@pytest.mark.parametrize("home", ["", "agents/one/", "forks/copy/"])
def test_damage_is_told_and_refused(tmp_path: Path, home: str) -> None:
    """A page or a journal line that does not verify: nothing is made, unless it is wanted so."""
    folder = rich(tmp_path / "w")
    pages = sorted((folder / home / "outputs").glob("*")) if home != "agents/one/" else []
    hurt = pages[0] if pages else folder / home / "journal" / "000001.jsonl"
    data = bytearray(hurt.read_bytes())
    data[min(30, len(data) - 2)] ^= 1
    hurt.chmod(0o600)
    hurt.write_bytes(bytes(data))
    with pytest.raises(loom.errors.CorruptJournal, match="the first in") as caught:
        export(folder, tmp_path / "a.tar")
    name = hurt.relative_to(folder).as_posix()
    assert "the first in" in str(caught.value)
    assert list(tmp_path.iterdir()) == [folder]
    made = export(folder, tmp_path / "a.tar", as_is=True)
    assert any(name in f"{one.where} {one.what}" for one in made.problems)
    assert made.problems[0].what in str(caught.value)
    with pytest.raises(loom.errors.CorruptJournal, match="the first in"):
        unpack_archive(tmp_path / "a.tar", tmp_path / "again")
    assert not (tmp_path / "again").exists()
    unpack_archive(tmp_path / "a.tar", tmp_path / "again", as_is=True)
    assert moved(tmp_path / "again") == moved(folder)


def test_a_memory_that_is_written_to_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half of what another process is saving never goes along: as it was before, or it is busy."""
    with plain(tmp_path / "w") as ctx:
        ctx.memory.save("kept before")
        (path,) = (tmp_path / "w").rglob("memories.sqlite")
        monkeypatch.setattr(exporting, "WAIT", 0)
        with closing(sqlite3.connect(path)) as writer:
            writer.execute("PRAGMA cache_size = 1")
            writer.execute("CREATE TABLE large (text TEXT)")
            for _ in range(99):  # more than the cache holds: some of it is in the file already
                writer.execute("INSERT INTO large VALUES (?)", ("half saved " * 999,))
            assert b"half saved" in path.read_bytes()
            with pytest.raises(loom.StoreLocked, match="in use by another process"):
                export(tmp_path / "w", tmp_path / "a.tar")
        export(tmp_path / "w", tmp_path / "a.tar")
    unpack_archive(tmp_path / "a.tar", tmp_path / "again")
    assert not [name for name, data in files(tmp_path / "again").items() if b"half saved" in data]
