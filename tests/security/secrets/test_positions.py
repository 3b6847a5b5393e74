"""Every position brings a text in: without redaction it rests, with a rule for it it does not."""

from __future__ import annotations

from pathlib import Path

from loom.redact import Rules
from tests.kit.cases import all_cases
from tests.kit.secrets.fixture import KEPT
from tests.kit.secrets.planted import Planted
from tests.kit.secrets.positions import POSITIONS, fits
from tests.kit.secrets.search import RawSearch, resting

# No rule knows it, so it stands in the output of `loom replay` too, which has rules of its own.
MARKER = "walnut quartz badger lantern meadow"
MARKED = Planted(f"the parrot sits in {MARKER} tonight", MARKER)
LONG = Planted("a\nb", "b")


def rested(position: str, folder: Path, redact: Rules, planted: Planted = MARKED) -> dict[str, str]:
    """Where the marker rests after a position; nothing may go wrong there."""
    assert POSITIONS[position](folder, {"marker": planted}, redact) == {}
    search = RawSearch({"marker": planted.secret})
    return resting(folder / KEPT, search).get("marker", {})


@all_cases("position", POSITIONS)
def test_each_position_brings_it_in(tmp_path: Path, position: str) -> None:
    """What comes in by a position without redaction rests somewhere, so a clean cell says much."""
    assert rested(position, tmp_path, ())


@all_cases("position", ["result", "note", "bus event", "memory tool", "snapshots"])
def test_a_rule_for_it_keeps_it_out(tmp_path: Path, position: str) -> None:
    """What a rule knows rests nowhere, so a cell that leaks says much too."""
    assert not rested(position, tmp_path, [("marker", "walnut [a-z ]{20,40}meadow")])


def test_what_fits() -> None:
    """A text of several lines names no file; it fits everywhere else."""
    assert [position for position in POSITIONS if not fits(position, LONG)] == ["file names"]


def test_a_door_that_fails(tmp_path: Path) -> None:
    """What a door refuses is told by kind, and the others go on."""
    odd = Planted("\ud800", "\ud800")  # no UTF-8
    failed = POSITIONS["binary"](tmp_path, {"odd": odd, "marker": MARKED}, ())
    assert set(failed) == {"odd"} and "UnicodeEncodeError" in failed["odd"]
    assert resting(tmp_path / KEPT, RawSearch({"marker": MARKER}))
