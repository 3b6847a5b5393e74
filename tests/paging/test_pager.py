"""The pager: pages go out durably and come back verified."""

from __future__ import annotations

import errno
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loom_paging import (
    BadLookup,
    Commit,
    CorruptPage,
    FileStore,
    Journal,
    MemoryStore,
    MissingPage,
    PageExists,
    Pager,
    PageRef,
    seal,
)
from loom_paging.waiting_syncs import WaitingSyncs
from tests.kit.cases import all_cases
from tests.kit.stores import Counting


def again(store: FileStore | MemoryStore, pager: Pager, resident_bytes: int = 1 << 20) -> Pager:
    """A pager after a restart: same store, same table, nothing resident."""
    fresh = Pager(store, resident_bytes)
    fresh.register(pager.table.values())
    return fresh


def test_an_empty_pager() -> None:
    """Nothing put: no pages, nothing resident."""
    pager = Pager(MemoryStore())
    pager.register([])
    assert (dict(pager.table), pager._resident.bytes) == ({}, 0)


@all_cases(
    ("kind", "extension", "name"),
    [
        ("read", ".json", "outputs/read_0001.json"),
        ("read", "json", "outputs/read_0001.json"),
        ("read", "", "outputs/read_0001"),
        ("fs:Read_File", ".tar.gz", "outputs/fs-read-file_0001.tar.gz"),
        ("../../etc", "/../x", "outputs/etc_0001.x"),
        ("", ".", "outputs/page_0001"),
        ("页", ".é", "outputs/page_0001"),
        ("k" * 300, "x" * 300, f"outputs/{'k' * 40}_0001.{'x' * 19}"),
    ],
)
def test_names(kind: str, extension: str, name: str) -> None:
    """Kind and extension become plain parts of the name, whatever they were."""
    ref = Pager(MemoryStore()).put(kind, extension, b"x")
    assert ref == seal(name, b"x")


def test_one_counter_for_all_kinds() -> None:
    """The number of a page is its place among all pages, also after a restart."""
    store = MemoryStore()
    pager = Pager(store)
    for kind in ("read", "shell"):
        pager.put(kind, ".txt", kind.encode())
    assert again(store, pager).put("read", ".txt", b"x").name == "outputs/read_0003.txt"


def test_numbers_of_strays_are_not_given_again() -> None:
    """What a crash left is no page, and its number is passed over."""
    store = MemoryStore()
    store.put("outputs/read_0041.txt", b"stray")
    store.put("outputs/mine.txt", b"no number")
    pager = Pager(store)
    assert pager.put("read", ".txt", b"x").name == "outputs/read_0042.txt"
    assert list(pager.table) == ["outputs/read_0042.txt"]
    with pytest.raises(MissingPage):
        pager.get("outputs/read_0041.txt")


def test_equal_bytes_are_linked(store: FileStore) -> None:
    """Every later page of the same bytes names the first one and costs no second copy."""
    pager = Pager(store)
    refs = [pager.put("read", ".txt", b"same") for _ in range(3)]
    assert [ref.alias for ref in refs] == ["", refs[0].name, refs[0].name]
    assert len({(store.root / ref.name).stat().st_ino for ref in refs}) == 1
    fresh = again(store, pager)
    assert fresh.put("read", ".txt", b"same").alias == refs[0].name
    assert fresh.put("read", ".txt", b"other").alias == ""


@pytest.mark.parametrize("damage", [b"sAme", None])
def test_equal_bytes_are_not_linked_to_damage(store: FileStore, damage: bytes | None) -> None:
    """When the earlier page is altered or gone, the good bytes in hand are written anew."""
    pager = Pager(store, resident_bytes=0)
    first = pager.put("read", ".txt", b"same")
    store.delete(first.name)
    if damage is not None:
        store.put(first.name, damage)
    second = pager.put("read", ".txt", b"same")
    assert second.alias == ""
    assert pager.get(second.name) == pager.get(first.name) == b"same"


@pytest.mark.parametrize("damage", [b"sAme", None])
def test_an_alias_falls_back(store: FileStore, damage: bytes | None) -> None:
    """A link that is gone or altered is read under the other names of its bytes."""
    pager = Pager(store)
    first, second = (pager.put("read", ".txt", b"same") for _ in range(2))
    for lost in (first, second):
        store.delete(lost.name)
        if damage is not None:
            store.put(lost.name, damage)
        assert again(store, pager).get(lost.name) == b"same"
        store.sketch(lost.name, b"same")


def test_a_page_that_leads_away_is_no_copy(store: FileStore) -> None:
    """Equal bytes are not linked to a name that leads out of the store, nor looked for there."""
    pager = Pager(store)
    first, second = (pager.put("read", ".txt", b"same") for _ in range(2))
    store.delete(first.name)
    (store.root / first.name).symlink_to(__file__)
    fresh = again(store, pager)
    assert fresh.get(first.name) == b"same"
    assert fresh.get(fresh.put("read", ".txt", b"same").name) == b"same"
    (store.root / second.name).unlink()
    assert again(store, fresh).get(second.name) == b"same"


