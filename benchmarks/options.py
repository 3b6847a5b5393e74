"""Options that several commands take, and how a command refuses one."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from math import inf
from pathlib import Path
from typing import Annotated, Any, ParamSpec, get_type_hints

from cyclopts import Parameter
from msgspec import Struct
from rich.table import Table

from benchmarks.show import end, on_stderr
from loom.errors import BadSession
from loom_bench.errors import BadBench

Given = ParamSpec("Given")


def _within(least: float, most: float, said: str) -> Callable[[type, object], None]:
    """A check of an option's number. What it returns raises ValueError for one out of range."""

    def check(kind: type, value: object) -> None:
        if isinstance(value, int | float) and not least <= value <= most:
            raise ValueError(f"Give {said}.")

    return check


LIMIT = "At most this many sessions; 0 is all."
CAPACITY = "Tokens of a request, reply not counted, separated by commas."
DETAILS = "A file that gets one JSON line for each thing that was judged."
CAPACITIES = "16000,32000,64000"
FromZero = Annotated[int, Parameter(validator=_within(0, inf, "0 or more"))]
FromOne = Annotated[int, Parameter(validator=_within(1, inf, "1 or more"))]
Workers = Annotated[int, Parameter(validator=_within(1, inf, "1 or more"), help="Processes.")]
Json = Annotated[bool, Parameter(negative=(), help="No table, only the JSON line.")]
Share = Annotated[float, Parameter(validator=_within(0, 1, "a share from 0 to 1"))]
Sessions = Annotated[
    list[Path],
    Parameter(consume_multiple=True, negative=(), help="Files or folders of recorded sessions."),
]
Limit = Annotated[int, Parameter(validator=_within(0, inf, "0 or more"), help=LIMIT)]
Capacity = Annotated[str, Parameter(help=CAPACITY)]
Details = Annotated[Path | None, Parameter(help=DETAILS)]
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


class CommandResult(Struct, frozen=True):
    """What a command measured: its JSON object, its tables, a line about them, and what was missed.

    `missed` are lines for stderr; any of them is the exit code 1.
    """

    report: Mapping[str, Any]
    tables: Sequence[Table] = ()
    said: str = ""
    missed: Sequence[str] = ()


def measuring(command: Callable[Given, CommandResult]) -> Callable[..., int]:
    """A command that prints what it measured, or says on stderr which option or session it cannot
    use and returns 2. With `--json` it prints no table."""

    @wraps(command)
    def run(*given: Given.args, **named: Given.kwargs) -> int:
        json = named.pop("json", False)
        try:
            made = command(*given, **named)
        except (BadBench, BadSession) as error:
            return refuse(error)
        end(made.report, [] if json else made.tables, "" if json else made.said)
        for line in made.missed:
            on_stderr(line)
        return int(bool(made.missed))

    taken = inspect.signature(command, eval_str=True)
    own = inspect.Parameter("json", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=Json)
    run.__signature__ = taken.replace(  # type: ignore[attr-defined]
        parameters=[*taken.parameters.values(), own], return_annotation=int
    )
    run.__annotations__ = get_type_hints(command, include_extras=True) | {"json": Json}
    return run
