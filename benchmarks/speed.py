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
from itertools import islice
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import IO, Annotated, Any, Literal

import numpy as np
from cyclopts import Parameter
from msgspec.json import encode

import loom
from benchmarks.options import FromOne, Json, Sessions, refusing, sizes
from benchmarks.peers import HEADS, OURS, beside, planted
from benchmarks.show import Bar, by_column, by_row, end, on_stderr
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
}


@refusing
def speed(
    *,
    steps: FromOne = 2_000,
    window: Annotated[Sequence[str], Parameter(consume_multiple=True, negative=())] = ("32000",),
    sessions: Sessions | None = None,
    flavour: Literal["coding", "research", "support", "scraps"] = "coding",
    peers: Annotated[bool, Parameter(negative=())] = False,
    messages: FromOne = 2_000,
    data: Path | None = None,
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
    peers
        In place of that, a request of Loom beside one of each other way, and what each keeps.
    messages
        So many messages, beside other ways.
    data
        A folder of labelled items (`takeover`), asked of each way too.
    """
    windows = list(dict.fromkeys(sizes("--window", ",".join(window), "8_000,32_000")))
    given = recorded(sessions)
    size_of = {"messages": messages} if peers else {"steps": steps}
    report: dict[str, Any] = {**size_of, "windows": {}}
    shown = []
    missed = False
    told: dict[str, Any]
    for size in windows:
        title = f"A window of {size:,} tokens: "
        if peers:
            told = beside(planted(chained(given, flavour), messages), size, data, on_stderr)
            missed |= bool(told[OURS]["failed"] or told[OURS]["broken_pairs"])
            shown.append(by_row(f"{title}CPU of a request, and what it keeps", told, HEADS))
        else:
            with Bar(f"steps at {size:,}", steps) as bar:
                told = lived(chained(given, flavour), size, steps, bar.advance)
            missed |= judged(size, told)
            columns = {"all": told, **{f"{one['steps']:,}": one for one in told["fifths"]}}
            shown.append(by_column(f"{title}ratios, then milliseconds", columns, ROWS))
        report["windows"][str(size)] = told
    end(report, [] if json else shown)
    return int(missed)


class TurnCosts:
    """Turns and their floor in milliseconds, by kind and by part."""

    def __init__(self) -> None:
        self.turns: dict[str, list[float]] = {kind: [] for kind in KINDS}
        self.parts = dict.fromkeys(PARTS, 0.0)

    def told(self, first: float) -> dict[str, Any]:
        """The figures; `first` is the median plain turn of the first fifth."""
        cpu, owed = sum(map(sum, self.turns.values())), sum(self.parts.values())
        count = max(sum(map(len, self.turns.values())), 1)
        told: dict[str, Any] = {
            "of_floor": _ratio(cpu, owed),
            "growth": _ratio(_middle(self.turns["plain"]), first),
            "cpu": round(cpu / count, 3),
            "floor": round(owed / count, 3),
            **{part: round(spent / count, 3) for part, spent in self.parts.items()},
        }
        for kind, turns in self.turns.items():
            told[kind] = len(turns)
            if len(turns) >= ENOUGH:
                middle, late = map(float, np.quantile(turns, [0.5, 0.99]))
                told |= {f"{kind}_p50": round(middle, 3), f"{kind}_p99": round(late, 3)}
            elif turns:
                told[f"{kind}_largest"] = round(max(turns), 3)
        return told


def lived(
    events: Iterator[Event], window: int, steps: int, tell: Callable[[int], None]
) -> dict[str, Any]:
    """One life at one window, told; `tell` is called after each turn with 1."""
    fifths = [TurnCosts() for _ in range(FIFTHS)]
    rests: dict[int, dict[str, Any]] = {}
    count, redact, payload = counter_for(), Redactor(), 0
    with (
        TemporaryDirectory(prefix="loom-speed-") as folder,
        (Path(folder) / "log").open("ab") as log,
        loom.open(Path(folder) / "w", goal="Go on.", window=window, durable=False) as ctx,
    ):
        before = ctx.window.sent
        for number, batch in enumerate(islice(batches(events), steps)):
            at = number * FIFTHS // steps
            texts = [text for event in batch for text in _texts(event)]
            payload += sum(map(_size, batch))
            _pay(fifths[at], texts, count.many, redact, log)
            begun = time.thread_time()
            for event in batch:
                feed(ctx, event)
            ctx.turn().request("openai")
            cpu = 1_000 * (time.thread_time() - begun)
            sent = ctx.window.sent
            renewed, cut = sent.generation > before.generation, sent.cuts > before.cuts
            fifths[at].turns["renewal" if renewed else "cut" if cut else "plain"].append(cpu)
            before = sent
            if (number + 1) * FIFTHS // steps > at:
                rests[at] = {"payload": payload, **_rests(Path(folder) / "w")}
            tell(1)
        ctx.recall("what was decided")  # makes the index where there is none yet
        rests[FIFTHS] = {"payload": payload, **_rests(Path(folder) / "w")}
    first, whole = _middle(fifths[0].turns["plain"]), TurnCosts()
    for one in fifths:
        for kind in KINDS:
            whole.turns[kind] += one.turns[kind]
        for part in PARTS:
            whole.parts[part] += one.parts[part]
    told = [
        {"steps": -(-steps * (at + 1) // FIFTHS), **one.told(first), **rests.get(at, {})}
        for at, one in enumerate(fifths)
    ]
    ends = fifths[0].turns["plain"], fifths[-1].turns["plain"]
    return {
        **whole.told(first),
        **rests[FIFTHS],
        "growth": told[-1]["growth"],
        "growth_turns": sum(map(len, ends)),
        "fifths": told,
    }


def _rests(place: Path) -> dict[str, Any]:
    """What a workspace and this process take now."""
    sizes = {path: path.lstat().st_size for path in place.rglob("*") if path.is_file()}
    return {
        "workspace": sum(sizes.values()),
        "index": sum(size for path, size in sizes.items() if path.name.startswith("index.db")),
        "files": len(sizes),
        "rss_mb": round(int(Path("/proc/self/statm").read_text().split()[1]) * mmap.PAGESIZE / 1e6),
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


def _size(event: Event) -> int:
    """The bytes an event brought."""
    if isinstance(event, Reply):
        return len(encode(event))
    return len(event.text.encode("utf-8", "surrogatepass"))


def judged(window: int, told: dict[str, Any]) -> bool:
    """True when the growth is above GROWTH; it is said on stderr, and when there are too few."""
    said = f"growth of the median plain turn at {window:,} tokens: {told['growth']}"
    if told["growth_turns"] < JUDGED:
        few = f"{told['growth_turns']} plain turns in the first fifth and the last"
        on_stderr(f"{said}, not judged: {few}, it takes {JUDGED}")
    elif told["growth"] > GROWTH:
        on_stderr(f"{said} is above {GROWTH}")
        return True
    return False


def _middle(turns: Sequence[float]) -> float:
    return median(turns) if turns else 0.0


def _ratio(one: float, other: float) -> float:
    return round(one / other, 2) if other else 0.0
