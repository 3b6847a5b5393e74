"""`weeks`: what many steps in one workspace leave on the disk, and how opening it takes."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from benchmarks.measures.weeks.lived import lived, weeks_table
from benchmarks.options import FromOne, Json, Sessions, refuse
from benchmarks.show import Bar, end
from loom.replay.importers.unreadable import BadSession
from loom_bench.sessions.chained import chained, recorded


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
