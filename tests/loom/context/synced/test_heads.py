"""What two lists have in common from the first item on."""

from __future__ import annotations

from typing import Any

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


class Counting:
    """Counts how often it was compared."""

    compared = 0

    def __eq__(self, other: Any) -> bool:
        Counting.compared += 1
        return True

    __hash__ = None  # type: ignore[assignment]


def test_an_equal_list_is_compared_once() -> None:
    """Each item of it once, by the interpreter."""
    Counting.compared = 0
    one: list[Any] = [Counting() for _ in range(1_000)]
    assert same_head(one, [Counting() for _ in one]) == Counting.compared == 1_000
