"""The matrix of kinds and positions: every cell is clean, leaks, or could not be tried."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from importlib import import_module
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from msgspec import Struct

from benchmarks.secrets import kinds as first_generator
from benchmarks.secrets.fixture import KEPT
from benchmarks.secrets.kinds import plant
from benchmarks.secrets.planted import Maker, Planted
from benchmarks.secrets.positions import POSITIONS, fits
from benchmarks.secrets.search import RawSearch, resting
from loom.bench.pool import spread
from loom.redact import SECRETS, Rules

AGAIN = "again"  # of the seed of other secrets, by which is known what all of a kind share
PLACES = 3  # told of each secret that rests
# Generator → its module, and the share of clean cells it must reach.
GENERATORS = {
    "first": (first_generator.__name__, 0.95),
    "second": ("benchmarks.secrets.second", 0.9),
}


class NoGenerator(ValueError):
    """A generator of secrets that is not part of this build."""


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


def makers(generator: str) -> Mapping[str, Maker]:
    """The kinds of a generator. Raises NoGenerator for one that is not there."""
    module, _ = GENERATORS[generator]
    try:
        found: Mapping[str, Maker] = import_module(module).KINDS
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        raise NoGenerator(f"--generator {generator}: there is no {module}") from None
    return found


def columns(
    generator: str,
    seed: int,
    kinds: Sequence[str],
    positions: Sequence[str],
    workers: int,
    redact: Rules | None = None,
) -> Iterator[MatrixColumn]:
    """Every position with all the kinds, as they end."""
    jobs = [(generator, seed, tuple(kinds), position, redact) for position in positions]
    yield from spread(tried, jobs, workers)


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
    known = makers(generator)
    plants, others = plant(known, seed, kinds), plant(known, f"{seed} {AGAIN}", kinds)
    secrets = {kind: one.secret for kind, one in plants.items()}
    return plants, RawSearch(secrets, {kind: [one.secret] for kind, one in others.items()})


def figures(found: Sequence[MatrixColumn]) -> dict[str, Any]:
    """The JSON object: the share of cells that are clean, by position and by kind, and the rest."""
    kinds = list(dict.fromkeys(kind for column in found for kind in column.kinds))
    tried_in = {kind: [one for one in found if kind in one.kinds] for kind in kinds}
    cells = sum(len(one.kinds) for one in found)
    clean = sum(len(one.clean) for one in found)
    return {
        "kinds": len(kinds),
        "positions": len(found),
        "cells": cells,
        "clean": clean,
        "share": round(clean / cells, 4) if cells else 0.0,
        "by_position": {one.position: [len(one.clean), len(one.kinds)] for one in found},
        "by_kind": {
            kind: [sum(kind in one.clean for one in those), len(those)]
            for kind, those in tried_in.items()
        },
        "leaks": {one.position: one.leaks for one in found if one.leaks},
        "failed": {one.position: one.failed for one in found if one.failed},
    }
