"""What a cut goes down to."""

from __future__ import annotations

import pytest

from loom_partitions.limits import LEAST, MOST, Limits
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
    limits = Limits(window=12_000, reply=2_000, low_water=0.75, **given)
    assert limits.target(growth) == target


@pytest.mark.parametrize("growth", [0.0, 100.0, 1e9])
def test_no_growth_empties_a_window(growth: float) -> None:
    """However large the steps are, a cut keeps the least share."""
    limits = Limits(window=12_000, reply=2_000, low_water=0.75, served=4)
    assert limits.target(growth) >= limits.capacity * LEAST
