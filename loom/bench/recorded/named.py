"""Strategies over recorded sessions by name: those of this folder, else those of `loom bench`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial

from loom.bench.pool import Tell, quiet
from loom.bench.recorded.public import factory_of
from loom.bench.recorded.windows import STRATEGIES as RECORDED
from loom.bench.recorded.windows import Opener, RecordedStrategy, Unpaged, missing
from loom.bench.strategies import STRATEGIES
from loom.replay.cost import Meter


def opener(name: str) -> Opener:
    """What opens a strategy. Raises BadBench for a name of none, and for a file without it."""
    return RECORDED[name] if name in RECORDED else partial(_own, name)


def known(names: Sequence[str], beside: Collection[str] = (), tell: Tell = quiet) -> list[str]:
    """The named strategies that can run here, each once; `beside` are names of other things.

    Raises BadBench for a name of none.
    """
    for name in names:
        if name not in RECORDED and name not in beside:
            STRATEGIES.get(name)
    return [name for name in dict.fromkeys(names) if name in beside or not missing(name, tell)]


def _own(name: str, capacity: int, meter: Meter, own_tools: bool) -> RecordedStrategy:
    make = factory_of(STRATEGIES.get(name))
    return Unpaged(make(capacity, meter), capacity, meter, trusted=False)
