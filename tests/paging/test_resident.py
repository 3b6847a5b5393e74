"""The resident set: a budget in bytes, least recently used out first."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from loom_paging.resident import ResidentSet


def test_nothing_is_resident_at_first() -> None:
    """An empty set gives nothing and dropping nothing is a no-op."""
    held: ResidentSet[str] = ResidentSet(10)
    held.drop("a")
    assert (held.get("a"), held.bytes) == (None, 0)


def test_the_least_recently_used_goes_first() -> None:
    """A use counts: what was read lately stays."""
    held: ResidentSet[str] = ResidentSet(10)
    for key in "ab":
        held.keep(key, key, 5)
    held.get("a")
    held.keep("c", "c", 5)
    assert [held.get(key) for key in "abc"] == ["a", None, "c"]


def test_a_giant_is_not_kept_and_evicts_nothing() -> None:
    """A value over the whole budget leaves the others where they are."""
    held: ResidentSet[str] = ResidentSet(10)
    held.keep("a", "a", 4)
    held.keep("giant", "g", 11)
    assert (held.get("a"), held.get("giant"), held.bytes) == ("a", None, 4)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 12))))
def test_the_sum_is_true_and_within_the_budget(steps: list[tuple[int, int]]) -> None:
    """`bytes` is the sum of what is held and never above the budget."""
    held: ResidentSet[int] = ResidentSet(20)
    for key, cost in steps:
        held.keep(key, cost, cost)
        kept = [held.get(each) for each in range(6)]
        assert held.bytes == sum(each for each in kept if each is not None) <= 20
