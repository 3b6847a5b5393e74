"""Checkpoints: what was saved is loaded, or nothing is."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom_paging import FileStore, Journal, MemoryStore, MissingPage
from loom_paging.checkpoint import FILES, INDEX, Checkpoint, load, save

Fill = Callable[[int], Journal]


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
