"""`weeks`: what each step leaves on disk, what memory grows by, how opening takes.

Sessions are chained, one after another, into one agent's workspace, until it has taken so many
steps. At ten moments, and at the end, it is measured: bytes and files by folder, the process's
memory, descriptors and threads. Then it is closed, opened again and asked for a turn.

`payload` is what came in: the bytes of every message, reply and result. What the workspace takes
beyond it is what keeping it costs: names, seals, records of turns and cuts, digests, checkpoints.
"""

from __future__ import annotations

import mmap
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from stat import S_ISREG
from tempfile import TemporaryDirectory
from typing import Any, Literal

from msgspec import json as msgspec_json
from rich.table import Table

import loom
from benchmarks.options import FromOne, Json, Sessions, refuse
from benchmarks.show import Bar, end
from loom.inputs import Event, Reply
from loom.replay.feed import feed
from loom.replay.importers.unreadable import BadSession
from loom_bench.sessions.generate import chained, recorded
from loom_bench.tables import table

MOMENTS = 10
BYTES, FILES, SECONDS = 8_000, 0.1, 1.0  # a step beyond payload; a step; opening and a turn
PERIOD = 500  # turns whose median is told
_FOLDERS = ("journal", "outputs", "history", "snapshots", "checkpoints", "index.db")


_ROWS = (
    "payload", "beyond_a_step", "files_a_step", *_FOLDERS, "files", "rss_mb", "descriptors",
    "threads", "turn_ms",
)  # fmt: skip


def weeks_table(report: dict[str, Any]) -> Table:
    """The figures, a column for each moment."""
    rows = [[name, *(one[name] for one in report["moments"])] for name in _ROWS]
    return table("Weeks", ["", *(f"{one['steps']:,}" for one in report["moments"])], rows)


def lived(
    place: Path,
    steps: int,
    window: int,
    events: Iterable[Event],
    tell: Callable[[int, str], None],
    *,
    durable: bool = False,
) -> dict[str, Any]:
    """Take so many steps in a workspace at `place`, measure it on the way, and open it again.

    `tell` is called with how many steps more were taken, and a word about them.
    """
    moments, spent = list[dict[str, Any]](), list[float]()
    done = payload = 0
    due = max(steps // MOMENTS, 1)
    ctx = loom.open(place, goal="Go on.", window=window, durable=durable)
    try:
        for event in events:
            if isinstance(event, Reply):
                if done >= steps:
                    break
                begun = time.thread_time()
                ctx.turn()
                spent.append(time.thread_time() - begun)
                done += 1
            feed(ctx, event)
            payload += _size(event)
            if isinstance(event, Reply) and done % due == 0:
                moments.append(_moment(place, done, payload, spent[-PERIOD:]))
                tell(due, f"{moments[-1]['beyond_a_step']:,} bytes a step")
        ctx.abandon()
        ctx.turn()
        ctx.recall("what was decided", tokens=1_000)
        renewals = ctx.window.sent.generation - 1
    finally:
        ctx.close()
    moments.append(_moment(place, done, payload, spent[-PERIOD:]))
    opening = []
    for _ in range(3):
        begun = time.perf_counter()
        with loom.open(place, durable=durable) as ctx:
            ctx.user("Go on.")
            ctx.turn()
            opening.append(time.perf_counter() - begun)
    last, first = moments[-1], moments[0]
    missed = [
        said
        for said, bad in (
            ("bytes", last["beyond_a_step"] > BYTES),
            ("files", last["files_a_step"] > FILES),
            ("opening", min(opening) > SECONDS),
            ("descriptors", last["descriptors"] > first["descriptors"] + 2),
            ("threads", last["threads"] > first["threads"] + 1),
        )
        if bad
    ]
    return {
        "window": window,
        "renewals": renewals,
        "opening_s": [round(one, 3) for one in opening],
        "moments": moments,
        "missed": missed,
    }


def _size(event: Event) -> int:
    """The bytes an event brought."""
    if isinstance(event, Reply):
        return len(msgspec_json.encode(event))
    return len(event.text.encode("utf-8", "surrogatepass"))


def _moment(place: Path, steps: int, payload: int, spent: list[float]) -> dict[str, Any]:
    """What a workspace takes now."""
    sizes, files = Counter[str](), Counter[str]()
    seen = set[int]()
    for path in place.rglob("*"):
        about = path.lstat()
        if S_ISREG(about.st_mode):
            top = path.relative_to(place).parts[0]
            files[top] += 1
            sizes[top] += 0 if about.st_ino in seen else about.st_size
            seen.add(about.st_ino)
    total = sum(sizes.values())
    return {
        "steps": steps,
        "payload": payload,
        "bytes": total,
        "beyond_a_step": round((total - payload) / steps),
        "files_a_step": round(sum(files.values()) / steps, 3),
        "files": sum(files.values()),
        "files_in": dict(files),
        **{name: sizes[name] for name in _FOLDERS},
        "rss_mb": _resident(),
        "descriptors": sum(1 for _ in Path("/proc/self/fd").iterdir()),
        "threads": threading.active_count(),
        "turn_ms": round(1_000 * sorted(spent)[len(spent) // 2], 2) if spent else 0,
    }


def _resident() -> float:
    """Megabytes of memory this process holds."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return round(pages * mmap.PAGESIZE / 1e6, 1)


def weeks(
    *,
    steps: FromOne = 50_000,
    window: FromOne = 32_000,
    sessions: Sessions | None = None,
    flavour: Literal["coding", "research", "support", "scraps"] = "coding",
    durable: bool = False,
    keep: Path | None = None,
    json: Json = False,
) -> int:
    """Let one agent take many steps in one workspace, and measure what that leaves.

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
    durable
        Sync as a real agent does: many times slower.
    keep
        A new folder for the workspace, left there.
    """
    try:
        given = recorded(sessions)
    except BadSession as error:
        return refuse(f"--sessions: {error}")
    if keep is not None and keep.exists():
        return refuse(f"--keep {keep}: it exists; name a new folder")
    with TemporaryDirectory(prefix="loom-weeks-") as folder:
        place = keep or Path(folder) / "w"
        events = chained(given, flavour)
        with Bar("steps", steps) as bar:
            report = lived(place, steps, window, events, bar.advance, durable=durable)
    end(report, [] if json else [weeks_table(report)])
    return int(bool(report["missed"]))
