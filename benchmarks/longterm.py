"""`longterm`: how fast memories are saved, how fast and how well found, what they take.

Every engine gets the same seeded memories in batches, as `save_many` takes them, and then SINGLES
more one at a time, each with its own sync. A query is WORDS words of a known memory, drawn from it
in their order; it is found when that memory is among the first LIMIT. The first query after the
reopen is told apart, since a store may build its index then.

JUDGED of the queries are also answered by scoring every memory with bm25; `same_top_5` is the share
of them to which the store gives the same memories in the same order.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from sqlite3 import connect
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.options import CommandResult, FromOne, measuring
from benchmarks.show import Bar, by_column
from loom.capabilities.memory.longterm import ENGINES, Draft, MemoryItem, open_longterm
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


def exhaustive(held: dict[int, MemoryItem], wanted: list[str]) -> dict[str, list[int]]:
    """Ids of the LIMIT best memories by query, of scoring every one that holds any word."""
    db, top = connect(":memory:"), {}
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
        top[words] = [one.memory.id for one in first]
    db.close()
    return top


def measure(engine: str, path: Path, items: int, step: Step) -> dict[str, float]:
    """The figures of one engine over `items` memories; `step` is called for batches and queries."""
    held: dict[int, MemoryItem] = {}
    given = list(drafts(items + SINGLES))
    with open_longterm(path, engine) as store:
        start = time.perf_counter()
        for at in range(0, items, BATCH):
            made = store.save_many(given[at : min(at + BATCH, items)])
            held |= {memory.id: memory for memory in made}
            step()
        many = items / (time.perf_counter() - start)
        start = time.perf_counter()
        singles = [store.save(one.text, now=one.now, source=one.source) for one in given[items:]]
        single = SINGLES / (time.perf_counter() - start)
        alone = {memory.id: memory for memory in singles}
        held |= alone
        step()
    size = sum(one.stat().st_size for one in [path, *path.rglob("*")] if one.is_file())
    meant = questions({id: one.text for id, one in held.items() if id not in alone})
    marks, found = [time.perf_counter()], {}
    with open_longterm(path, engine) as store:
        marks.append(time.perf_counter())
        for words in ("the first question", *(words for _, words in meant)):
            hits = store.query(words, LIMIT, now=NOW)
            marks.append(time.perf_counter())
            found[words] = [hit.memory.id for hit in hits]
            step()
    opened, first, *queries = (1_000 * np.diff(marks)).tolist()
    judged = [words for _, words in meant[:JUDGED]]
    top = exhaustive(held, judged)
    return {
        "saved_per_second": round(many),
        "single_saves_per_second": round(single),
        "query_p50_ms": round(float(np.quantile(queries, 0.5)), 2),
        "query_p95_ms": round(float(np.quantile(queries, 0.95)), 2),
        "found_in_5": round(sum(id in found[words] for id, words in meant) / len(meant), 3),
        "same_top_5": round(sum(found[words] == top[words] for words in judged) / len(judged), 3),
        "reopen_ms": round(opened, 1),
        "first_query_ms": round(first, 1),
        "megabytes": round(size / 1e6, 1),
    }


@measuring
def longterm(*, items: FromOne = 20_000, engine: str = ",".join(ENGINES)) -> CommandResult:
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
    figures: dict[str, dict[str, float]] = {}
    with TemporaryDirectory(prefix="loom-longterm-") as folder:
        for name in names:
            with Bar(name, -(-items // BATCH) + 2 + min(QUERIES, items)) as bar:
                try:
                    figures[name] = measure(name, Path(folder) / name, items, bar.advance)
                except ImportError as error:
                    raise BadBench(f"--engine {name}: {error}") from error
    report = {"items": items, "queries": min(QUERIES, items), "engines": figures}
    return CommandResult(report, [by_column("Long-term memory", figures)])
