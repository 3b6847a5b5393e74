"""What a cut goes down to, and facts drawn together."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import json

from loom_partitions import records as r
from loom_partitions.edits import FactRuns, Folded, facts_as_runs, facts_from_runs
from loom_partitions.limits import LEAST, MOST, Limits
from loom_partitions.message import Fact
from loom_partitions.window import Window, apply, records_for_journal
from tests.kit.cases import all_cases

TARGETS = [
    ("no growth", {}, 0.0, 7_500),
    ("no turns asked for", {"served": 0}, 4_000.0, 7_500),
    ("growth that low water serves", {"served": 4}, 625.0, 7_500),
    ("growth that takes more", {"served": 4}, 750.0, 7_000),
    ("growth that would take all", {"served": 4}, 9_000.0, int(10_000 * LEAST)),
    ("a window that shrank", {"served": 4}, -500.0, 7_500),
    ("turns enough above low water", {"plenty": 12}, 200.0, 7_600),
    ("growth that leaves none above it", {"plenty": 12}, 400.0, 7_500),
    ("no growth, and still something is freed", {"plenty": 12}, 0.0, int(10_000 * MOST)),
    ("a few turns come before many", {"served": 40, "plenty": 2}, 60.0, 7_600),
]


@all_cases(("_", "given", "growth", "target"), TARGETS, ids=[t[0] for t in TARGETS])
def test_a_cut_makes_room_for_some_turns(
    _: str, given: dict[str, int], growth: float, target: int
) -> None:
    """Low water; lower where a few turns would not fit above it, higher where a dozen do."""
    assert Limits(window=12_000, reply=2_000, low_water=0.75, **given).target(growth) == target


@pytest.mark.parametrize("growth", [0.0, 100.0, 1e9])
def test_no_growth_empties_a_window(growth: float) -> None:
    """However large the steps are, a cut keeps the least share."""
    limits = Limits(window=12_000, reply=2_000, low_water=0.75, served=4)
    assert limits.target(growth) >= limits.capacity * LEAST


Lives = st.SearchStrategy[list[r.Record]]
FACTS = [Fact("ran", f"run {number}") for number in range(9)]


def test_what_stays_is_one_run() -> None:
    """Facts that follow one another as before are told in one pair, new ones stand as they are."""
    new = Fact("edit", "src/a.py")
    assert facts_as_runs([*FACTS[2:8], new], FACTS) == FactRuns(((2, 6), (-1, 1)), (new,))


@given(st.lists(st.sampled_from(FACTS)), st.lists(st.sampled_from(FACTS)))
def test_they_come_back(facts: list[Fact], before: list[Fact]) -> None:
    """In their order and number, also where a fact stands twice."""
    assert facts_from_runs(facts_as_runs(facts, before), before) == tuple(facts)


def test_other_facts_before_are_refused() -> None:
    """Facts told by more than stood before are not made up."""
    with pytest.raises(ValueError, match="tells of others"):
        facts_from_runs(facts_as_runs(FACTS, FACTS), FACTS[:3])


@given(data=st.data())
def test_a_recorded_life_folds_to_the_same_windows(lived: Lives, data: st.DataObject) -> None:
    """Cuts as they are recorded, one after another or many in one commit, lead to the windows the
    records themselves lead to."""
    life = data.draw(lived)
    size = data.draw(st.integers(1, 5))
    direct = told = Window()
    for at in range(0, len(life), size):
        commit = life[at : at + size]
        for record in records_for_journal(direct, commit):
            told = apply(told, json.decode(json.encode(record), type=r.Record))
        for record in commit:
            direct = apply(direct, record)
        assert told == direct


@given(data=st.data())
def test_no_recorded_digest_repeats_a_fact(lived: Lives, data: st.DataObject) -> None:
    """What the digests that leave hold is not written again."""
    window = Window()
    for record in data.draw(lived):
        for said in records_for_journal(window, [record]):
            for edit in getattr(said, "edits", ()):
                if isinstance(edit, Folded):
                    assert edit.digest.facts == ()
        window = apply(window, record)
