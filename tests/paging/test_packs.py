"""Packs: a packed name gives its bytes as before, damaged ones say so, and nothing is ever lost."""

import random
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom_paging import CorruptPage, FileStore, Journal, MissingPage, PageExists, check, seal
from loom_paging.packfile import BLOCK, PackFile, pack_bytes
from loom_paging.resident import ResidentSet

SIZES = (0, 1, 300, 5_000, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 7)


def bodies() -> dict[str, bytes]:
    """Pages of all sizes, some of them hard to compress."""
    dice = random.Random(4)
    made = {f"outputs/read_{size:08d}.txt": dice.randbytes(size) for size in SIZES}
    return made | {f"outputs/list_{at:04d}.txt": b"line %d\n" % at * 900 for at in range(20)}


@pytest.fixture
def held(store: FileStore) -> dict[str, bytes]:
    """The pages a store holds, packed."""
    pages = bodies()
    for name, data in pages.items():
        store.put(name, data)
    store.pack([*pages])
    return pages


def test_packed_pages_are_write_once(store: FileStore, held: dict[str, bytes]) -> None:
    """The same bytes again are a no-op, others are refused; a packed log does not grow."""
    name, data = next((name, data) for name, data in held.items() if data)
    store.put(name, data)
    for other in (b"", data + b"x"):
        with pytest.raises(PageExists):
            store.put(name, other)
    for change in (lambda: store.append(name, b"x"), lambda: store.truncate(name, 0)):
        with pytest.raises(PageExists):
            change()
    store.link(name, "outputs/other.txt")
    assert store.get("outputs/other.txt") == data
    assert store.get(name) == data


def test_deleted(store: FileStore, held: dict[str, bytes]) -> None:
    """A deleted name is gone from its pack, and others are not; a pack of none is gone."""
    gone, *rest = held
    store.delete(gone)
    assert not store.has(gone)
    assert all(store.get(name) == held[name] for name in rest)
    store.drop(rest)
    assert store.names() == []
    with pytest.raises(MissingPage):
        store.delete(gone)


