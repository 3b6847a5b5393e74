"""How the time of a strategy grows with the text: made-up texts, each twice the size before.

What counts is time of the processor, so that a busy machine does not pass for a quadratic step. One
step alone can still be memory that got too large for a cache; the power over all sizes, 1 when the
time grows as the text does and 2 when it is quadratic, tells the two apart.
Four kinds, always the same for a size: a list of JSON objects, a log, CSV, and HTML. A smaller text
is the beginning of a larger one, so that nothing but the size differs.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from random import Random
from typing import Any

from benchmarks.measures.reduction.strategies import ReductionRequest, Strategy
from loom_bench.sessions.material import Material

SEED = 20_250_811
MEGABYTE = 1_000_000
PATIENCE = 20_000.0  # milliseconds: what took longer is not asked for a larger text
FLOOR = 5.0  # milliseconds: what took less tells of clocks and caches, not of the strategy
RUNS = 5  # the fastest counts
ENOUGH = 1_000.0  # milliseconds of runs of one text
OBJECTIVE = "Find which order of the last week was refused, and why."
REF = "outputs/result_0000.txt"

WORST = ("worst_step", "worst_power")  # over all kinds

Frame = tuple[str, str, str]  # what stands before, between and after the units
Row = list[float | None]  # milliseconds, None where it failed or was not asked


def _records(made: Material) -> Iterator[str]:
    while True:
        fields = {"name": made.name(), "path": made.path(), "size": made.number()}
        yield json.dumps({**fields, "note": made.sentence(), "labels": [made.noun(), made.noun()]})


def _log(made: Material) -> Iterator[str]:
    while True:
        yield from made.log(500)


def _rows(made: Material) -> Iterator[str]:
    while True:
        yield f'{made.number()},{made.name()},{made.path()},{made.number()},"{made.sentence()}"'


def _elements(made: Material) -> Iterator[str]:
    while True:
        yield f'<div class="{made.noun()}"><h3>{made.name()}</h3><p>{made.sentence()}</p>'
        yield f'<a href="{made.url()}">{made.noun()}</a></div>'


KINDS: dict[str, tuple[Callable[[Material], Iterator[str]], Frame]] = {
    "json": (_records, ("[", ",", "]")),
    "log": (_log, ("", "\n", "\n")),
    "csv": (_rows, ("id,name,path,size,note\n", "\n", "\n")),
    "html": (_elements, ("<!doctype html><html><body>\n", "\n", "\n</body></html>\n")),
}


def texts(kind: str, sizes: Sequence[int]) -> list[str]:
    """Texts of one kind with at least so many characters, by rising size."""
    units, (before, between, after) = KINDS[kind]
    source, made, length, found = units(Material(Random(f"{SEED}:{kind}"))), [], 0, []
    for size in sizes:
        while length < size:
            made.append(next(source))
            length += len(made[-1]) + len(between)
        found.append(before + between.join(made) + after)
    return found


def timed(strategy: Strategy, given: Sequence[str], limit: int) -> tuple[Row, list[str]]:
    """Milliseconds for each text, and what went wrong; after that or too long a time, no more."""
    row: Row = []
    errors: list[str] = []
    for text in given:
        if errors or (row and (row[-1] or 0.0) > PATIENCE):
            row.append(None)
            continue
        try:
            row.append(_fastest(strategy, text, limit))
        except Exception as error:
            row.append(None)
            errors.append(f"{type(error).__name__}: {error}")
    return row, errors


def _fastest(strategy: Strategy, text: str, limit: int) -> float:
    """The fastest of some runs; each text is another, so that no cache answers."""
    spent: list[float] = []
    while len(spent) < RUNS and sum(spent) < ENOUGH:
        asked = ReductionRequest(text + "\n" * len(spent), limit, REF, OBJECTIVE)
        spent.append(strategy(asked).busy)
    return min(spent)


def steps(row: Row) -> Row:
    """Each time ÷ the one before, where both are there and the one before is no mere instant."""
    return [
        round(after / before, 2) if before and after and before >= FLOOR else None
        for before, after in pairwise(row)
    ]


def power(row: Row, megabytes: Sequence[float]) -> float | None:
    """p where the time grows as size^p, from the first time above FLOOR to the last."""
    known = [(size, ms) for size, ms in zip(megabytes, row, strict=True) if ms and ms >= FLOOR]
    if len(known) < 2:
        return None
    (size, ms), (last, longest) = known[0], known[-1]
    return round(math.log(longest / ms) / math.log(last / size), 2)


def scaling(
    strategies: Mapping[str, Strategy],
    megabytes: Sequence[float],
    limit: int,
    tell: Callable[[], None],
) -> dict[str, Any]:
    """{strategy: {"kinds": {kind: {"ms", "steps", "power"}}, WORST…, "errors"}}.

    `tell` is called for each strategy and kind.
    """
    report: dict[str, Any] = {
        name: {"kinds": {}, **dict.fromkeys(WORST), "errors": []} for name in strategies
    }
    for kind in KINDS:
        given = texts(kind, [round(size * MEGABYTE) for size in megabytes])
        for name, strategy in strategies.items():
            row, errors = timed(strategy, given, limit)
            own, stepped, grown = report[name], steps(row), power(row, megabytes)
            one = {"ms": [_rounded(ms) for ms in row], "steps": stepped, "power": grown}
            own["kinds"][kind] = one
            own["worst_step"] = _largest(*stepped, own["worst_step"])
            own["worst_power"] = _largest(grown, own["worst_power"])
            own["errors"] += errors
            tell()
    return report


def _largest(*figures: float | None) -> float | None:
    return max((one for one in figures if one is not None), default=None)


def _rounded(ms: float | None) -> float | None:
    return None if ms is None else round(ms, 2)
