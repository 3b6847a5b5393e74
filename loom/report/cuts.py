"""What a cut took out of the window, item by item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from loom.compress.ladder import LADDER, STEP
from loom.engine.archive.restore import entry_of
from loom.engine.pressure import rho
from loom.errors import LoomError
from loom.inspect.contents import READ_AHEAD
from loom.inspect.difference import ItemChange, difference
from loom.policy import policy_of
from loom.report.data import CutRow, LaneRow, LeftRow, ScoreRow, Way
from loom_partitions.cuts import Certificate
from loom_partitions.message import Digest, name_of
from loom_partitions.records import Compressed, Renewed, Repaired, Undone
from loom_partitions.window import Window

AnyCut = Compressed | Renewed | Undone | Repaired
NEAR = 0.1  # of ρ at most is held free for notices: a cut below its mark by less came of itself
ENTRY = ("step_", "user_", "digest_")
LEVELS = {level.name: level.mark for level in (*LADDER, STEP)} | {"renewal": "renew_at"}


def level_of(record: AnyCut) -> str:
    """The level of a cut, as `loom log --turns` has it."""
    if isinstance(record, Compressed):
        return record.level
    return {Renewed: "renewal", Undone: "undo", Repaired: "repair"}[type(record)]


def mark_of(window: Window, level: str) -> float | None:
    """The ρ from which a level acts; None for what no pressure calls for."""
    name = LEVELS.get(level)
    if not isinstance(name, str):
        return None
    try:
        mark: float = getattr(policy_of(window), name)
    except LoomError:  # another version's
        return None
    return mark


def changes_of(before: Window, after: Window) -> list[tuple[str, ItemChange]]:
    """(partition, change) of what a cut took out or showed in less, in the order of the request."""
    return [
        (part.name, change)
        for part in difference(before, after).partitions
        for change in part.changes
        if change.before is not None
        and (change.after is None or change.after.tokens < change.before.tokens)
    ]


def entry_id(name: str) -> int:
    """The id of an entry by the name an item has; 0 for what is no entry."""
    if name.startswith(READ_AHEAD):
        return int(name.removeprefix(READ_AHEAD))
    return (entry_of(name) or 0) if name.startswith(ENTRY) else 0


def cut_row(
    record: AnyCut,
    commit: int,
    before: Window,
    after: Window,
    left: Sequence[LeftRow],
) -> CutRow:
    """The row of a cut; where it recorded no sizes they are those of the windows."""
    certificate: Certificate | None = getattr(record, "certificate", None)
    was, now = before.tokens.total, after.tokens.total
    stood = [e for e in before.history.stream.entries if isinstance(e, Digest)]
    digest = next(
        (e for e in after.history.stream.entries if isinstance(e, Digest) and e not in stood),
        None,
    )
    level = level_of(record)
    return CutRow(
        turn=before.sent.turn + 1,
        commit=commit,
        level=level,
        rho=round(rho(was, before.limits), 4),
        mark=mark_of(before, level),
        before=certificate.before.total if certificate else was,
        after=certificate.after.total if certificate else now,
        target=certificate.target if certificate else 0,
        reusable=certificate.reusable if certificate else 0,
        left=tuple(left),
        digest=name_of(digest) if digest else "",
        page=digest.page if digest else "",
        generation=after.sent.generation if level == "renewal" else 0,
        asked=_asked(before, level),
    )


def _asked(before: Window, level: str) -> bool:
    """True for a cut that was asked for: by `compact_now`, or a renewal far below its mark."""
    mark = mark_of(before, level)
    renewed = (
        level == "renewal"
        and mark is not None
        and rho(before.tokens.total, before.limits) < mark - NEAR
    )
    return renewed or (bool(before.sent.requested) and mark is not None)


def left_row(
    partition: str,
    change: ItemChange,
    titled: str,
    lanes: tuple[int, ...],
    score: ScoreRow | None,
) -> LeftRow:
    """The row of what left or stands in less."""
    was, now = change.before, change.after
    assert was is not None
    return LeftRow(
        entry=was.name,
        partition=partition,
        title=titled or was.summary,
        before=was.tokens,
        after=now.tokens if now else 0,
        detail_before=was.detail,
        detail_after=now.detail if now else "out",
        pages=tuple(dict.fromkeys(was.pages.values())),
        lanes=lanes,
        score=score,
    )


def returned(cut: CutRow, lanes: Sequence[LaneRow]) -> CutRow:
    """The cut with the request in which each thing that left stood again, and how it came."""
    return replace(cut, left=tuple(_returned(cut.turn, row, lanes) for row in cut.left))


def _returned(turn: int, row: LeftRow, lanes: Sequence[LaneRow]) -> LeftRow:
    came: Mapping[int, Way] = {
        at: way for lane in row.lanes for at, way in reversed(lanes[lane].came) if at >= turn
    }
    if not came:
        return row
    first = min(came)
    return replace(row, back=first, way=came[first])