def test_damage_on_disk_is_an_error(store: FileStore) -> None:
    """A page altered, shortened or removed on disk is never served; what is resident still is."""
    pager = Pager(store)
    refs = [pager.put("read", ".txt", b"page %d" % number) for number in range(3)]
    (store.root / refs[0].name).write_bytes(b"pagE 0")
    (store.root / refs[1].name).write_bytes(b"page")
    store.delete(refs[2].name)
    fresh = again(store, pager)
    for ref, error in zip(refs, (CorruptPage, CorruptPage, MissingPage), strict=True):
        assert pager.get(ref.name) == b"page %d" % refs.index(ref)
        with pytest.raises(error):
            fresh.get(ref.name)
        with pytest.raises(error):
            fresh.text(ref.name)
    assert fresh._resident.bytes == 0


@all_cases(
    "ref",
    [
        "outputs/read_0002.json",
        "read_0002.json",
        "read_0002",
        "outputs/read_0002",
        "./outputs/read_0002.json",
        "  outputs/read_0002.json\n",
        "/home/me/agent/outputs/read_0002.json",
        "..\\agent\\outputs\\read_0002.json",
        "file:///agent/outputs/read_0002.json",
    ],
)
def test_resolve(ref: str) -> None:
    """A page is found under every form its name is written in."""
    pager = Pager(MemoryStore())
    refs = [pager.put("read", ".json", b"%d" % number) for number in range(3)]
    assert pager.resolve(ref) == refs[1]


@all_cases(
    "ref", ["", ".", "/", "read", "read_2", "outputs/", "src/read_0002.json", "read_0002.txt"]
)
def test_resolve_guesses_nothing(ref: str) -> None:
    """What is not the name of a page is missing, and names that come near are given."""
    pager = Pager(MemoryStore())
    for number in range(9):
        pager.put("read", ".json", b"%d" % number)
    with pytest.raises(MissingPage) as caught:
        pager.resolve(ref)
    assert caught.value.name == ref
    assert caught.value.where.count("outputs/read_") <= 3
    with pytest.raises(MissingPage, match=r"near: .*outputs/read_0003\.json"):
        pager.resolve("raed_0003.json")


def test_snapshots_in_the_table_are_served() -> None:
    """Pages outside the folder of outputs are found by name."""
    store = MemoryStore()
    store.put("snapshots/working_0001.json", b"{}")
    pager = Pager(store)
    pager.register([seal("snapshots/working_0001.json", b"{}")])
    assert pager.text(pager.resolve("./snapshots/working_0001.json").name) == "{}"


def test_text_keeps_every_character() -> None:
    """Lone surrogates survive; bytes that are not UTF-8 are no text and stay readable."""
    pager = Pager(MemoryStore())
    text = "a\ud800é\r\n\0"
    ref = pager.put("read", ".txt", text.encode("utf-8", "surrogatepass"))
    assert pager.text(ref.name) == text
    image = pager.put("image", ".png", b"\x89PNG\xff")
    with pytest.raises(BadLookup, match=r"image_0002\.png.*UTF-8"):
        pager.text(image.name)
    assert pager.get(image.name) == b"\x89PNG\xff"


def test_resident_pages_are_not_read_again() -> None:
    """A page just written or read comes from memory, its aliases too."""
    store = Counting()
    pager = Pager(store)
    name = pager.put("read", ".txt", b"x").name
    pager.get(name)
    assert not store.reads
    fresh = again(store, pager)
    for _ in range(3):
        assert (fresh.get(name), fresh.text(name)) == (b"x", "x")
    assert store.reads == {name: 1}


def test_a_page_is_held_once() -> None:
    """As bytes until its text is asked for, and then as the text, which gives the same bytes."""
    store = Counting()
    pager = Pager(store)
    data = ("é\ud800x" * 100).encode("utf-8", "surrogatepass")
    name = pager.put("read", ".txt", data).name
    assert pager._resident.bytes == len(data)
    text = pager.text(name)
    assert (pager.get(name), pager._resident.bytes) == (data, sys.getsizeof(text))
    assert not store.reads


def test_a_page_over_the_budget_is_served_and_not_kept() -> None:
    """A giant page evicts nothing."""
    store = Counting()
    pager = Pager(store, resident_bytes=10)
    small, giant = pager.put("a", "", b"small").name, pager.put("a", "", b"x" * 11).name
    assert (pager.get(giant), pager.get(small), pager._resident.bytes) == (b"x" * 11, b"small", 5)
    assert store.reads == {giant: 1}


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 400),
    st.lists(st.tuples(st.sampled_from("pgtr"), st.binary(max_size=60)), max_size=25),
)
def test_what_was_put_is_what_is_got(budget: int, steps: list[tuple[str, bytes]]) -> None:
    """Under any budget and across restarts every page gives back its bytes."""
    store = MemoryStore()
    pager = Pager(store, budget)
    put: dict[str, bytes] = {}
    for step, data in steps:
        if step == "p":
            put[pager.put("k", ".b", data).name] = data
        elif step == "r":
            pager = again(store, pager, budget)
        for name, held in list(put.items())[-3:]:
            assert pager.get(name) == held
            if step == "t":
                text = held.decode("latin-1")
                ref = pager.put("t", ".t", text.encode())
                put[ref.name] = text.encode()
                assert pager.text(ref.name) == text
        assert pager._resident.bytes <= budget
    assert {name: seal(name, data, pager.table[name].alias) for name, data in put.items()} == dict(
        pager.table
    )


