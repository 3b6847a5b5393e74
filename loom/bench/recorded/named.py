"""Strategies by the names a command line gives them: a built-in one, a peer's, or one's own.

One's own is `FILE.py:NAME`, a strategy as `loom.bench` takes it. Workers load the file anew, so it
must need nothing but itself and what is installed.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache, partial

from loom.bench.errors import BadBench
from loom.bench.pool import Tell, quiet
from loom.bench.recorded.kept import asked_window
from loom.bench.recorded.windows import STRATEGIES, Opener, missing
from loom.bench.strategies import STRATEGIES as NAMED
from loom.bench.strategy import Strategy


def opener(name: str) -> Opener:
    """What opens a strategy. Raises ValueError for a name of none, and for a file without it."""
    if name in STRATEGIES:
        return STRATEGIES[name]
    return partial(asked_window, _strategy(name))


def known(names: Sequence[str], beside: Collection[str] = (), tell: Tell = quiet) -> list[str]:
    """The named strategies that can run here, each once; `beside` are names of other things.

    Raises ValueError for a name of none.
    """
    for name in names:
        if name not in STRATEGIES and name not in beside:
            _strategy(name)
    return [name for name in dict.fromkeys(names) if name in beside or not missing(name, tell)]


@cache
def _strategy(name: str) -> Strategy:
    try:
        made: Strategy = NAMED.get(name)
    except BadBench as error:
        raise ValueError(f"--{error}") from error
    return made
