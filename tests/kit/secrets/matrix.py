"""The matrix of kinds and positions: every cell is clean, leaks, or could not be tried."""

import gc
from functools import lru_cache
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct

from loom.redact import SECRETS, Rules
from tests.kit.secrets.doors import KEPT, POSITIONS
from tests.kit.secrets.kinds import KINDS, plant
from tests.kit.secrets.planted import Planted
from tests.kit.secrets.search import RawSearch, resting

AGAIN = "again"  # of the seed of other secrets, by which is known what all of a kind share
PLACES = 3  # told of each secret that rests


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
    leaks = {kind: dict(islice(where.items(), PLACES)) for kind, where in found.items()}
    return MatrixColumn(position, kinds, leaks, {k: v for k, v in failed.items() if k not in leaks})


@lru_cache(2)
def prepared(kinds: tuple[str, ...]) -> tuple[dict[str, Planted], RawSearch]:
    """The secrets of some kinds, and the search for them; ValueError for what cannot be found."""
    plants, others = plant(1, kinds), plant(AGAIN, kinds)
    secrets = {kind: one.secret for kind, one in plants.items()}
    return plants, RawSearch(secrets, {kind: [one.secret] for kind, one in others.items()})
