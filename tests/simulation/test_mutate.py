"""Mutations of a small package: found, applied and tried with the tests of the package."""

from pathlib import Path

from tests.mutate.equivalents import EQUIVALENTS, reason
from tests.mutate.mutations import mutations_of

ROOT = Path(__file__).parents[2]


def test_every_equivalent_is_still_in_the_source() -> None:
    """One whose line was rewritten is to be judged anew, so it must not stay listed."""
    for path in {one.path for one in EQUIVALENTS}:
        listed = sum(one.path == path for one in EQUIVALENTS)
        assert sum(bool(reason(m)) for m in mutations_of(ROOT, ROOT / path)) >= listed
