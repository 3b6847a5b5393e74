"""`longterm`: long-term memories saved, found and reopened in each engine."""

from __future__ import annotations

import json as jsons
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.measures.longterm.timed import BATCH, QUERIES, Exhaustive, longterm_table, measure
from benchmarks.options import FromOne, Json, refuse
from benchmarks.show import Bar, end
from loom.capabilities.memory.longterm import ENGINES


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
        return refuse(f"--engine {unknown[0]!r}: there are {', '.join(ENGINES)}")
    if items < 2:
        return refuse(f"--items {items}: give two or more")
    figures: dict[str, dict[str, float]] = {}
    every = Exhaustive()
    with TemporaryDirectory(prefix="loom-longterm-") as folder:
        for name in names:
            with Bar(name, -(-items // BATCH) + 1 + min(QUERIES, items)) as bar:
                try:
                    found = measure(name, Path(folder) / name, items, bar.advance, every)
                except ImportError as error:
                    return refuse(f"--engine {name}: {error}")
                bar.advance(0, jsons.dumps(found))
            figures[name] = found
    report: dict[str, Any] = {"items": items, "queries": min(QUERIES, items), "engines": figures}
    end(report, [] if json else [longterm_table(figures)])
    return 0
