"""What two lists have in common from the first item on."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from loom.context.synced.heads import same_head


@given(st.lists(st.integers(0, 2), max_size=20), st.lists(st.integers(0, 2), max_size=20))
def test_it_is_the_first_difference(one: list[int], other: list[int]) -> None:
    """Whatever the lists, it is what a loop over both finds."""
    pairs = enumerate(zip(one, other, strict=False))
    expected = next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
    assert same_head(one, other) == expected


def test_what_cannot_be_compared_differs() -> None:
    """An object whose comparison raises is another one each time."""

    class Odd:
        def __eq__(self, other: object) -> bool:
            raise RuntimeError("not me")

        __hash__ = None  # type: ignore[assignment]

    assert same_head([1, Odd(), 2], [1, Odd(), 2]) == 1
