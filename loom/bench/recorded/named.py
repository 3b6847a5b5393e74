"""Strategies by the names a command line gives them: a built-in one, a peer's, or one's own.

One's own is `FILE.py:NAME`, a function as those of `baselines`: it is given the capacity in tokens
and a Meter, and returns a policy, which makes the messages of a request out of the groups of
messages so far. Workers load the file anew, so it must need nothing but itself and what is
installed.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache, partial
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import cast

from loom.bench.pool import Tell, quiet
from loom.bench.recorded.windows import STRATEGIES, Opener, RecordedStrategy, Unpaged, missing
from loom.bench.strategies.baselines import Factory
from loom.replay.cost import Meter

OWN = "FILE.py:NAME"
MARK = ".py:"


def opener(name: str) -> Opener:
    """What opens a strategy. Raises ValueError for a name of none, and for a file without it."""
    if name in STRATEGIES:
        return STRATEGIES[name]
    return partial(_own, _factory(name))


def known(names: Sequence[str], beside: Collection[str] = (), tell: Tell = quiet) -> list[str]:
    """The named strategies that can run here, each once; `beside` are names of other things.

    Raises ValueError for a name of none.
    """
    for name in names:
        if name not in STRATEGIES and name not in beside:
            _factory(name)
    return [name for name in dict.fromkeys(names) if name in beside or not missing(name, tell)]


def _own(make: Factory, capacity: int, meter: Meter, own_tools: bool) -> RecordedStrategy:
    return Unpaged(make(capacity, meter), capacity, meter, trusted=False)


@cache
def _factory(name: str) -> Factory:
    place, mark, called = name.rpartition(MARK)
    if not mark:
        there = ", ".join(STRATEGIES)
        raise ValueError(f"--strategy {name}: there are {there}, and {OWN} for one of your own")
    path = Path(place + ".py")
    spec = spec_from_file_location(f"strategy_{path.stem}", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise ValueError(f"--strategy {name}: there is no file {path}")
    module = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # it is somebody else's: whatever it raises is told
        raise ValueError(f"--strategy {name}: {type(error).__name__}: {error}") from error
    made = getattr(module, called, None)
    if not callable(made):
        raise ValueError(f"--strategy {name}: {path} has no function {called}")
    return cast("Factory", made)
