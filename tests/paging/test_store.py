"""The contract of a store, and what is particular to files."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loom_paging import (
    FileStore,
    MemoryStore,
    MissingPage,
    PageExists,
    PagingError,
    Store,
    StoreReplaced,
)
from loom_paging.page import save_snapshot
from loom_paging.sub_store import sub_store
from loom_paging.testing import CONTRACTS, Contract
from tests.kit.cases import all_cases

# Few names, some of them folders of others, so that calls meet.
NAMES = st.sampled_from(["a", "b", "a/b", "a/b/c", "outputs/x", "outputs/y", "../out", "LOCK"])
DATA, PLACE = st.binary(max_size=6), st.integers(-1, 9)
CALLS = st.one_of(
    st.tuples(st.sampled_from(["put", "append", "sketch"]), NAMES, DATA),
    st.tuples(st.just("link"), NAMES, NAMES),
    st.tuples(st.sampled_from(["delete", "has", "size", "get"]), NAMES),
    st.tuples(st.just("truncate"), NAMES, PLACE),
    st.tuples(st.just("read"), NAMES, PLACE, PLACE),
    st.tuples(st.just("names"), st.sampled_from(["", "a", "a/", "outputs/", "outputs/x", "../"])),
    st.just(("reopened",)),
)


def called(store: Store, name: str, words: list[Any]) -> object:
    """What a call gives, or the type of what it raises."""
    try:
        return getattr(store, name)(*words)
    except (PagingError, ValueError) as error:
        return type(error)


@settings(max_examples=200, deadline=None)
@given(calls=st.lists(CALLS, max_size=30))
def test_both_answer_alike(
    calls: list[tuple[Any, ...]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The same results and errors, and the same bytes under the same names, opened anew or not."""
    memory = MemoryStore()
    files = FileStore(tmp_path_factory.mktemp("store"), durable=False)
    for name, *words in calls:
        if name == "reopened":
            files.close()
            files = FileStore(files.root, durable=False, create=False)
        else:
            assert called(files, name, words) == called(memory, name, words)
        held, found = ({at: one.get(at) for at in one.names()} for one in (memory, files))
        assert held == found
    files.close()


def refuse(self: Path, target: Path) -> None:
    """What a file system without hard links says."""
    raise PermissionError(1, "no hard links here")


def test_create_false_needs_a_folder(tmp_path: Path) -> None:
    """Opening what is not there without leave to make it raises and makes nothing."""
    with pytest.raises(MissingPage):
        FileStore(tmp_path / "none", create=False)
    assert not (tmp_path / "none").exists()


def test_a_log_removed_behind_the_writer_is_noticed(store: FileStore) -> None:
    """Bytes are not written to a file that has no name any more."""
    store.append("journal/log", b"x")
    (store.root / "journal/log").unlink()
    for _ in range(2):
        with pytest.raises(StoreReplaced, match="removed or replaced"):
            store.append("journal/log", b"y")
    (store.root / "journal/log").write_bytes(b"x")
    with pytest.raises(StoreReplaced):
        store.append("journal/log", b"y")
    assert (store.root / "journal/log").read_bytes() == b"x"


def test_a_failed_write_leaves_nothing(store: FileStore) -> None:
    """When the data cannot be written the name stays free and no temporary file stays."""
    with pytest.raises(TypeError):
        store.put("a", "text")
    assert list(store.root.iterdir()) == []


def test_links_that_cannot_be_made_become_copies(
    store: FileStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a file system without hard links pages are still write-once, and links are copies."""
    monkeypatch.setattr(Path, "hardlink_to", refuse)
    store.put("a", b"x")
    with pytest.raises(PageExists):
        store.put("a", b"y")
    store.link("a", "b")
    assert (store.get("a"), store.get("b"), store.leftovers()) == (b"x", b"x", [])


def test_a_file_where_the_snapshots_should_be(store: FileStore) -> None:
    """Where no name can be had the search for one ends."""
    store.put("snapshots", b"x")
    with pytest.raises(PageExists):
        save_snapshot(store, 1, b"{}")


@all_cases("kind", ["memory", "files", "below"])
@all_cases("contract", CONTRACTS.values(), ids=CONTRACTS)
def test_all_stores_keep_the_contract(contract: Contract, kind: str, tmp_path: Path) -> None:
    """In memory, in files, and below a folder of another; no temporary file stays."""
    made: list[Store] = []

    def make() -> Store:
        store = FileStore(tmp_path, durable=False) if kind == "files" else MemoryStore()
        made.append(sub_store(store, "agents/one") if kind == "below" else store)
        return made[0]

    contract(make)
    assert not [left for one in made if isinstance(one, FileStore) for left in one.leftovers()]


class Overwrites(MemoryStore):
    """Replaces pages."""

    def put(self, name: str, data: bytes) -> None:
        """Break write-once."""
        self.sketch(name, data)


class Unsorted(MemoryStore):
    """Lists names backwards."""

    def names(self, prefix: str = "") -> list[str]:
        """Break the order."""
        return super().names(prefix)[::-1]


class Copies(MemoryStore):
    """Forgets to cut."""

    def truncate(self, name: str, size: int) -> None:
        """Do nothing."""


class Loses(MemoryStore):
    """Makes links that hold nothing."""

    def link(self, existing: str, new: str) -> None:
        """Put no bytes under the second name."""
        self.put(new, b"")


@all_cases("broken", [Overwrites, Unsorted, Copies, Loses])
def test_contract_finds_a_broken_store(broken: type[MemoryStore]) -> None:
    """A store that breaks its word fails at least one check, and not all of them."""
    failures = 0
    for contract in CONTRACTS.values():
        try:
            contract(broken)
        except AssertionError:
            failures += 1
    assert 0 < failures < len(CONTRACTS)
