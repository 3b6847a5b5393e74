"""Files that are not what they should be: a typed error, and the bytes stay as they were."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path

import pytest

from loom.capabilities.memory.longterm.database import VERSION
from loom.capabilities.memory.longterm.memories import open_longterm
from loom.capabilities.memory.longterm.memory_item import new_memory
from loom.errors import NewerWorkspace
from loom_paging import PagingError


def filled(path: Path, engine: str = "sqlite", count: int = 300) -> None:
    """A store of so many memories."""
    with open_longterm(path, engine) as store:
        store.save_many(new_memory(f"kraken number {at} of the deep sea", 1) for at in range(count))


def contents(path: Path) -> dict[str, bytes]:
    """Every file of a store but the library's own diagnostics."""
    found = [path] if path.is_file() else sorted(path.rglob("*"))
    return {one.name: one.read_bytes() for one in found if not one.name.startswith("LOG")}


@pytest.mark.parametrize("junk", [b"junk", b"junk" * 5_000, b"SQLite format 3\0" + b"x" * 4_096])
def test_what_is_no_store_is_left_as_it_is(path: Path, junk: bytes) -> None:
    """The error says what to do; nothing is written over the file."""
    path.write_bytes(junk)
    with pytest.raises(PagingError, match="restore it from a backup"):
        open_longterm(path)
    assert path.read_bytes() == junk


def test_the_database_of_another_program_is_refused(path: Path) -> None:
    """Its tables and its mode stay as they were."""
    db = sqlite3.connect(path)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("CREATE TABLE theirs (x)")
    db.commit()
    db.close()
    before = path.read_bytes()
    with pytest.raises(PagingError, match="another program"):
        open_longterm(path)
    assert path.read_bytes() == before


def test_a_flipped_bit_is_told_or_harmless(path: Path) -> None:
    """Wherever it is: what is read is what was saved, or a PagingError; nothing is written."""
    filled(path)
    whole = path.read_bytes()
    texts = {at + 1: f"kraken number {at} of the deep sea" for at in range(300)}
    points = random.Random(3)
    told = 0
    for _ in range(60):
        damaged = bytearray(whole)
        damaged[points.randrange(len(whole))] ^= 1 << points.randrange(8)
        path.write_bytes(damaged)
        try:
            with open_longterm(path) as store:
                for id in (1, 150, 300):
                    memory = store.get(id)
                    assert memory is None or memory.text == texts[id]
                for one in store.query("kraken 7", 300, now=1):
                    assert one.memory.text == texts[one.memory.id]
        except PagingError:
            told += 1
        assert path.read_bytes() == damaged
    assert told


def test_a_text_that_was_changed_on_disk_is_told(path: Path) -> None:
    """SQLite would not notice; the digest does."""
    filled(path, count=3)
    path.write_bytes(path.read_bytes().replace(b"number 1 of", b"number 9 of"))
    with open_longterm(path) as store:
        assert store.get(1) is not None
        with pytest.raises(PagingError, match="memory 2 is not what was saved"):
            store.get(2)


def test_a_damaged_rocksdb_is_told(path: Path) -> None:
    """Each file cut, flipped or taken away: an error, or everything as it was saved."""
    pytest.importorskip("rocksdict")
    filled(path, "rocksdb", 50)
    whole = contents(path)
    told = 0
    for name in whole:
        if name.startswith(("LOOM", "LOCK", "IDENTITY", "OPTIONS")):
            continue
        for harm in (None, b"", whole[name][: len(whole[name]) // 2], flipped(whole[name])):
            for kept in path.iterdir():
                kept.unlink()
            for other, data in whole.items():
                (path / other).write_bytes(data)
            (path / name).unlink()
            if harm is not None:
                (path / name).write_bytes(harm)
            try:
                with open_longterm(path, "rocksdb") as store:
                    memory = store.get(7)
                    assert memory is not None and "number 6" in memory.text, (name, harm)
                    assert len(store.query("", 99, now=1)) == 50
            except PagingError as error:
                told += 1
                assert "backup" in str(error)
                assert (path / name).exists() == (harm is not None)
                assert {one for one in whole if one.endswith(".sst")} - {name} <= names(path)
    assert told > 5


def names(path: Path) -> set[str]:
    """The names in a folder."""
    return {one.name for one in path.iterdir()}


def flipped(data: bytes) -> bytes:
    """The bytes with one in the middle turned."""
    damaged = bytearray(data or b"\0")
    damaged[len(damaged) // 2] ^= 0xFF
    return bytes(damaged)


def test_a_newer_store_is_refused(path: Path, engine: str) -> None:
    """The error says to update; nothing is written."""
    filled(path, engine, 1)
    if engine == "sqlite":
        db = sqlite3.connect(path)
        db.execute(f"PRAGMA user_version = {VERSION + 8}")
        db.close()
    else:
        import rocksdict

        rows = rocksdict.Rdict(str(path), rocksdict.Options(raw_mode=True))
        rows[b"v" + bytes(8)] = (9).to_bytes(8, "big")
        rows.close()
    before = contents(path)
    with pytest.raises(NewerWorkspace, match=r"version 9 and this Loom knows [12]"):
        open_longterm(path, engine)
    if engine == "sqlite":
        assert contents(path) == before


def test_a_rocksdb_of_the_first_version_opens(path: Path) -> None:
    """Its memories and its last id are there; the rows that once found memories leave."""
    rocksdict = pytest.importorskip("rocksdict")
    filled(path, "rocksdb", 2)
    rows = rocksdict.Rdict(str(path), rocksdict.Options(raw_mode=True))
    rows[b"v" + bytes(8)] = (1).to_bytes(8, "big")
    rows[b"n" + bytes(8)] = (7).to_bytes(8, "big")
    rows[b"k" + bytes(24)] = rows[b"c" + bytes(8)] = b""
    rows.close()
    with open_longterm(path, "rocksdb") as store:
        assert store.get(2) and store.save(new_memory("kraken eight", now=1)).id == 8
    rows = rocksdict.Rdict(str(path), rocksdict.Options(raw_mode=True))
    assert {bytes(key[:1]) for key, _ in rows.items()} == {b"e", b"i", b"n", b"v"}
    assert rows[b"v" + bytes(8)] == (2).to_bytes(8, "big")
    rows.close()


def test_terms_of_another_version_are_indexed_anew(path: Path) -> None:
    """The words of a store are those of the Loom that opened it."""
    filled(path, count=3)
    db = sqlite3.connect(path)
    db.execute("UPDATE state SET value = '0' WHERE name = 'terms'")
    db.execute("INSERT INTO held (held) VALUES ('delete-all')")
    db.commit()
    db.close()
    for _ in range(2):
        with open_longterm(path) as store:
            assert len(store.query("kraken", now=1)) == 3
            store.save(new_memory("kraken zero", key="zero", now=1, ttl=1 + _))
            assert store.expire(2) == (_ == 0)
