"""The matrix of kinds and positions: every cell is clean, leaks, or could not be tried."""

from __future__ import annotations

import gc
from collections.abc import Mapping
from functools import lru_cache
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct

from loom.redact import SECRETS, Rules
from tests.kit.secrets.fixture import KEPT
from tests.kit.secrets.kinds import KINDS as FIRST
from tests.kit.secrets.kinds import plant
from tests.kit.secrets.planted import Maker, Planted
from tests.kit.secrets.positions import POSITIONS, fits
from tests.kit.secrets.search import RawSearch, resting
from tests.kit.secrets.second.kinds import KINDS as SECOND

AGAIN = "again"  # of the seed of other secrets, by which is known what all of a kind share
PLACES = 3  # told of each secret that rests
# Generator → its kinds, and the share of cells that must be clean. The second was made by someone
# who has not read the rules.
GENERATORS: dict[str, tuple[Mapping[str, Maker], float]] = {
    "first": (FIRST, 0.95),
    "second": (SECOND, 0.9),
}


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


# Generator, seed, kinds, position, rules: None is the usual ones.
Job = tuple[str, int, tuple[str, ...], str, Rules | None]


def tried(job: Job) -> MatrixColumn:
    """All kinds in one position, and what of them its folder holds once it is closed."""
    generator, seed, kinds, position, redact = job
    plants, search = prepared(generator, seed, kinds)
    chosen = {kind: one for kind, one in plants.items() if fits(position, one)}
    with TemporaryDirectory(prefix="loom-secrets-") as name:
        folder = Path(name)
        try:
            failed = POSITIONS[position](folder, chosen, SECRETS if redact is None else redact)
        except Exception as error:  # a position that fails is told as such, the others go on
            failed = dict.fromkeys(chosen, f"{type(error).__name__}: {error}"[:200])
        gc.collect()  # what nobody closed
        found = resting(folder / KEPT, search)
    leaks = {
        kind: dict(islice(where.items(), PLACES)) for kind, where in found.items() if kind in chosen
    }
    return MatrixColumn(
        position, tuple(chosen), leaks, {k: v for k, v in failed.items() if k not in leaks}
    )


@lru_cache(2)
def prepared(
    generator: str, seed: int, kinds: tuple[str, ...]
) -> tuple[dict[str, Planted], RawSearch]:
    """The secrets of some kinds, and the search for them; ValueError for what cannot be found."""
    known, _ = GENERATORS[generator]
    plants, others = plant(known, seed, kinds), plant(known, f"{seed} {AGAIN}", kinds)
    secrets = {kind: one.secret for kind, one in plants.items()}
    return plants, RawSearch(secrets, {kind: [one.secret] for kind, one in others.items()})
