"""What a cut took out of the window, item by item, and the scores of entries when it was made.

No record tells the scores. They follow from what came in and what it touched, which the journal
has, so that the catalog of the session is made again entry by entry, as the engine made it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from msgspec.structs import replace

from loom.compress.ladder import LADDER, STEP
from loom.compress.worth.catalog import Catalog
from loom.compress.worth.fitted import ScoreConstants, constants_of
from loom.compress.worth.units import Unit
from loom.compress.worth.worth import Worths
from loom.errors import LoomError
from loom.inspect.contents import READ_AHEAD
from loom.inspect.difference import ItemChange, difference
from loom.policy import policy_of
from loom.providers.counts import counter_for
from loom.report.data import CutRow, LaneRow, LeftRow, ScoreRow, Way
from loom.session.archive.reading import Reader
from loom.session.archive.restore import entry_of
from loom.session.archive.workspace import Workspace
from loom.session.pressure import rho
from loom_partitions.cuts import Certificate
from loom_partitions.message import Digest, Step, UserTurn, name_of
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


DIGITS = 6


class EntryScores:
    """The catalog of a session as far as it was read, and the scores of entries by it."""

    def __init__(self, workspace: Workspace) -> None:
        window = workspace.window
        self._reader = Reader(workspace, window)
        self._counter = counter_for(window.config.model, window.config.encoding)
        self._catalog = Catalog(self._counter.many)

    def take_in(self, window: Window) -> None:
        """Take in the entries whose calls are answered, as they came in: to be called before any
        decision about them is applied."""
        waiting = window.history.waiting
        fresh: list[UserTurn | Step] = []
        for entry in window.history.stream.entries_back:
            if entry.id <= self._catalog.newest and entry.id != waiting:
                break
            if not isinstance(entry, Digest) and entry.id != waiting:
                fresh.append(entry)
        for entry in reversed(fresh):
            if isinstance(entry, UserTurn) and entry.source and not entry.call:
                self._catalog.ahead(entry)
            else:
                self._catalog.note(entry, self._reader)

    def at(self, window: Window, wanted: Collection[int]) -> dict[int, ScoreRow]:
        """The scores of the `wanted` entries of a window about to be cut, by their ids."""
        try:
            policy = policy_of(window)
        except LoomError:  # another version's
            return {}
        fitted, capacity = constants_of(policy), window.limits.capacity
        worths = Worths(self._catalog, window.working, fitted, capacity, policy.ageing)
        best = {
            entry.id: unit
            for entry in window.history.stream.entries
            if not isinstance(entry, Digest) and (unit := self._best(entry, worths))
        }
        order = sorted(best, key=lambda id: -worths.density(best[id].key))
        ranks = {id: rank for rank, id in enumerate(order, 1)}
        return {
            id: self._row(best[id], worths, fitted, ranks[id], len(order))
            for id in wanted
            if id in best
        }

    def _best(self, entry: UserTurn | Step, worths: Worths) -> Unit | None:
        """The unit of an entry that is worth most; None where it has none."""
        units = (unit for unit in self._catalog.of(entry) if unit.key in self._catalog.units)
        return max(units, key=lambda unit: worths.of(unit.key), default=None)

    def _row(
        self, unit: Unit, worths: Worths, fitted: ScoreConstants, rank: int, of: int
    ) -> ScoreRow:
        catalog, key = self._catalog, unit.key
        k = fitted.kinds.get(unit.kind, 1.0)
        rel = (1.0 + worths.relevance(key)) ** fitted.focus
        stale = fitted.stale if key in catalog.stale else 1.0
        worth = worths.of(key)
        clock, step = catalog.columns.last_use(key)
        return ScoreRow(
            kind=unit.kind,
            k=round(k, DIGITS),
            rel=round(rel, DIGITS),
            recency=round(worth / (k * rel * stale), DIGITS) if k and rel and stale else 0.0,
            stale=round(stale, DIGITS),
            worth=round(worth, DIGITS),
            age_steps=catalog.steps - step,
            age_tokens=catalog.clock - clock,
            rank=rank,
            of=of,
        )
