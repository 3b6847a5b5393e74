"""`speed`: what a turn costs as a session grows, beside the floor that any keeper would pay.

Sessions are chained into one agent's life. A turn is the reply before it, its results, and the
request in wire form. `plain` is a turn without a cut. The floor of a turn is that each new text is
looked through for secrets once, counted once, and appended to a file once. Growth is the median of
the last fifth of plain turns over that of the first; of fewer than JUDGED of them it is told and
not judged. All is thread CPU unless it says wall; the journal is not synced (`durable=False`), so
wall times are without waits for the disk.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import IO, Annotated, Any, Literal

import numpy as np
from cyclopts import Parameter
from rich.table import Table

import loom
from benchmarks.options import FromOne, Json, Sessions, refuse, sizes
from benchmarks.show import Bar, end, on_stderr
from loom.inputs import Event, Reply, Speech
from loom.providers.counts import counter_for
from loom.redact import Redactor
from loom.replay.feed import feed
from loom.replay.importers.unreadable import BadSession
from loom_bench.sessions.generate import chained, recorded
from loom_bench.tables import table

WINDOW = "32000"
FIFTHS = 5
KINDS = ("plain", "cut", "renewal")
PARTS = ("redaction", "counting", "append")  # of the floor
ENOUGH = 100  # values of which one in a hundred can be told: fewer have no quantiles
JUDGED = 500  # plain turns, of the first fifth and the last, whose medians may be compared
GROWTH = 1.3  # asked of the median of plain turns
TELLS = 50  # how often progress is told, at most
ROWS = {
    "cost ÷ floor": "of_floor",
    "growth of the median plain turn": "growth",
    "wall ÷ CPU (durable=False)": "wall_of_cpu",
    "CPU of a turn, ms": "cpu",
    "wall time of a turn, ms (durable=False)": "wall",
    **{
        f"{kind}{figure}".replace("_", ", "): f"{kind}{figure}"
        for kind in KINDS
        for figure in ("", "_p50", "_p99", "_largest")
    },
    "floor": "floor",
    **{f"floor: {part} (CPU)": part for part in PARTS},
}


def speed(
    *,
    steps: FromOne = 2_000,
    window: Annotated[Sequence[str], Parameter(consume_multiple=True, negative=())] = (WINDOW,),
    sessions: Sessions | None = None,
    flavour: Literal["coding", "research", "support", "scraps"] = "coding",
    json: Json = False,
) -> int:
    """Time the turns of one long session, by fifths of it.

    Parameters
    ----------
    steps
        Replies of the model.
    window
        Its window in tokens; of several, by commas or repeated, each has a life and a table.
    sessions
        Files or folders of recorded sessions, chained over and over; without any, generated ones.
    flavour
        The kind of generated sessions.
    """
    try:
        windows = list(dict.fromkeys(sizes("--window", ",".join(window), "8_000,32_000")))
        given = recorded(sessions)
    except BadSession as error:
        return refuse(f"--sessions: {error}")
    except ValueError as error:
        return refuse(error)
    report: dict[str, Any] = {"steps": steps, "windows": {}}
    for size in windows:
        with Bar(f"steps at {size:,}", steps) as bar:
            report["windows"][str(size)] = lived(chained(given, flavour), size, steps, bar.advance)
    report["missed"], report["not_judged"] = judged(report["windows"])
    for line in (*report["missed"], *report["not_judged"]):
        on_stderr(line)
    shown = [life_table(int(size), told) for size, told in report["windows"].items()]
    end(report, [] if json else shown)
    return int(bool(report["missed"]))


class TurnCosts:
    """Turns and their floor in milliseconds: of each fifth by kind, wall time, parts."""

    def __init__(self) -> None:
        self.turns: dict[str, list[float]] = {kind: [] for kind in KINDS}
        self.wall = 0.0
        self.parts = dict.fromkeys(PARTS, 0.0)

    def merge(self, other: TurnCosts) -> None:
        """Add the turns of another."""
        for kind in KINDS:
            self.turns[kind] += other.turns[kind]
        self.wall += other.wall
        for part in PARTS:
            self.parts[part] += other.parts[part]

    def told(self, first: float) -> dict[str, Any]:
        """The figures; `first` is the median plain turn of the first fifth."""
        cpu, owed = sum(map(sum, self.turns.values())), sum(self.parts.values())
        count = max(sum(map(len, self.turns.values())), 1)
        told: dict[str, Any] = {
            "of_floor": _ratio(cpu, owed),
            "growth": _ratio(_middle(self.turns["plain"]), first),
            "wall_of_cpu": _ratio(self.wall, cpu),
            "cpu": round(cpu / count, 3),
            "wall": round(self.wall / count, 3),
            "floor": round(owed / count, 3),
            **{part: round(spent / count, 3) for part, spent in self.parts.items()},
        }
        for kind, turns in self.turns.items():
            told[kind] = len(turns)
            if len(turns) >= ENOUGH:
                middle, late = np.quantile(turns, [0.5, 0.99])
                told |= {f"{kind}_p50": round(middle, 3), f"{kind}_p99": round(late, 3)}
            elif turns:
                told[f"{kind}_largest"] = round(max(turns), 3)
        return told


def lived(
    events: Iterator[Event], window: int, steps: int, tell: Callable[[int, str], None]
) -> dict[str, Any]:
    """One life at one window, told.

    `tell` is called after each turn with 1, and at times with a word for where no bar is drawn.
    """
    fifths = [TurnCosts() for _ in range(FIFTHS)]
    often = -(-steps // TELLS)
    count, redact = counter_for(), Redactor()
    with (
        TemporaryDirectory(prefix="loom-speed-") as folder,
        (Path(folder) / "log").open("ab") as log,
        loom.open(Path(folder) / "w", goal="Go on.", window=window, durable=False) as ctx,
    ):
        before = ctx.window.sent
        for number, batch in enumerate(islice(batches(events), steps)):
            costs = fifths[number * FIFTHS // steps]
            _pay(
                costs, [text for event in batch for text in _texts(event)], count.many, redact, log
            )
            begun, started = time.thread_time(), time.perf_counter()
            for event in batch:
                feed(ctx, event)
            ctx.turn().request("openai")
            cpu, wall = time.thread_time() - begun, time.perf_counter() - started
            sent = ctx.window.sent
            renewed, cut = sent.generation > before.generation, sent.cuts > before.cuts
            costs.turns["renewal" if renewed else "cut" if cut else "plain"].append(1_000 * cpu)
            costs.wall += 1_000 * wall
            before, done = sent, number + 1
            tell(1, "steps" if done % often == 0 or done == steps else "")
    plain = [one.turns["plain"] for one in fifths]
    first, whole = _middle(plain[0]), TurnCosts()
    for one in fifths:
        whole.merge(one)
    return {
        **whole.told(first),
        "growth": _ratio(_middle(plain[-1]), first),
        "growth_turns": len(plain[0]) + len(plain[-1]),
        "fifths": [
            {"steps": -(-steps * (at + 1) // FIFTHS), **one.told(first)}
            for at, one in enumerate(fifths)
        ],
    }


def _pay(
    costs: TurnCosts,
    texts: list[str],
    count: Callable[[list[str]], object],
    redact: Callable[[str], str],
    log: IO[bytes],
) -> None:
    """Pay the floor for what comes in before a turn."""
    marks = [time.thread_time()]
    clean = [redact(text) for text in texts]
    marks.append(time.thread_time())
    count(clean)
    marks.append(time.thread_time())
    log.write("".join(clean).encode("utf-8", "replace"))
    log.flush()
    marks.append(time.thread_time())
    for at, part in enumerate(PARTS):
        costs.parts[part] += 1_000 * (marks[at + 1] - marks[at])


def batches(events: Iterable[Event]) -> Iterator[list[Event]]:
    """What comes in before each request: the reply before it and all up to the next."""
    came: list[Event] = []
    for event in events:
        if isinstance(event, Reply):
            yield came
            came = []
        came.append(event)


def _texts(event: Event) -> Iterator[str]:
    """The texts of an event that a request shows."""
    if isinstance(event, Reply):
        yield from (part.text for part in event.parts if isinstance(part, Speech))
        yield from (call.arguments for call in event.calls)
    else:
        yield event.text


def judged(windows: Mapping[str, Mapping[str, Any]]) -> tuple[list[str], list[str]]:
    """A line for each window whose growth is above GROWTH, and for each with too few turns."""
    missed, not_judged = [], []
    for size, told in windows.items():
        said = f"growth of the median plain turn at {int(size):,} tokens: {told['growth']}"
        if told["growth_turns"] < JUDGED:
            few = f"{told['growth_turns']} plain turns in the first fifth and the last"
            not_judged.append(f"{said}, not judged: {few}, it takes {JUDGED}")
        elif told["growth"] > GROWTH:
            missed.append(f"{said} is above {GROWTH}")
    return missed, not_judged


def life_table(window: int, told: Mapping[str, Any]) -> Table:
    """A column for the whole life and for each fifth of it."""
    parts = (told, *told["fifths"])
    rows = [
        [said, *(part.get(name, "") for part in parts)]
        for said, name in ROWS.items()
        if any(name in part for part in parts)
    ]
    heads = ["steps", "all", *(f"{one['steps']:,}" for one in told["fifths"])]
    return table(f"A window of {window:,} tokens: ratios, then milliseconds", heads, rows)


def _middle(turns: Sequence[float]) -> float:
    return median(turns) if turns else 0.0


def _ratio(one: float, other: float) -> float:
    return round(one / other, 2) if other else 0.0
