"""Long-term memory measured: how fast it saves, how fast and how well it finds, what it takes.

Every engine gets the same seeded memories in batches, as `save_many` takes them, and then SINGLES
more one at a time, each with its own sync. A query is WORDS words of a known memory, drawn from it
in their order; it is found when that memory is among the first LIMIT. The first query after the
reopen is told apart, since a store may build its index then.
"""

from __future__ import annotations

import json as jsons
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random
from statistics import quantiles
from tempfile import TemporaryDirectory
from typing import Annotated, Any

from cyclopts import Parameter
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from benchmarks.material import Material
from benchmarks.show import table
from loom.memory.longterm import ENGINES, Draft, LongTerm, open_longterm

BATCH = 1_000  # memories of one transaction
SINGLES = 200
QUERIES = 200
WORDS = 6
LIMIT = 5
SEED = 20_250_301
NOW = 1_750_000_000.0

Step = Callable[[], None]


def drafts(count: int) -> Iterator[Draft]:
    """So many memories: two sentences, and a path, a name or a number to tell them by."""
    made = Material(Random(SEED))
    for at in range(count):
        text = f"{made.prose(2)} See {made.path()}, {made.name()} and ticket {made.number()}."
        yield Draft(text, NOW + at, source=f"session_{at // 50:05d}/step_{at % 50:04d}")


def questions(held: dict[int, str]) -> list[tuple[int, str]]:
    """(id of the memory meant, words of it)."""
    rng = Random(SEED + 1)
    made = []
    for id in rng.sample(sorted(held), min(QUERIES, len(held))):
        words = held[id].split()
        places = sorted(rng.sample(range(len(words)), min(WORDS, len(words))))
        made.append((id, " ".join(words[at] for at in places)))
    return made


def measure(engine: str, path: Path, items: int, step: Step) -> dict[str, float]:
    """The figures of one engine over `items` memories; `step` is called once for each batch."""
    held: dict[int, str] = {}
    given = list(drafts(items + SINGLES))
    with open_longterm(path, engine) as store:
        start = time.perf_counter()
        for at in range(0, items, BATCH):
            for memory in store.save_many(given[at : min(at + BATCH, items)]):
                held[memory.id] = memory.text
            step()
        many = items / (time.perf_counter() - start)
        start = time.perf_counter()
        for one in given[items:]:
            store.save(one.text, now=one.now, source=one.source)
        single = SINGLES / (time.perf_counter() - start)
        step()
    size = sum(one.stat().st_size for one in [path, *path.rglob("*")] if one.is_file())
    start = time.perf_counter()
    with open_longterm(path, engine) as store:
        opened = time.perf_counter() - start
        start = time.perf_counter()
        store.query("the first question", LIMIT, now=NOW)
        first = time.perf_counter() - start
        seconds, share = _asked(store, questions(held), step)
    cuts = quantiles(seconds, n=20, method="inclusive")
    return {
        "saved_per_second": round(many),
        "single_saves_per_second": round(single),
        "query_p50_ms": round(cuts[9] * 1_000, 2),
        "query_p95_ms": round(cuts[18] * 1_000, 2),
        "found_in_5": round(share, 3),
        "reopen_ms": round(opened * 1_000, 1),
        "first_query_ms": round(first * 1_000, 1),
        "megabytes": round(size / 1e6, 1),
    }


def _asked(store: LongTerm, wanted: list[tuple[int, str]], step: Step) -> tuple[list[float], float]:
    """Seconds of each query, and the share that found what was meant, 0 to 1."""
    seconds, found = [], 0
    for id, words in wanted:
        start = time.perf_counter()
        hits = store.query(words, LIMIT, now=NOW)
        seconds.append(time.perf_counter() - start)
        found += id in {hit.memory.id for hit in hits}
        step()
    return seconds, found / len(wanted)


def longterm_table(figures: dict[str, dict[str, float]]) -> Table:
    """A row for each figure, a column for each engine."""
    names = next(iter(figures.values()))
    rows = [[name, *(f"{one[name]:,}" for one in figures.values())] for name in names]
    return table("Long-term memory", ["", *figures], rows)


def longterm(
    *,
    items: int = 100_000,
    engine: str = ",".join(ENGINES),
    json: Annotated[bool, Parameter(negative=())] = False,
) -> int:
    """Save, find and reopen long-term memories in each engine.

    Parameters
    ----------
    items
        Memories saved.
    engine
        Engines, separated by commas.
    json
        No table, only the JSON line.
    """
    names = engine.split(",")
    if unknown := [name for name in names if name not in ENGINES]:
        return _refuse(f"--engine {unknown[0]!r}: there are {', '.join(ENGINES)}")
    if items < 2:
        return _refuse(f"--items {items}: give two or more")
    figures: dict[str, dict[str, float]] = {}
    console = Console(stderr=True)
    with (
        TemporaryDirectory(prefix="loom-longterm-") as folder,
        Progress(console=console, disable=not console.is_terminal) as bar,
    ):
        for name in names:
            steps = -(-items // BATCH) + 1 + min(QUERIES, items)
            task = bar.add_task(name, total=steps)
            try:
                figures[name] = measure(
                    name, Path(folder) / name, items, partial(bar.advance, task)
                )
            except ImportError as error:
                return _refuse(f"--engine {name}: {error}")
            if not console.is_terminal:
                print(f"{name}: {jsons.dumps(figures[name])}", file=sys.stderr)
    if not json:
        Console().print(longterm_table(figures))
    report: dict[str, Any] = {"items": items, "queries": min(QUERIES, items), "engines": figures}
    print(jsons.dumps(report))
    return 0


def _refuse(why: str) -> int:
    print(why, file=sys.stderr)
    return 2
