"""`speed`: what a turn costs as a session grows, beside the floor that any keeper would pay.

Sessions are chained into one agent's life. A turn is the reply before it, its results, and the
request in wire form. `plain` is a turn without a cut. The floor of a turn is that each new text is
looked through for secrets once, counted once, and appended to a file once. Growth is the median of
the last fifth of plain turns over that of the first; of fewer than JUDGED of them it is told and
not judged. All is thread CPU; the journal is not synced. After each fifth, and after a recall at
the end, its workspace is looked at: bytes that came in, bytes and files that rest, memory of the
process.
"""

from __future__ import annotations

import mmap
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, pairwise
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import IO, Annotated, Any, Literal

import numpy as np
from cyclopts import Parameter
from msgspec.json import encode
from rich.table import Table

import loom
from benchmarks.options import CommandResult, FromOne, Sessions, measuring, sizes
from benchmarks.peers import HEADS, beside
from benchmarks.planted import planted
from benchmarks.show import Bar, by_column, by_row, on_stderr
from loom.inputs import Event, Reply, Speech
from loom.providers.counts import counter_for
from loom.redact import Redactor
from loom.replay.feed import feed
from loom_bench.sessions.generate import chained, recorded

FIFTHS = 5
KINDS = ("plain", "cut", "renewal")
PARTS = ("redaction", "counting", "append")  # of the floor
ENOUGH = 100  # values of which one in a hundred can be told: fewer have no quantiles
JUDGED = 500  # plain turns, of the first fifth and the last, whose medians may be compared
GROWTH = 1.3  # asked of the median of plain turns
ROWS = {
    "of_floor": "cost ÷ floor",
    "growth": "growth of the median plain turn",
    "cpu": "CPU of a turn, ms",
    **{
        f"{kind}{figure}": f"{kind}{figure}".replace("_", ", ")
        for kind in KINDS
        for figure in ("", "_p50", "_p99", "_largest")
    },
    "floor": "floor",
    **{part: f"floor: {part}" for part in PARTS},
    "payload": "bytes that came in",
    "workspace": "bytes of the workspace",
    "index": "… of the search index",
    "files": "files",
    "rss_mb": "memory, MB",
    "held_mb": "… before the first turn",
}


