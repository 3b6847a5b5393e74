"""Options that several commands take, and how a command refuses one."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from math import inf
from pathlib import Path
from typing import Annotated, ParamSpec

from cyclopts import Parameter

from benchmarks.show import on_stderr
from loom.replay.importers.unreadable import BadSession
from loom_bench.errors import BadBench

Given = ParamSpec("Given")


def _within(least: float, most: float, said: str) -> Callable[[type, object], None]:
    """A check of an option's number. What it returns raises ValueError for one out of range."""

    def check(kind: type, value: object) -> None:
        if isinstance(value, int | float) and not least <= value <= most:
            raise ValueError(f"Give {said}.")

    return check


CAPACITIES = "16000,32000,64000"
FromZero = Annotated[int, Parameter(validator=_within(0, inf, "0 or more"))]
FromOne = Annotated[int, Parameter(validator=_within(1, inf, "1 or more"))]
Workers = Annotated[int, Parameter(validator=_within(1, inf, "1 or more"), help="Processes.")]
Json = Annotated[bool, Parameter(negative=(), help="No table, only the JSON line.")]
Share = Annotated[float, Parameter(validator=_within(0, 1, "a share from 0 to 1"))]
Sessions = Annotated[list[Path], Parameter(consume_multiple=True, negative=())]
Names = Annotated[list[str] | None, Parameter(consume_multiple=True, negative=())]


def sizes(option: str, given: str, example: str = "16000,32000") -> list[int]:
    """Sizes in tokens, separated by commas. Raises BadBench for anything else."""
    try:
        found = [int(size) for size in given.replace("_", "").split(",")]
    except ValueError:
        found = []
    if not found or min(found) <= 0:
        raise BadBench(f"{option} {given!r}: give sizes in tokens, as {example}")
    return found


def refuse(why: object) -> int:
    """Say on stderr why nothing was done; returns the exit code."""
    on_stderr(why)
    return 2


def refusing(command: Callable[Given, int]) -> Callable[Given, int]:
    """A command that says on stderr which option or session it cannot use, and then returns 2."""

    @wraps(command)
    def run(*given: Given.args, **named: Given.kwargs) -> int:
        try:
            return command(*given, **named)
        except (BadBench, BadSession) as error:
            return refuse(error)

    return run
