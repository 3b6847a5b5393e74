"""Made secrets by every door into a workspace: what rests of them on the disk.

`make test` tries two positions; with the profile `simulate` all are tried, for some ten minutes.
"""

from __future__ import annotations

import os

import pytest

from tests.kit.secrets.matrix import GENERATORS, tried
from tests.kit.secrets.positions import POSITIONS

SIMULATED = os.environ.get("HYPOTHESIS_PROFILE") == "simulate"
PLACES = tuple(POSITIONS) if SIMULATED else ("note", "result")


def test_no_redaction_leaks() -> None:
    """Without rules a secret the rules know rests, so a clean cell says much."""
    column = tried(("first", 1, ("github-classic",), "result", ()))
    assert column.clean == () and set(column.leaks) == {"github-classic"}


def test_a_position_that_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its cells are failed, not clean."""

    def raises(*given: object) -> dict[str, str]:
        raise OSError("no room")

    monkeypatch.setitem(POSITIONS, "result", raises)
    column = tried(("first", 1, ("jwt",), "result", None))
    assert column.clean == () and column.failed == {"jwt": "OSError: no room"}


@pytest.mark.timeout(3_600 if SIMULATED else 300)
@pytest.mark.parametrize("generator", GENERATORS)
def test_the_share_of_clean_cells(generator: str) -> None:
    """Of all kinds in all positions, the generator's share rests nowhere, and nothing fails."""
    kinds, least = GENERATORS[generator]
    columns = [tried((generator, 1, tuple(kinds), place, None)) for place in PLACES]
    assert {one.position: one.failed for one in columns if one.failed} == {}
    cells = sum(len(one.kinds) for one in columns)
    clean = sum(len(one.clean) for one in columns)
    print(f"{generator}: {clean:,} of {cells:,} cells clean")
    assert clean >= cells * least, {one.position: one.leaks for one in columns}
