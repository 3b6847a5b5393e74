"""The journal of a workspace, summed up as far as it was read: what `loom top` makes frames of.

`noted` folds one commit into the summary. It is pure, and beside the window it keeps totals and the
newest of each kind only, so a summary stays small however long the history is.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from loom.engine.archive.decode import records_of
from loom.engine.archive.workspace import Workspace
from loom.engine.sent_size import SentSize, sent_size
from loom.inspect.reuse import PrefixReuse
from loom_paging import Commit
from loom_partitions import records as r
from loom_partitions.window import Window, apply

POINTS = 200  # newest requests: a frame draws no more
CUTS, RENEWALS, RECORDS = 4, 3, 12  # newest ones of each


class Point(Struct, frozen=True):
    """One request: its turn, its size, and the tokens of the reply to it."""

    turn: int
    size: SentSize
    replied: int = 0


class CutPoint(Struct, frozen=True):
    """A cut, for the request of `turn`: tokens before and after, and what a cache still holds.

    `level` is "renewal" for a renewal, whose `generation` is the new one; else that is 0.
    """

    turn: int
    level: str
    before: int
    after: int
    reusable: int
    edits: int
    generation: int = 0

    @property
    def reuse(self) -> float:
        """Share of the request after it that the request before it holds byte for byte."""
        return self.reusable / self.after if self.after else 0.0


class JournalSummary(Struct, frozen=True):
    """The journal so far: the window it folds to, running totals, the newest of each kind.

    `reuse` holds the tokens of all requests, `replied` those of all replies; `page_bytes` are bytes
    of pages that are kept, with equal ones counted once.
    """

    window: Window = Window()
    commits: int = 0
    at: int = 0
    steps: int = 0
    pages: int = 0
    page_bytes: int = 0
    reuse: PrefixReuse = PrefixReuse()
    replied: int = 0
    levels: dict[str, int] = {}
    points: tuple[Point, ...] = ()
    cuts: tuple[CutPoint, ...] = ()
    renewals: tuple[CutPoint, ...] = ()
    records: tuple[tuple[int, int, r.Record], ...] = ()  # commit, milliseconds, record


def noted(seen: JournalSummary, commit: Commit) -> JournalSummary:
    """The summary after one more commit; raises as `records_of`."""
    records = records_of(commit)
    for record in records:
        seen = replace(seen, window=apply(seen.window, record))
        note = NOTED.get(type(record))
        seen = note(seen, record) if note else seen
    outputs = [page for page in commit.pages if page.name.startswith("outputs/")]
    newest = ((commit.number, commit.at, record) for record in records[-RECORDS:])
    return replace(
        seen,
        commits=commit.number,
        at=commit.at,
        pages=seen.pages + len(outputs),
        page_bytes=seen.page_bytes + sum(page.size for page in outputs if not page.alias),
        records=(*seen.records, *newest)[-RECORDS:],
    )


def journal_summary(workspace: Workspace) -> JournalSummary:
    """The summary of a whole journal."""
    return reduce(noted, workspace.journal.scan(), JournalSummary())


def _turned(seen: JournalSummary, record: r.Turned) -> JournalSummary:
    size = sent_size(seen.window)
    point = Point(record.turn, size)
    reuse = seen.reuse.with_request(size)
    return replace(seen, points=(*seen.points, point)[-POINTS:], reuse=reuse)


def _sized(seen: JournalSummary, record: r.Metered | r.Overflowed | r.SentAgain) -> JournalSummary:
    if not seen.points:
        return seen
    size = sent_size(seen.window)
    last = replace(seen.points[-1], size=size)
    return replace(seen, points=(*seen.points[:-1], last), reuse=seen.reuse.reported(size))


def _replied(seen: JournalSummary, record: r.Replied) -> JournalSummary:
    tokens, points = record.step.tokens, seen.points
    if points:
        last = replace(points[-1], replied=points[-1].replied + tokens)
        points = (*points[:-1], last)
    return replace(seen, points=points, replied=seen.replied + tokens, steps=seen.steps + 1)


def _cut(seen: JournalSummary, record: r.Compressed | r.Renewed) -> JournalSummary:
    renewed = isinstance(record, r.Renewed)
    certificate = record.certificate
    cut = CutPoint(
        turn=seen.window.sent.turn + 1,
        level="renewal" if isinstance(record, r.Renewed) else record.level,
        before=certificate.before.total,
        after=certificate.after.total,
        reusable=certificate.reusable,
        edits=len(record.edits),
        generation=seen.window.sent.generation if renewed else 0,
    )
    return replace(
        seen,
        reuse=seen.reuse.shortened(cut.reusable),
        levels={**seen.levels, cut.level: seen.levels.get(cut.level, 0) + 1},
        cuts=(*seen.cuts, cut)[-CUTS:],
        renewals=(*seen.renewals, *([cut] if renewed else []))[-RENEWALS:],
    )


# Kind → what it adds to the summary beside its part of the window; the others add nothing.
NOTED: dict[type, Callable[[JournalSummary, Any], JournalSummary]] = {
    r.Retired: lambda seen, record: replace(
        seen,
        pages=seen.pages - len(record.pages),
        page_bytes=max(seen.page_bytes - record.freed, 0),
    ),
    r.Undone: lambda seen, record: replace(
        seen, reuse=seen.reuse.shortened(record.window.tokens.total)
    ),
    r.Turned: _turned,
    r.Metered: _sized,
    r.Overflowed: _sized,
    r.SentAgain: _sized,
    r.Replied: _replied,
    r.Compressed: _cut,
    r.Renewed: _cut,
}
