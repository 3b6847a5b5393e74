"""`longterm`: how fast memories are saved, how fast and how well found, what they take.

Every engine gets the same seeded memories in batches, as `save_many` takes them, and then SINGLES
more one at a time, each with its own sync. A query is WORDS words of a known memory, drawn from it
in their order; it is found when that memory is among the first LIMIT. The first query after the
reopen is told apart, since a store may build its index then.

JUDGED of the queries are also answered by scoring every memory with bm25; `same_top_5` is the share
of them to which the store gives the same memories in the same order.
"""

from __future__ import annotations

import json as jsons
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from sqlite3 import connect
from statistics import quantiles
from tempfile import TemporaryDirectory

from benchmarks.options import FromOne, Json, refusing
from benchmarks.show import Bar, by_column, end
from loom.capabilities.memory.longterm import ENGINES, Draft, LongTerm, MemoryItem, open_longterm
from loom.capabilities.memory.longterm.ranking import best
from loom.search.query import query
from loom.search.terms import asked, terms
from loom_bench.errors import BadBench
from loom_bench.sessions.material import Material

BATCH = 1_000  # memories of one transaction
SINGLES = 200
QUERIES = 200
JUDGED = 40  # of them also answered by scoring everything
WORDS = 6
LIMIT = 5
SEED = 20_250_301
NOW = 1_750_000_000.0

Step = Callable[[], object]


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


class Exhaustive:
    """The best memories by scoring every one that holds any word; made once for all engines."""

    def __init__(self) -> None:
        self._top: dict[str, list[int]] = {}

    def top(self, held: dict[int, MemoryItem], wanted: list[str]) -> dict[str, list[int]]:
        """Ids of the LIMIT best memories by query."""
        if self._top.keys() >= set(wanted):
            return self._top
        db = connect(":memory:")
        db.execute("CREATE VIRTUAL TABLE every USING fts5 (names, words, tokenize='porter ascii')")
        found = ((id, terms(memory.text)) for id, memory in held.items())
        rows = ((id, " ".join(one.names), " ".join(one.words)) for id, one in found)
        db.executemany("INSERT INTO every (rowid, names, words) VALUES (?, ?, ?)", rows)
        for words in wanted:
            ranked = db.execute(
                "SELECT rowid, -rank FROM every WHERE every MATCH ? ORDER BY rank, rowid DESC",
                (query(asked(words)),),
            )
            first = best(ranked, lambda ids: {id: held[id] for id in ids}, lambda _: True, LIMIT)
            self._top[words] = [one.memory.id for one in first]
        db.close()
        return self._top


def measure(engine: str, path: Path, items: int, step: Step, every: Exhaustive) -> dict[str, float]:
    """The figures of one engine over `items` memories; `step` is called once for each batch."""
    held: dict[int, MemoryItem] = {}
    given = list(drafts(items + SINGLES))
    with open_longterm(path, engine) as store:
        start = time.perf_counter()
        for at in range(0, items, BATCH):
            for memory in store.save_many(given[at : min(at + BATCH, items)]):
                held[memory.id] = memory
            step()
        many = items / (time.perf_counter() - start)
        start = time.perf_counter()
        singles = [store.save(one.text, now=one.now, source=one.source) for one in given[items:]]
        single = SINGLES / (time.perf_counter() - start)
        step()
    meant = questions({id: memory.text for id, memory in held.items()})
    held |= {memory.id: memory for memory in singles}
    size = sum(one.stat().st_size for one in [path, *path.rglob("*")] if one.is_file())
    start = time.perf_counter()
    with open_longterm(path, engine) as store:
        opened = time.perf_counter() - start
        start = time.perf_counter()
        store.query("the first question", LIMIT, now=NOW)
        first = time.perf_counter() - start
        seconds, found = _asked(store, [words for _, words in meant], step)
    judged = [words for _, words in meant[:JUDGED]]
    top = every.top(held, judged)
    cuts = quantiles(seconds, n=20, method="inclusive")
    return {
        "saved_per_second": round(many),
        "single_saves_per_second": round(single),
        "query_p50_ms": round(cuts[9] * 1_000, 2),
        "query_p95_ms": round(cuts[18] * 1_000, 2),
        "found_in_5": round(sum(id in found[words] for id, words in meant) / len(meant), 3),
        "same_top_5": round(sum(found[words] == top[words] for words in judged) / len(judged), 3),
        "reopen_ms": round(opened * 1_000, 1),
        "first_query_ms": round(first * 1_000, 1),
        "megabytes": round(size / 1e6, 1),
    }


def _asked(
    store: LongTerm, wanted: list[str], step: Step
) -> tuple[list[float], dict[str, list[int]]]:
    """Seconds of each query, and the ids each found."""
    seconds, found = [], {}
    for words in wanted:
        start = time.perf_counter()
        hits = store.query(words, LIMIT, now=NOW)
        seconds.append(time.perf_counter() - start)
        found[words] = [hit.memory.id for hit in hits]
        step()
    return seconds, found


@refusing
def longterm(
    *,
    items: FromOne = 20_000,
    engine: str = ",".join(ENGINES),
    json: Json = False,
) -> int:
    """Save, find and reopen long-term memories in each engine.

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
    if items < 2:
        raise BadBench(f"--items {items}: give two or more")
    figures: dict[str, dict[str, float]] = {}
    every = Exhaustive()
    with TemporaryDirectory(prefix="loom-longterm-") as folder:
        for name in names:
            with Bar(name, -(-items // BATCH) + 1 + min(QUERIES, items)) as bar:
                try:
                    found = measure(name, Path(folder) / name, items, bar.advance, every)
                except ImportError as error:
                    raise BadBench(f"--engine {name}: {error}") from error
                bar.advance(0, jsons.dumps(found))
            figures[name] = found
    report = {"items": items, "queries": min(QUERIES, items), "engines": figures}
    end(report, [] if json else [by_column("Long-term memory", figures)])
    return 0
