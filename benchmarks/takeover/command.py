"""Takeover: of what a successor must know, how much each way of keeping a window still says."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from msgspec import json as msgspec_json

from benchmarks.options import FromOne, Json, Names, Sessions, refusing, sizes
from benchmarks.show import Bar, by_capacity, by_row, end
from benchmarks.takeover.judge import (
    BY_CHARACTERS,
    BY_TOKENS,
    LOOM,
    TakeoverJob,
    TakeoverVerdict,
    judged,
)
from benchmarks.takeover.labels import KINDS, taken_over
from loom_bench.errors import BadBench
from loom_bench.pool import spread

WAYS = (LOOM, *BY_CHARACTERS, *BY_TOKENS)
AGES = {"new": (0, 20), "mid": (20, 80), "old": (80, 1 << 30)}  # messages before the takeover
HEADS = {name: name for name in ("resident", "near", "wrong", *KINDS, *AGES, "characters")}


@refusing
def takeover(
    *,
    data: Path,
    sessions: Sessions | None = None,
    capacity: str = "8000,16000,32000,64000",
    way: Names = None,
    only: Names = None,
    workers: FromOne = 2,
    json: Json = False,
    details: Path | None = None,
) -> int:
    """Look in each way of keeping a window for what a successor must know.

    Parameters
    ----------
    data
        A folder of labelled items, a file a session.
    sessions
        Folders of the recorded sessions; without any, `agent-sessions*` beside `data`.
    capacity
        Tokens of a request, reply not counted, separated by commas.
    way
        Names of the ways that are measured; without any, all.
    only
        The sessions, by the first letters of their names; without any, all.
    workers
        Processes.
    json
        No table, only the JSON line.
    details
        A file that gets one JSON line for each item, way and capacity.
    """
    asked = sizes("--capacity", capacity)
    ways = tuple(way or WAYS)
    if unknown := [one for one in ways if one not in WAYS]:
        raise BadBench(f"--way {unknown[0]!r}: give some of {', '.join(WAYS)}")
    every = taken_over(data, sessions or sorted(data.parent.glob("agent-sessions*")))
    given = [one for one in every if not only or one.name.startswith(tuple(only))]
    if not given:
        raise BadBench("--only: no labelled session has a name that begins so")
    jobs = [TakeoverJob(one, size, ways) for one in given for size in asked]
    found: list[TakeoverVerdict] = []
    with Bar("sessions by capacities", len(jobs)) as bar:
        for some in spread(judged, jobs, workers):
            found += some
            bar.advance(text=f"{some[0].session} at {some[0].capacity:,}")
    if details is not None:
        lines = [msgspec_json.encode(one).decode() for one in found]
        details.write_text("\n".join([*lines, ""]), "utf-8")
    report = by_capacity(found, ways, asked, lambda one: (one.way, one.capacity), _figures)
    title = "Takeover, {:,} tokens a request: of {} items"
    items = sum(len(one.items) for one in given)
    shown = [by_row(title.format(size, items), report[str(size)], HEADS) for size in asked]
    end(report, [] if json else shown)
    return 0


def _figures(some: Sequence[TakeoverVerdict]) -> dict[str, Any]:
    """Counts of items, by kind and by age, and mean characters."""
    sessions = {one.session: one.characters for one in some}
    return {
        "n": len(some),
        "resident": _count(some),
        "near": sum(one.near for one in some),
        "wrong": sum(one.wrong for one in some),
        "characters": sum(sessions.values()) // max(len(sessions), 1),
        **{kind: _count(one for one in some if one.kind == kind) for kind in KINDS},
        **{
            age: _count(one for one in some if first <= one.age < last)
            for age, (first, last) in AGES.items()
        },
    }


def _count(some: Iterable[TakeoverVerdict]) -> int:
    return sum(one.resident for one in some)
