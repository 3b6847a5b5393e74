"""Commands of the package `loom-bench`. They are found by its entry points in the group
`loom.commands`, if it is installed."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import entry_points
from typing import Annotated

from cyclopts import Parameter

from loom.errors import BadInput

GROUP = "loom.commands"


def __getattr__(name: str) -> object:
    """Return the function of the command `name` from an installed package, or else a function that
    raises BadInput with a hint what to install."""
    if name.startswith("__"):
        raise AttributeError(name)
    for entry in entry_points(group=GROUP, name=name):
        return entry.load()
    return _missing_command(name)


def _missing_command(name: str) -> Callable[..., int]:
    def missing(*words: Annotated[str, Parameter(allow_leading_hyphen=True)]) -> int:
        raise BadInput(
            f"`loom {name}` is a command of loom-bench, which is not installed:"
            " in a checkout of Loom, `pip install ./benchmarks`"
        )

    missing.__doc__ = f"`loom {name}`, once loom-bench is installed."
    return missing