@given(data=st.data())
def test_any_pack_gives_its_members(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Whatever members, whichever part of them is asked for."""
    texts = data.draw(st.lists(st.binary(max_size=200) | st.just(b"ab" * BLOCK), max_size=6))
    path = tmp_path_factory.mktemp("pack") / "000001.pack"
    path.write_bytes(pack_bytes((f"m{at}", text) for at, text in enumerate(texts)))
    found = PackFile(path, ResidentSet(BLOCK))
    assert found.problems() == ""
    for at, text in enumerate(texts):
        start = data.draw(st.integers(0, len(text) + 2))
        length = data.draw(st.integers(0, len(text) + 2))
        assert found.read(f"m{at}", start, length) == text[start : start + length]


def test_damage_is_found_and_never_silent(store: FileStore, tmp_path: Path) -> None:
    """A bit flipped, a byte put in or taken out, or the end cut off anywhere: the check tells of
    it, and what is read is right or an error."""
    pages = {f"outputs/list_{at:04d}.txt": random.Random(at).randbytes(9_000) for at in range(40)}
    for name, data in pages.items():
        store.put(name, data)
    refs = [seal(name, data) for name, data in pages.items()]
    Journal.open(store, write=True).commit(b"[]", refs, 0)
    store.pack([*pages])
    [path] = (store.root / "packs").iterdir()
    whole, dice = path.read_bytes(), random.Random(7)
    assert check(store).problems == ()
    places = [0, 9, len(whole) - 1, *(dice.randrange(len(whole)) for _ in range(60))]
    lost = 0
    for number, at in enumerate(places):
        bad = bytearray(whole)
        if number % 4 == 0:
            bad[at] ^= 1 << dice.randrange(8)
        elif number % 4 == 1:
            bad.insert(at, 7)
        elif number % 4 == 2:
            del bad[at]
        else:
            del bad[at:]
        folder = tmp_path / str(number)
        shutil.copytree(store.root, folder)
        (folder / "packs" / path.name).write_bytes(bad)
        damaged = FileStore(folder)
        assert check(damaged).problems, (number, at)
        for name, data in pages.items():
            try:
                assert damaged.get(name) == data
            except (CorruptPage, MissingPage):
                lost += 1
        shutil.rmtree(folder)
    assert 0 < lost < len(places) * len(pages)


def test_a_damaged_list_of_members_has_a_copy(store: FileStore, held: dict[str, bytes]) -> None:
    """With the first list damaged, or the second, all members are there still."""
    [path] = (store.root / "packs").iterdir()
    whole = path.read_bytes()
    for at in (60, len(whole) - 60):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        assert all(FileStore(store.root).get(name) == data for name, data in held.items())
        assert [what for _, what in FileStore(store.root).packs.problems()] == [
            "one of its two lists of members is damaged"
        ]


def test_both_lists_damaged(store: FileStore, held: dict[str, bytes]) -> None:
    """Then its members are missing, the pack is told, and its number is not given again."""
    [path] = (store.root / "packs").iterdir()
    whole = bytearray(path.read_bytes())
    whole[60] ^= 1
    whole[-60] ^= 1
    path.write_bytes(whole)
    damaged = FileStore(store.root)
    with pytest.raises(MissingPage):
        damaged.get(next(iter(held)))
    assert damaged.packs.problems() == [("packs/000001.pack", "its list of members cannot be read")]
    damaged.put("outputs/new_0001.txt", b"new")
    damaged.pack(["outputs/new_0001.txt"])
    assert sorted(one.name for one in (store.root / "packs").iterdir()) == [
        "000001.pack",
        "000002.pack",
    ]


def spoil(store: FileStore, name: str) -> None:
    """Change a byte of the block a packed name lies in."""
    pack = store.packs.find(name)
    start, _ = pack.index.members[name]
    at = max(at for at, begin in enumerate(pack.index.starts[:-1]) if begin <= start)
    raw = bytearray(pack.path.read_bytes())
    raw[pack._begin + pack.index.places[at] + 40] ^= 1
    pack.path.write_bytes(raw)


def test_damage_behind_a_plain_file_is_told(store: FileStore, held: dict[str, bytes]) -> None:
    """Though the plain file is what is read; it stays, and others are packed as before."""
    name = max(held, key=lambda one: len(held[one]))
    store.plain(name)
    spoil(store, name)
    again = FileStore(store.root)
    (where, what), *more = again.packs.problems()
    assert where == "packs/000001.pack" and name in what and not more
    again.put("outputs/new_0001.txt", b"new")
    again.pack([name, "outputs/new_0001.txt"])
    assert again.plain_names("outputs/") == [name]
    assert again.get(name) == held[name]


def test_a_number_given_again_is_another_pack(store: FileStore, held: dict[str, bytes]) -> None:
    """A reader that stays open sees what lies under it now."""
    reader = FileStore(store.root, create=False)
    assert [reader.get(name) for name in held] == [*held.values()]
    store.unpack()
    store.put("outputs/new_0001.txt", b"new")
    store.pack(["outputs/new_0001.txt"])
    assert store.names("packs/") == ["packs/000001.pack"]
    assert reader.get("outputs/new_0001.txt") == b"new"
    assert [reader.get(name) for name in held] == [*held.values()]


def test_folders_of_a_life_that_was_cut_short_are_synced(
    store: FileStore, held: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who made one may have died before its name was durable; so may who named a pack."""
    synced: list[Path] = []
    monkeypatch.setattr("loom_paging.files.sync_folder", synced.append)
    again = FileStore(store.root)
    again.sweep()
    assert {store.root.parent, store.root, store.root / "packs"} <= {*synced}
    synced.clear()
    again.pack([*held])
    assert synced[0] == store.root / "packs"
