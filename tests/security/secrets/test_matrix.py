"""Made secrets by every door into a workspace: what rests of them on the disk.

`make test` tries two positions; with the profile `simulate` all are tried, for some ten minutes.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from loom.redact import Rules
from tests.kit.cases import SIMULATED, all_cases
from tests.kit.secrets.fixture import KEPT
from tests.kit.secrets.matrix import GENERATORS, tried
from tests.kit.secrets.planted import Planted
from tests.kit.secrets.positions import POSITIONS, fits
from tests.kit.secrets.search import RawSearch, resting

PLACES = tuple(POSITIONS) if SIMULATED else ("note", "result")
# No rule knows it, so it stands in the output of `loom replay` too, which has rules of its own.
MARKER = "walnut quartz badger lantern meadow"
MARKED = Planted(f"the parrot sits in {MARKER} tonight", MARKER)


def rested(position: str, folder: Path, redact: Rules) -> dict[str, str]:
    """Where the marker rests after a position; nothing may go wrong there."""
    assert POSITIONS[position](folder, {"marker": MARKED}, redact) == {}
    return resting(folder / KEPT, RawSearch({"marker": MARKER})).get("marker", {})


@all_cases("position", POSITIONS)
def test_each_position_brings_it_in(tmp_path: Path, position: str) -> None:
    """What comes in by a position without redaction rests somewhere, so a clean cell says much."""
    assert rested(position, tmp_path, ())


@all_cases("position", [one for one in POSITIONS if one != "replay"])
def test_a_rule_for_it_keeps_it_out(tmp_path: Path, position: str) -> None:
    """What a rule knows rests nowhere, whatever way it came and however it was spelled."""
    assert not rested(position, tmp_path, [("marker", "walnut [a-z ]{20,40}meadow")])


def test_what_a_cell_tells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without rules a secret leaks; what a door or a position refuses is failed, not clean; a text
    of several lines names no file and fits everywhere else."""
    column = tried(("first", 1, ("github-classic",), "result", ()))
    assert column.clean == () and set(column.leaks) == {"github-classic"}
    odd = Planted("\ud800", "\ud800")  # no UTF-8
    failed = POSITIONS["binary"](tmp_path, {"odd": odd, "marker": MARKED}, ())
    assert set(failed) == {"odd"} and "UnicodeEncodeError" in failed["odd"]
    assert resting(tmp_path / KEPT, RawSearch({"marker": MARKER}))
    lines = Planted("a\nb", "b")
    assert [position for position in POSITIONS if not fits(position, lines)] == ["file names"]

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