@measuring
def speed(
    *,
    steps: FromOne = 2_000,
    window: Annotated[Sequence[str], Parameter(consume_multiple=True, negative=())] = ("32000",),
    sessions: Sessions | None = None,
    flavour: Literal["coding", "research", "support", "scraps"] = "coding",
    peers: Annotated[bool, Parameter(negative=())] = False,
    messages: FromOne = 2_000,
) -> CommandResult:
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
    peers
        In place of that, a request of Loom beside one of each other way, and what each keeps.
    messages
        So many messages, beside other ways.
    """
    windows = list(dict.fromkeys(sizes("--window", ",".join(window), "8_000,32_000")))
    given = recorded(sessions)
    size_of = {"messages": messages} if peers else {"steps": steps}
    report: dict[str, Any] = {**size_of, "windows": {}}
    told: dict[str, Any]
    shown: list[Table] = []
    missed: list[str] = []
    for size in windows:
        title = f"A window of {size:,} tokens: "
        if peers:
            told = beside(planted(chained(given, flavour), messages), size, on_stderr)
            for fault in ("failed", "rescued"):
                missed += [f"loom at {size}: {fault}"] if told["loom"][fault] else []
            shown.append(by_row(f"{title}CPU of a request, and what it keeps", told, HEADS))
        else:
            with Bar(f"steps at {size:,}", steps) as bar:
                told = lived(chained(given, flavour), size, steps, bar.advance)
            missed += judged(size, told)
            columns = {"all": told, **{f"{one['steps']:,}": one for one in told["fifths"]}}
            shown.append(by_column(f"{title}ratios, then milliseconds", columns, ROWS))
        report["windows"][str(size)] = told
    return CommandResult(report, shown, missed=missed)


def lived(
    events: Iterator[Event], window: int, steps: int, tell: Callable[[int], None]
) -> dict[str, Any]:
    """One life at one window, told; `tell` is called after each turn with 1."""
    turns: list[tuple[str, list[float]]] = []  # of each its kind, its CPU and parts of the floor
    ends = [steps * (at + 1) // FIFTHS for at in range(FIFTHS)]
    rests: dict[int, dict[str, Any]] = {}
    count, redact, payload = counter_for(), Redactor(), 0
    with (
        TemporaryDirectory(prefix="loom-speed-") as folder,
        (Path(folder) / "log").open("ab") as log,
        loom.open(Path(folder) / "w", goal="Go on.", window=window, durable=False) as ctx,
    ):
        before, held = ctx.window.sent, _memory()
        for batch in islice(batches(events), steps):
            texts = [text for event in batch for text in _texts(event)]
            payload += sum(map(_size, batch))
            floor = _floor(texts, count.many, redact, log)
            begun = time.thread_time()
            for event in batch:
                feed(ctx, event)
            ctx.turn().request("openai")
            spent = 1_000 * (time.thread_time() - begun)
            sent = ctx.window.sent
            renewed, cut = sent.generation > before.generation, sent.cuts > before.cuts
            turns.append(("renewal" if renewed else "cut" if cut else "plain", [spent, *floor]))
            before = sent
            if len(turns) in ends:
                rests[len(turns)] = {"payload": payload, **_rests(Path(folder) / "w")}
            tell(1)
        ctx.recall("what was decided")  # makes the index where there is none yet
        rest = {"payload": payload, **_rests(Path(folder) / "w")}
    fifths = [turns[start:end] for start, end in pairwise([0, *ends])]
    plain = [[one[0] for kind, one in some if kind == "plain"] for some in fifths]
    first = median(plain[0] or [0.0])
    told = [
        {"steps": end, **_costs(some, first), **rests.get(end, {})}
        for end, some in zip(ends, fifths, strict=True)
    ]
    growth = {"growth": told[-1]["growth"], "growth_turns": len(plain[0]) + len(plain[-1])}
    return {**_costs(turns, first), **rest, "held_mb": held, **growth, "fifths": told}


def _costs(turns: Sequence[tuple[str, list[float]]], first: float) -> dict[str, Any]:
    """Milliseconds of turns and of their floor; `first` is the median plain turn at first."""
    cpu, *floor = np.mean([one for _, one in turns] or [[0.0] * (1 + len(PARTS))], axis=0).tolist()
    of = {kind: [one[0] for known, one in turns if known == kind] for kind in KINDS}
    told: dict[str, Any] = {
        "of_floor": round(cpu / sum(floor), 2) if sum(floor) else 0.0,
        "growth": round(median(of["plain"] or [0.0]) / first, 2) if first else 0.0,
        "cpu": round(cpu, 3),
        "floor": round(sum(floor), 3),
        **{part: round(spent, 3) for part, spent in zip(PARTS, floor, strict=True)},
    }
    for kind, spent in of.items():
        told[kind] = len(spent)
        if len(spent) >= ENOUGH:
            middle, late = np.quantile(spent, [0.5, 0.99]).round(3).tolist()
            told |= {f"{kind}_p50": middle, f"{kind}_p99": late}
        elif spent:
            told[f"{kind}_largest"] = round(max(spent), 3)
    return told


def _rests(place: Path) -> dict[str, Any]:
    """What a workspace and this process take now."""
    sizes = {path: path.lstat().st_size for path in place.rglob("*") if path.is_file()}
    return {
        "workspace": sum(sizes.values()),
        "index": sum(size for path, size in sizes.items() if path.name.startswith("index.db")),
        "files": len(sizes),
        "rss_mb": _memory(),
    }


def _memory() -> int:
    """Megabytes this process takes now: of Loom, and of the sessions it is given."""
    return round(int(Path("/proc/self/statm").read_text().split()[1]) * mmap.PAGESIZE / 1e6)


def _floor(
    texts: list[str],
    count: Callable[[list[str]], object],
    redact: Callable[[str], str],
    log: IO[bytes],
) -> list[float]:
    """Pay the floor for what comes in before a turn; returns the milliseconds of its PARTS."""
    marks = [time.thread_time()]
    clean = [redact(text) for text in texts]
    marks.append(time.thread_time())
    count(clean)
    marks.append(time.thread_time())
    log.write("".join(clean).encode("utf-8", "replace"))
    log.flush()
    marks.append(time.thread_time())
    return [1_000 * (end - start) for start, end in pairwise(marks)]


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


def _size(event: Event) -> int:
    """The bytes an event brought."""
    if isinstance(event, Reply):
        return len(encode(event))
    return len(event.text.encode("utf-8", "surrogatepass"))


def judged(window: int, told: dict[str, Any]) -> list[str]:
    """What is missed: a growth above GROWTH; of too few turns it is said on stderr alone."""
    said = f"growth of the median plain turn at {window:,} tokens: {told['growth']}"
    if told["growth_turns"] < JUDGED:
        few = f"{told['growth_turns']} plain turns in the first fifth and the last"
        on_stderr(f"{said}, not judged: {few}, it takes {JUDGED}")
        return []
    return [f"{said} is above {GROWTH}"] if told["growth"] > GROWTH else []