def registering(pager: Pager) -> Callable[[Commit], None]:
    """What to do with each commit of a journal being opened."""
    return lambda commit: pager.register(commit.pages)


def test_the_table_is_rebuilt_from_the_journal(tmp_path: Path) -> None:
    """Registering each commit's pages while opening gives the same table, in any number of runs."""
    tables: list[dict[str, PageRef]] = []
    for run in range(3):
        store = FileStore(tmp_path, durable=False)
        pager = Pager(store)
        journal = Journal.open(store, write=True, each=registering(pager))
        tables.append(dict(pager.table))
        for data in (b"same", b"run %d" % run):
            journal.commit(b"[]", [pager.put("read", ".txt", data)], 0)
        tables.append(dict(pager.table))
        store.close()
    assert tables[0] == {}
    assert (tables[2], tables[4]) == (tables[1], tables[3])
    assert [ref.alias for ref in tables[5].values()] == [
        "", "", "outputs/read_0001.txt", "", "outputs/read_0001.txt", "",
    ]  # fmt: skip
    with pytest.raises(TypeError):
        pager.table["x"] = seal("x", b"")  # type: ignore[index]


class Unsynced(WaitingSyncs):
    """The put or link that is told to fails after its page is in place."""

    fails = False

    def folder(self, path: Path, *, waits: bool = False) -> None:
        """Fail once where it was told to."""
        if self.fails:
            self.fails = False
            raise OSError(errno.EIO, "Input/output error")


@pytest.mark.parametrize("equal", [False, True])
def test_a_failed_directory_sync_blocks_no_page(tmp_path: Path, equal: bool) -> None:
    """The page nobody was told of is taken up by its own bytes, and passed over by any others."""
    store, syncs = FileStore(tmp_path), Unsynced(durable=True)
    store._syncs = syncs
    pager = Pager(store)
    data = [b"first", b"first" if equal else b"second"]
    pager.put("read", ".txt", data[0])
    for kind, said, name in (
        ("read", data[1], "outputs/read_0002.txt"),
        ("read", b"other", "outputs/read_0004.txt"),
        ("shell", b"more", "outputs/shell_0006.txt"),
    ):
        syncs.fails = True
        with pytest.raises(OSError, match="Input/output"):
            pager.put("read", ".txt", data[1])
        assert pager.put(kind, ".txt", said).name == name
    again(store, pager).put("read", ".txt", b"last")
    assert {name: pager.get(name) for name in pager.table} == {
        name: store.get(name) for name in pager.table
    }
    assert store.names()[-1] == "outputs/shell_0006.txt" and store.has("outputs/read_0007.txt")


def test_a_name_that_was_taken_meanwhile(store: FileStore) -> None:
    """What others put in the store after it was opened is left as it is."""
    pager = Pager(store)
    store.put("outputs/read_0001.txt", b"not mine")
    (store.root / "outputs/read_0002.txt").mkdir()
    assert pager.put("read", ".txt", b"mine").name == "outputs/read_0003.txt"
    assert store.get("outputs/read_0001.txt") == b"not mine"


def test_a_file_where_the_pages_should_be(store: FileStore) -> None:
    """No number helps there, and the error says so every time."""
    store.put("outputs", b"not mine")
    pager = Pager(store)
    for _ in range(2):
        with pytest.raises(PageExists):
            pager.put("read", ".txt", b"mine")
    store.delete("outputs")
    assert pager.put("read", ".txt", b"mine").name == "outputs/read_0001.txt"


def test_what_a_power_cut_left_gives_way_to_an_adopted_page(tmp_path: Path) -> None:
    """A torn file that no commit names is replaced; a page of other bytes is not."""
    store = FileStore(tmp_path, durable=False)
    store.put("outputs/read_0001.txt", b"wh")
    pager = Pager(store)
    ref = pager.adopt("outputs/read_0001.txt", b"whole")
    assert (store.get(ref.name), pager.get(ref.name)) == (b"whole", b"whole")
    with pytest.raises(CorruptPage):
        pager.adopt(ref.name, b"other")
    assert store.get(ref.name) == b"whole"


def test_a_page_that_is_free_is_taken_up(store: FileStore) -> None:
    """For equal bytes of its kind alone; any other gets a page of its own."""
    pager = Pager(store)
    first = pager.put("read", "txt", b"bytes")
    assert pager.put("read", "txt", b"bytes", lambda name: False).name != first.name
    assert pager.put("read", "txt", b"bytes", lambda name: name == first.name) == first
    assert pager.put("shell", "txt", b"bytes", lambda name: True).name != first.name
    assert pager.put("read", "json", b"bytes", lambda name: True).name != first.name
    assert pager.put("read", "txt", b"others", lambda name: True).name != first.name
