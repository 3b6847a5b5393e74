"""What a turn costs as a session grows: thread CPU by kind of turn, beside what cannot be less.

Sessions are chained into one agent's life. A turn is the reply before it, its results, and the
request in wire form. `plain` is a turn without a cut. The floor is what any keeper of these
messages would pay: counting each new text once, looking it through for secrets once, and one append
to a file; durable syncs are left out, since they wait and take no CPU. Growth is the median of the
last fifth of plain turns over that of the first.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, Literal, NamedTuple

import loom
from benchmarks.chained import chained, recorded
from benchmarks.longrun.history import texts_of
from benchmarks.options import FromOne, Sessions, refuse
from benchmarks.show import Bar, end, table
from loom.context import Context
from loom.inputs import Event, Reply
from loom.providers.counts import counter_for
from loom.redact import Redactor
from loom.replay.feed import feed
from loom.replay.importers.unreadable import BadSession

FIFTHS = 5
GROWTH = 1.3  # asked of the median of plain turns


class TimedTurn(NamedTuple):
    """One turn: without a cut, with one, or with a renewal; its milliseconds of thread CPU, those
    of the floor, and the characters that came in."""

    kind: str
    cost: float
    floor: float
    characters: int


def speed(
    *,
    steps: FromOne = 2_000,
    window: FromOne = 32_000,
    sessions: Sessions | None = None,
    flavour: Literal["coding", "research", "support", "scraps"] = "coding",
    json: bool = False,
) -> int:
    """Time the turns of one long session, by fifths of it.

    Parameters
    ----------
    steps
        Replies of the model.
    window
        Its window in tokens.
    sessions
        Files or folders of recorded sessions, chained over and over; without any, generated ones.
    flavour
        The kind of generated sessions.
    json
        No table, only the JSON line.
    """
    try:
        given = recorded(sessions)
    except BadSession as error:
        return refuse(f"--sessions: {error}")
    with (
        TemporaryDirectory(prefix="loom-speed-") as folder,
        loom.open(Path(folder) / "w", goal="Go on.", window=window, durable=False) as ctx,
        Bar("steps", steps) as bar,
    ):
        turns = list(islice(_turns(ctx, chained(given, flavour), bar), steps))
        report = _report(turns, ctx)
    rows = [[name, *(one[name] for one in report["fifths"])] for name in _ROWS]
    heads = [f"{one['steps']:,}" for one in report["fifths"]]
    end(report, [] if json else [table("Milliseconds of CPU, by steps", ["", *heads], rows)])
    return int(report["growth"] > GROWTH)


_ROWS = ("plain", "plain_p50", "plain_p99", "cut", "cut_p50", "cut_p99", "renewal", "renewal_p50",
         "floor_p50", "of_floor")  # fmt: skip


def _turns(ctx: Context, events: Iterator[Event], bar: Bar) -> Iterator[TimedTurn]:
    """Yield the turns of a life, each timed."""
    count, redact = counter_for(), Redactor()
    cost, floor, characters = 0.0, 0.0, 0
    sent = ctx.window.sent
    with TemporaryDirectory() as folder, (Path(folder) / "log").open("ab") as file:
        for event in events:
            if isinstance(event, Reply):
                begun = time.thread_time()
                ctx.turn().request("openai")
                cost += time.thread_time() - begun
                before, sent = sent, ctx.window.sent
                kind = "renewal" if sent.generation > before.generation else "plain"
                kind = "cut" if kind == "plain" and sent.cuts > before.cuts else kind
                yield TimedTurn(kind, 1_000 * cost, 1_000 * floor, characters)
                bar.advance(1, kind)
                cost, floor, characters = 0.0, 0.0, 0
            texts = list(texts_of(event))
            characters += sum(map(len, texts))
            begun = time.thread_time()
            count.many(map(redact, texts))
            file.write("".join(texts).encode("utf-8", "replace"))
            file.flush()
            floor += time.thread_time() - begun
            begun = time.thread_time()
            feed(ctx, event)
            cost += time.thread_time() - begun


def _report(turns: list[TimedTurn], ctx: Context) -> dict[str, Any]:
    size = max(len(turns) // FIFTHS, 1)
    parts = [turns[at : at + size] for at in range(0, size * FIFTHS, size)]
    fifths = [_fifth(part, (at + 1) * size) for at, part in enumerate(parts) if part]
    first, last = fifths[0]["plain_p50"], fifths[-1]["plain_p50"]
    came = sum(turn.characters for turn in turns)
    return {
        "growth": round(last / first, 2) if first else 0.0,
        "counted_of_ingested": round(ctx._engine.sizes.count.characters / max(came, 1), 2),
        "rss_mb": round(getrusage(RUSAGE_SELF).ru_maxrss / 1_024, 1),
        "fifths": fifths,
    }


def _fifth(turns: list[TimedTurn], steps: int) -> dict[str, Any]:
    told: dict[str, Any] = {"steps": steps}
    for kind in ("plain", "cut", "renewal"):
        costs = sorted(turn.cost for turn in turns if turn.kind == kind)
        told[kind] = len(costs)
        told[f"{kind}_p50"] = round(median(costs), 2) if costs else 0.0
        told[f"{kind}_p99"] = (
            round(costs[min(int(0.99 * len(costs)), len(costs) - 1)], 2) if costs else 0.0
        )
    floor = sum(turn.floor for turn in turns)
    told["floor_p50"] = round(median(turn.floor for turn in turns), 2)
    told["of_floor"] = round(sum(turn.cost for turn in turns) / floor, 1) if floor else 0.0
    return told
