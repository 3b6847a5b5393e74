"""The resident set: a budget in bytes, least recently used out first."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from loom_paging.resident import ResidentSet


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
