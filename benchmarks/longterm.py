"""`longterm`: how fast memories are saved, and how fast found.

Every engine gets the same seeded memories in batches, as `save_many` takes them. A query is WORDS
words of a known memory, drawn from it in their order.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.options import CommandResult, FromOne, measuring
from benchmarks.show import by_column, on_stderr
from loom.capabilities.memory.longterm.memories import ENGINES, open_longterm
from loom.capabilities.memory.longterm.memory_item import MemoryItem, new_memory
from loom_bench.errors import BadBench
from loom_bench.sessions.material import Material

BATCH = 1_000  # memories of one transaction
QUERIES = 200
WORDS = 6
LIMIT = 5
SEED = 20_250_301
NOW = 1_750_000_000.0


def drafts(count: int) -> Iterator[MemoryItem]:
    """So many memories: two sentences, and a path, a name or a number to tell them by."""
    made = Material(Random(SEED))
    for at in range(count):
        text = f"{made.prose(2)} See {made.path()}, {made.name()} and ticket {made.number()}."
        yield new_memory(text, NOW + at, source=f"session_{at // 50:05d}/step_{at % 50:04d}")


def questions(held: Mapping[int, MemoryItem]) -> list[str]:
    """Some words of some of the memories."""
    rng = Random(SEED + 1)
    made = []
    for id in rng.sample(sorted(held), min(QUERIES, len(held))):
        words = held[id].text.split()
        places = sorted(rng.sample(range(len(words)), min(WORDS, len(words))))
        made.append(" ".join(words[at] for at in places))
    return made


def measure(engine: str, path: Path, items: int) -> dict[str, float]:
    """The figures of one engine over `items` memories."""
    given = list(drafts(items))
    start = time.perf_counter()
    with open_longterm(path, engine) as store:
        saved = [
            memory
            for at in range(0, items, BATCH)
            for memory in store.save_many(given[at : at + BATCH])
        ]
        many = items / (time.perf_counter() - start)
    held = {memory.id: memory for memory in saved}
    asked_for = questions(held)
    with open_longterm(path, engine) as store:
        store.query("the first question", LIMIT, now=NOW)  # a store may build its index then
        marks = [time.perf_counter()]
        for words in asked_for:
            store.query(words, LIMIT, now=NOW)
            marks.append(time.perf_counter())
    middle, late = np.quantile(1_000 * np.diff(marks), [0.5, 0.95]).round(2).tolist()
    return {
        "saved_per_second": round(many),
        "query_p50_ms": middle,
        "query_p95_ms": late,
    }


@measuring
def longterm(*, items: FromOne = 20_000, engine: str = ",".join(ENGINES)) -> CommandResult:
    """Save and find long-term memories in each engine.

    Parameters
    ----------
    items
        Memories saved; 100_000 take several minutes.
    engine
        Engines, separated by commas.
    """
    names = engine.split(",")
    if unknown := [name for name in names if name not in ENGINES]:
        raise BadBench(f"--engine {unknown[0]!r}: there are {', '.join(ENGINES)}")
    figures: dict[str, dict[str, float]] = {}
    with TemporaryDirectory(prefix="loom-longterm-") as folder:
        for name in names:
            on_stderr(f"{name}: {items:,} memories")
            try:
                figures[name] = measure(name, Path(folder) / name, items)
            except ImportError as error:
                raise BadBench(f"--engine {name}: {error}") from error
    report = {"items": items, "queries": min(QUERIES, items), "engines": figures}
    return CommandResult(report, [by_column("Long-term memory", figures)])
