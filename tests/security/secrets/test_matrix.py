"""Made secrets by every door into a workspace: what rests of them on the disk.

`make test` tries two positions; with the profile `simulate` all are tried, for some ten minutes.
"""

import gc
import re
from functools import lru_cache
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from msgspec import Struct

from loom.redact import SECRETS, Redactor, Rules
from tests.kit.cases import SIMULATED, all_cases
from tests.kit.secrets.documented import LEAST, missed
from tests.kit.secrets.doors import KEPT, POSITIONS
from tests.kit.secrets.kinds import KINDS, plant
from tests.kit.secrets.search import RawSearch, resting
from tests.kit.secrets.shapes import Planted

# What a placeholder would hold, which a redactor may leave as it is.
PLACEHOLDER = re.compile(r"(?i)example|change-?me|password|xxxx|\*{4}|@@|«|<\w+:|\$\{")
LONG = 400  # in so many random signs any four will stand somewhere
PLACES = tuple(POSITIONS) if SIMULATED else ("result", "stream")
# No rule knows it, so it stands in the output of `loom replay` too, which has rules of its own.
MARKER = "walnut quartz badger lantern meadow"
SHOWN = 3  # places told of each secret that rests
CLEAN = 0.95  # of the cells
MARKED = Planted(f"the parrot sits in {MARKER} tonight", MARKER)


class MatrixColumn(Struct, frozen=True):
    """One position: the kinds tried in it, where each that leaks rests, and what went wrong."""

    position: str
    kinds: tuple[str, ...]
    leaks: dict[str, dict[str, str]] = {}
    failed: dict[str, str] = {}

    @property
    def clean(self) -> tuple[str, ...]:
        """The kinds that were brought in and rest nowhere."""
        return tuple(one for one in self.kinds if one not in self.leaks and one not in self.failed)


def tried(
    position: str, kinds: tuple[str, ...] = tuple(KINDS), redact: Rules = SECRETS
) -> MatrixColumn:
    """All kinds in one position, and what of them its folder holds once it is closed."""
    plants, search = prepared(kinds)
    with TemporaryDirectory(prefix="loom-secrets-") as name:
        folder = Path(name)
        try:
            failed = POSITIONS[position](folder, plants, redact)
        except Exception as error:  # a position that fails is told as such, the others go on
            failed = dict.fromkeys(plants, f"{type(error).__name__}: {error}"[:200])
        gc.collect()  # what nobody closed
        found = resting(folder / KEPT, search)
    leaks = {kind: dict(islice(where.items(), SHOWN)) for kind, where in found.items()}
    return MatrixColumn(position, kinds, leaks, {k: v for k, v in failed.items() if k not in leaks})


@lru_cache(2)
def prepared(kinds: tuple[str, ...]) -> tuple[dict[str, Planted], RawSearch]:
    """The secrets of some kinds, and the search for them; ValueError for what cannot be found."""
    plants, others = plant(1, kinds), plant("again", kinds)
    secrets = {kind: one.secret for kind, one in plants.items()}
    return plants, RawSearch(secrets, {kind: [one.secret] for kind, one in others.items()})


def test_secrets_that_can_be_found() -> None:
    """Each kind makes its secret again from its seed, alone or among others, and another from
    another seed; it stands in its text, is no placeholder, and has a piece of its own."""
    made, others = plant(1), plant(2)
    first = next(iter(KINDS))
    assert made == plant(1) and plant(1, [first]) == {first: made[first]}
    assert len({one.secret for one in (*made.values(), *others.values())}) == 2 * len(KINDS)
    for one in made.values():
        assert one.secret in one.text and not re.search("[«⟦]|<[a-z]+:[0-9]+>", one.text)
        assert len(one.secret) > LONG or not PLACEHOLDER.search(one.secret)
    assert len(prepared(tuple(KINDS))[0]) == len(KINDS) >= 250


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
    """Without rules a secret leaks; what a door or a position refuses is failed, not clean."""
    kind = "github token, gh token, gh pat ghp_<alnum:36>"
    column = tried("result", (kind,), ())
    assert column.clean == () and set(column.leaks) == {kind}
    odd = Planted("\ud800", "\ud800")  # no UTF-8
    failed = POSITIONS["binary"](tmp_path, {"odd": odd, "marker": MARKED}, ())
    assert set(failed) == {"odd"} and "UnicodeEncodeError" in failed["odd"]
    assert resting(tmp_path / KEPT, RawSearch({"marker": MARKER}))

    def raises(*given: object) -> dict[str, str]:
        raise OSError("no room")

    monkeypatch.setitem(POSITIONS, "result", raises)
    column = tried("result", (kind,))
    assert column.clean == () and column.failed == {kind: "OSError: no room"}


@pytest.mark.timeout(3_600 if SIMULATED else 300)
def test_the_share_of_clean_cells() -> None:
    """Of all kinds in all positions CLEAN rest nowhere, and nothing fails."""
    columns = [tried(place) for place in PLACES]
    assert {one.position: one.failed for one in columns if one.failed} == {}
    cells = sum(len(one.kinds) for one in columns)
    clean = sum(len(one.clean) for one in columns)
    print(f"{len(KINDS)} kinds, {len(PLACES)} positions: {clean:,} of {cells:,} cells clean")
    assert clean >= cells * CLEAN, {one.position: one.leaks for one in columns}


def test_the_second_generator() -> None:
    """Of secrets whose words and places nobody had in mind with the rules, the documented share."""
    rests, made = missed(Redactor())
    print(f"{made - len(rests):,} of {made:,} documented secrets found")
    assert len(rests) <= made * (1 - LEAST), [one.text for one in rests]
