"""The pager: pages go out durably, come back verified, are kept within a budget, and retire."""

import pickle
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loom_paging import (
    Commit,
    CorruptPage,
    Expired,
    FileStore,
    Journal,
    MemoryStore,
    MissingPage,
    Pager,
    check,
    seal,
)
from loom_paging.errors import RETIRED
from loom_paging.resident import ResidentSet


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


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 12))))
def test_the_sum_is_true_and_within_the_budget(steps: list[tuple[int, int]]) -> None:
    """`bytes` is the sum of what is held and never above the budget."""
    held: ResidentSet[int] = ResidentSet(20)
    for key, cost in steps:
        held.keep(key, cost, cost)
        kept = [held.get(each) for each in range(6)]
        assert held.bytes == sum(each for each in kept if each is not None) <= 20


Fill = Callable[[int], Journal]
ONE = "outputs/read_0001.txt"


def retired(commit: Commit) -> list[str]:
    """The names that these tests write into a commit's records."""
    return [line.strip('" ') for line in bytes(commit.records).decode()[1:-1].split(",") if line]


@pytest.mark.parametrize("why", RETIRED)
def test_reading_says_that_it_was_retired(why: str) -> None:
    """Name and reason are in the error, which is a MissingPage and can be sent elsewhere."""
    pager = Pager(MemoryStore())
    ref = pager.put("read", ".txt", b"x")
    pager.retire([ONE], why)
    pager.retire([ONE], "another reason")
    for read in (pager.get, pager.text):
        with pytest.raises(Expired, match=RETIRED[why]) as raised:
            read(ONE)
        assert isinstance(raised.value, MissingPage)
        sent = pickle.loads(pickle.dumps(raised.value))
        assert (sent.name, sent.why, str(sent)) == (ONE, why, str(raised.value))
    assert pager.table[ONE] == ref == pager.resolve("read_0001")


def test_the_check_notes_what_is_left_of_one(fill: Fill, store: FileStore) -> None:
    """A removal that was cut short is no problem, damaged or whole."""
    fill(2).commit(f'["{ONE}", "outputs/never_0009.txt"]'.encode(), [], 0)
    (store.root / ONE).write_bytes(b"other")
    report = check(store, retired)
    assert (report.problems, report.retired) == ((), 1)
    assert [(one.kind, one.where) for one in report.notes] == [("retired", ONE)]
