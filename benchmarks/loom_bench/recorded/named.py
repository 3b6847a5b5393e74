"""Strategies over recorded sessions by name: those of this folder, else those of `loom bench`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial

from loom_bench.pool import Tell, quiet
from loom_bench.recorded.kept import asked_window
from loom_bench.recorded.windows import STRATEGIES as RECORDED
from loom_bench.recorded.windows import Opener, missing
from loom_bench.strategies import STRATEGIES


def opener(name: str) -> Opener:
    """What opens a strategy. Raises BadBench for a name of none, and for a file without it."""
    if name in RECORDED:
        return RECORDED[name]
    return partial(asked_window, STRATEGIES.get(name))


def known(names: Sequence[str], beside: Collection[str] = (), tell: Tell = quiet) -> list[str]:
    """The named strategies that can run here, each once; `beside` are names of other things.

    Raises BadBench for a name of none.
    """
    for name in names:
        if name not in RECORDED and name not in beside:
            STRATEGIES.get(name)
    return [name for name in dict.fromkeys(names) if name in beside or not missing(name, tell)]
