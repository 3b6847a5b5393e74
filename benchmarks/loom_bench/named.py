"""Scenarios, strategies and judges by name: built in, of an installed package, or of a file.

A package adds its own by an entry point of the group `loom_bench.scenarios`,
`loom_bench.strategies` or `loom_bench.judges`; a file is named `FILE.py:NAME`. Workers load both
anew, so a name is all that is handed to them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping
from functools import cache
from importlib.metadata import entry_points
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from loom_bench.errors import RAISES, BadBench, said_of

MARK = ".py:"
# Kind of a part → the group of entry points by which a package adds its own.
GROUPS = {
    "scenario": "loom_bench.scenarios",
    "strategy": "loom_bench.strategies",
    "judge": "loom_bench.judges",
}

Built = Callable[[], Mapping[str, Any]]


class NamedParts:
    """What one kind of part is known by. `built` gives those of Loom's own; of these the `rare`
    ones are used only where they are named."""

    def __init__(self, kind: str, built: Built, rare: Collection[str] = ()) -> None:
        self.kind = kind
        self._built = built
        self._rare = rare

    def usual(self) -> tuple[str, ...]:
        """The names that are taken where none is given."""
        return tuple(name for name in self._built() if name not in self._rare)

    def built(self) -> list[str]:
        """The names of Loom's own."""
        return [*self._built()]

    def names(self) -> list[str]:
        """Every name that is known, without those of files."""
        return [*self._built(), *sorted(self._others())]

    def get(self, name: str) -> Any:
        """The part of a name. Raises BadBench where there is none, or it cannot be loaded."""
        built = self._built()
        if name in built:
            return built[name]
        if MARK in name:
            return _of_file(name, self.kind)
        others = self._others()
        if name not in others:
            there = ", ".join(self.names())
            raise BadBench(
                f"{self.kind} {name}: there are {there}, and FILE.py:NAME for one of your own"
            )
        try:
            return others[name].load()
        except RAISES as error:  # it is somebody else's: whatever it raises is told
            raise BadBench(f"{self.kind} {name}: {said_of(error)}") from error

    def _others(self) -> dict[str, Any]:
        return {one.name: one for one in entry_points(group=GROUPS[self.kind])}


@cache
def _of_file(name: str, kind: str) -> Any:
    place, _, called = name.rpartition(MARK)
    path = Path(place + ".py")
    spec = spec_from_file_location(f"loom_bench_{kind}_{path.stem}", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise BadBench(f"{kind} {name}: there is no file {path}")
    module = module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their own module up there
    try:
        spec.loader.exec_module(module)
    except RAISES as error:  # it is somebody else's: whatever it raises is told
        raise BadBench(f"{kind} {name}: {said_of(error)}") from error
    made = getattr(module, called, None)
    if made is None:
        raise BadBench(f"{kind} {name}: {path} has no {called}")
    return made
