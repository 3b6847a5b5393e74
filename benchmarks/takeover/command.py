"""Takeover: of what a successor must know, how much each way of keeping a window still says."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from msgspec import json as msgspec_json

from benchmarks.driven import gathered
from benchmarks.options import (
    Capacity,
    CommandResult,
    Details,
    Names,
    Sessions,
    Workers,
    measuring,
    sizes,
)  # fmt: skip
from benchmarks.show import by_capacity, by_row
from benchmarks.takeover.judge import WAYS, TakeoverJob, TakeoverVerdict, judged
from benchmarks.takeover.labels import KINDS, taken_over
from loom_bench.errors import BadBench

AGES = {"new": range(20), "mid": range(20, 80), "old": range(80, 1 << 30)}  # messages before it
HEADS = {name: name for name in ("resident", "near", "wrong", *KINDS, *AGES, "characters")}


@measuring
def takeover(
    *,
    data: Path,
    sessions: Sessions | None = None,
    capacity: Capacity = "8000,16000,32000,64000",
    way: Names = None,
    only: Names = None,
    workers: Workers = 2,
    details: Details = None,
) -> CommandResult:
    """Look in each way of keeping a window for what a successor must know.

    Parameters
    ----------
    data
        A folder of labelled items, a file a session.
    sessions
        Folders of the recorded sessions; without any, `agent-sessions*` beside `data`.
    way
        Names of the ways that are measured; without any, all.
    only
        The sessions, by the first letters of their names; without any, all.
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
    several = gathered(
        "sessions by capacities", judged, jobs, workers,
        lambda some: (f"{some[0].session} at {some[0].capacity:,}", False),
    )  # fmt: skip
    found = [one for some in several for one in some]
    if details is not None:
        lines = [msgspec_json.encode(one).decode() for one in found]
        details.write_text("\n".join([*lines, ""]), "utf-8")
    report = by_capacity(found, ways, asked, lambda one: (one.way, one.capacity), _figures)
    title = "Takeover, {:,} tokens a request: of {} items"
    items = sum(len(one.items) for one in given)
    shown = [by_row(title.format(size, items), report[str(size)], HEADS) for size in asked]
    return CommandResult(report, shown)


def _figures(some: Sequence[TakeoverVerdict]) -> dict[str, Any]:
    """Counts of items, by kind and by age, and mean characters."""
    sessions = {one.session: one.characters for one in some}
    held = [one for one in some if one.resident]
    return {
        "n": len(some),
        "resident": len(held),
        "near": sum(one.near for one in some),
        "wrong": sum(one.wrong for one in some),
        "characters": sum(sessions.values()) // max(len(sessions), 1),
        **{kind: sum(one.kind == kind for one in held) for kind in KINDS},
        **{age: sum(one.age in ages for one in held) for age, ages in AGES.items()},
    }
