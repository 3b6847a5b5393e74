"""The pager: pages go out durably and come back verified."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loom_paging import (
    CorruptPage,
    FileStore,
    MemoryStore,
    MissingPage,
    Pager,
    seal,
)


def again(store: FileStore | MemoryStore, pager: Pager, resident_bytes: int = 1 << 20) -> Pager:
    """A pager after a restart: same store, same table, nothing resident."""
    fresh = Pager(store, resident_bytes)
    fresh.register(pager.table.values())
    return fresh


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
