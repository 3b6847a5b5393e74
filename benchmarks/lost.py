"""Lost: what clients' own compactions left out, what was gone back for, and what Loom had then."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from msgspec import to_builtins

from benchmarks.options import CommandResult, Limit, Sessions, Workers, measuring
from benchmarks.show import by_row, on_stderr
from loom.inputs import Session
from loom.providers.prices import prices_of
from loom.replay.importers import find, load
from loom.replay.lost import SessionLoss, losses
from loom.replay.lost.in_use import unnamed_files
from loom.replay.lost.loom_window import PLACES
from loom.replay.lost.losses import CompactionLoss
from loom.report.loss_sentences import brief_tokens, clock_text, loss_sums
from loom.report.window_comparison import WindowComparison, window_comparisons
from loom_bench.errors import BadBench
from loom_bench.pool import spread

TITLE = 18  # characters
KINDS = ("rule", "check", "file", "id")


def of_session(session: Session) -> tuple[SessionLoss, list[list[str]]]:
    """The losses of one session, and the files that none of its summaries names."""
    listed = [unnamed_files(session, one) for one in session.compactions]
    with TemporaryDirectory(prefix="loom-lost-") as folder:
        return losses(session, Path(folder) / "w", prices_of(session.model)), listed


@measuring
def lost(*, sessions: Sessions, limit: Limit = 0, workers: Workers = 2) -> CommandResult:
    """Tell of each recorded compaction what was lost, what was gone back for, and Loom's share.

    Parameters
    ----------
    sessions
        Files or folders of recorded sessions; those without a compaction are passed over.
    """
    read = (one for path in find(sessions) for one in load(path) if one.compactions)
    found, listed = list[SessionLoss](), list[list[str]]()
    for one, files in spread(of_session, islice(read, limit or None), workers):
        found.append(one)
        listed += files
        on_stderr(f"{clock_text(one.when, '%Y-%m-%d')} {one.title}")
    if not found:
        raise BadBench("--sessions: none was compacted by its client")
    rows = {
        f"{clock_text(at.when, '%Y-%m-%d %H:%M')} {session.title[:TITLE]}": _row([at])
        for session in found
        for at in session.compactions
    }
    every = [at for session in found for at in session.compactions]
    rows["in all"] = total = _row(every)
    beside = window_comparisons(found)
    report: dict[str, Any] = {"sessions": len(found), **to_builtins(loss_sums(every))}
    report["beside"] = to_builtins(beside)
    report["kinds"] = {kind: _of_kind(found, kind) for kind in KINDS}
    report["unnamed"] = sum(map(len, listed))  # as `loom hook --dropped` lists them
    report["back_unnamed"] = sum(
        call.did == "read" and call.what in files
        for at, files in zip(every, listed, strict=True)
        for call in at.back
    )
    heads = {name: name for name in total}
    names = {name: name for name in _beside(beside[0])}
    windows = by_row("all of them", {one.name: _beside(one) for one in beside}, names)
    return CommandResult(report, [by_row(f"{len(every)} compactions", rows, heads), windows])


def _row(every: Sequence[CompactionLoss]) -> dict[str, Any]:
    """A compaction, or all of them, in a row."""
    added = loss_sums(every)
    return {
        "before": brief_tokens(added.before),
        "summary": brief_tokens(added.summaries),
        "in use": added.things,
        "left out": added.lost,
        "again": added.back,
        "minutes": round(added.waited + added.minutes, 1),
        "to write": f"{added.written:.2f}",
        "to fetch": f"{added.again:.2f}",
    }


def _beside(one: WindowComparison) -> dict[str, Any]:
    """A window in a row: the things in use by where they are, and what its input costs."""
    return {
        "room": brief_tokens(one.room) if one.room else "-",
        **dict(zip(PLACES, one.places, strict=True)),
        "of texts fetched again": one.back,
        "mean request": brief_tokens(one.mean),
        "dollars": f"{one.dollars:.2f}",
    }


def _of_kind(found: Sequence[SessionLoss], kind: str) -> dict[str, int]:
    """How many things of a kind were in use, and how many of them were lost."""
    things = [it for one in found for at in one.compactions for it in at.things if it.kind == kind]
    return {"n": len(things), "lost": sum(not thing.held for thing in things)}
