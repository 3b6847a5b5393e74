"""Facts told by those before come back as they were, and cost little where they repeat."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import json

from loom_partitions import records as r
from loom_partitions.edits import DrawnFacts, Folded, drawn, whole
from loom_partitions.message import Fact
from loom_partitions.window import Window, apply, recorded

Lives = st.SearchStrategy[list[r.Record]]
FACTS = [Fact("ran", f"run {number}") for number in range(9)]


def test_nothing_is_told_of_nothing() -> None:
    """No facts are no runs, whatever stood before."""
    assert drawn((), FACTS) == DrawnFacts((), ())
    assert whole(drawn((), ()), ()) == ()


def test_what_stays_is_one_run() -> None:
    """Facts that follow one another as before are told in one pair, new ones stand as they are."""
    new = Fact("edit", "src/a.py")
    assert drawn([*FACTS[2:8], new], FACTS) == DrawnFacts(((2, 6), (-1, 1)), (new,))


@given(st.lists(st.sampled_from(FACTS)), st.lists(st.sampled_from(FACTS)))
def test_they_come_back(facts: list[Fact], before: list[Fact]) -> None:
    """In their order and number, also where a fact stands twice."""
    assert whole(drawn(facts, before), before) == tuple(facts)


def test_other_facts_before_are_refused() -> None:
    """Facts told by more than stood before are not made up."""
    with pytest.raises(ValueError, match="tells of others"):
        whole(drawn(FACTS, FACTS), FACTS[:3])


@given(data=st.data())
def test_a_recorded_life_folds_to_the_same_windows(lived: Lives, data: st.DataObject) -> None:
    """Cuts as they are recorded, one after another or many in one commit, lead to the windows the
    records themselves lead to."""
    life = data.draw(lived)
    size = data.draw(st.integers(1, 5))
    direct = told = Window()
    for at in range(0, len(life), size):
        commit = life[at : at + size]
        for record in recorded(direct, commit):
            told = apply(told, json.decode(json.encode(record), type=r.Record))
        for record in commit:
            direct = apply(direct, record)
        assert told == direct


@given(data=st.data())
def test_no_recorded_digest_repeats_a_fact(lived: Lives, data: st.DataObject) -> None:
    """What the digests that leave hold is not written again."""
    window = Window()
    for record in data.draw(lived):
        for said in recorded(window, [record]):
            for edit in getattr(said, "edits", ()):
                if isinstance(edit, Folded):
                    assert edit.digest.facts == ()
        window = apply(window, record)
