"""Checkpoints: what was saved is loaded, or nothing is."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom_paging import FileStore, Journal, MemoryStore, MissingPage
from loom_paging.checkpoint import FILES, INDEX, STATE, Checkpoint, forget, load, save

Fill = Callable[[int], Journal]


def test_no_checkpoint(store: FileStore) -> None:
    """A store without one has none, and forgetting it is a no-op."""
    assert load(store, "me") is None
    forget(store)
    assert store.names() == []


def test_saved_and_loaded(fill: Fill, store: FileStore) -> None:
    """Each save replaces the state and adds a part; a load gives the last state and all parts."""
    journal = fill(3)
    first = save(store, Checkpoint(), "me", journal.sealed, b"state 1", b"part 1")
    for number in (4, 5):
        journal.commit(b"[]", [], number)
    journal.seal()
    save(store, first, "me", journal.sealed, b"state 2", b"")
    held = load(store, "me")
    assert held is not None
    assert (held.state, held.parts, held.sealed) == (b"state 2", (b"part 1", b""), journal.sealed)


def test_saving_goes_on_from_a_loaded_one(fill: Fill, store: FileStore) -> None:
    """What was loaded can be followed by the next, as what was saved can."""
    journal = fill(3)
    save(store, Checkpoint(), "me", journal.sealed, b"1", b"one")
    held = load(store, "me")
    assert held is not None
    save(store, held, "me", journal.sealed, b"2", b"two")
    again = load(store, "me")
    assert again is not None
    assert (again.state, again.parts) == (b"2", (b"one", b"two"))


def test_another_maker_reads_nothing(fill: Fill, store: FileStore) -> None:
    """What another version wrote is no checkpoint for this one."""
    save(store, Checkpoint(), "me", fill(3).sealed, b"state", b"part")
    assert load(store, "you") is None


def test_a_journal_it_is_not_of(fill: Fill, store: FileStore) -> None:
    """A checkpoint does not count for a journal that no longer begins with its segments."""
    journal = fill(6)
    save(store, Checkpoint(), "me", journal.sealed, b"state", b"part")
    store.truncate("journal/000001.jsonl", 0)
    assert load(store, "me") is None


def test_cut_short_between_part_and_state(fill: Fill, store: FileStore) -> None:
    """A part without its state is not read, and the next one stands in its place."""
    journal = fill(3)
    first = save(store, Checkpoint(), "me", journal.sealed, b"1", b"one")
    store.append(INDEX, b"half of a part")
    held = load(store, "me")
    assert held is not None
    assert held.parts == (b"one",)
    save(store, first, "me", journal.sealed, b"2", b"two")
    held = load(store, "me")
    assert held is not None
    assert held.parts == (b"one", b"two")


def test_an_index_that_was_cut_takes_no_more(fill: Fill, store: FileStore) -> None:
    """Where bytes of earlier parts are gone, saving says so and leaves what is there."""
    journal = fill(3)
    first = save(store, Checkpoint(), "me", journal.sealed, b"1", b"one")
    store.truncate(INDEX, 2)
    with pytest.raises(MissingPage):
        save(store, first, "me", journal.sealed, b"2", b"two")
    assert load(store, "me") is None


@given(st.sampled_from(FILES), st.integers(0, 10_000), st.integers(1, 255), st.booleans())
def test_damage_is_never_believed(name: str, at: int, flip: int, cut: bool) -> None:
    """Whatever byte changes, and wherever a file ends: the checkpoint as saved, or none."""
    store = MemoryStore()
    journal = Journal.open(store, write=True)
    journal.commit(b"[]", [], 1)
    journal.seal()
    save(store, Checkpoint(), "me", journal.sealed, b"state", b"part")
    data = bytearray(store.get(name))
    at %= len(data)
    if cut:
        del data[at:]
    else:
        data[at] ^= flip
    store.sketch(name, bytes(data))
    assert load(store, "me") is None


def test_forgotten(fill: Fill, store: FileStore) -> None:
    """Of a checkpoint that is forgotten no file is left."""
    save(store, Checkpoint(), "me", fill(3).sealed, b"state", b"part")
    assert {INDEX, STATE} <= set(store.names())
    forget(store)
    assert not {INDEX, STATE} & set(store.names())
