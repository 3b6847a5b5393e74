"""Makes the rows of a report about cuts: each text that a cut took out of the window, and the
scores of the entries at that time.

The journal does not store the scores. They are computed again from the entries, one after the
other, as the engine computed them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec.structs import replace

from loom.compress.ladder import LADDER, STEP
from loom.compress.worth.entry_units import EntryUnit
from loom.compress.worth.fitted import constants_for_policy
from loom.compress.worth.working_set import WorkingSet
from loom.compress.worth.worth import Worths
from loom.errors import LoomError
from loom.inspect.contents import READ_AHEAD
from loom.inspect.difference import window_difference
from loom.policy import Policy, recorded_policy
from loom.providers.counts import counter_for
from loom.report.data import CutItemRow, CutRow, LaneRow, ScoreRow, Way
from loom.report.lanes import Lanes
from loom.session.archive.page_reader import PageReader
from loom.session.archive.restore import entry_id_in_name
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
DIGITS = 6


def entry_id(name: str) -> int:
    """Return the id of an entry from its name: "step_0012" → 12. Return 0 for other names."""
    if name.startswith(READ_AHEAD):
        return int(name.removeprefix(READ_AHEAD))
    return (entry_id_in_name(name) or 0) if name.startswith(ENTRY) else 0


def cut_row(
    record: AnyCut,
    commit: int,
    before: Window,
    after: Window,
    titles: Mapping[int, str],
    lanes: Lanes,
    scores: EntryScores,
) -> CutRow:
    """Return the report's row of a cut. `commit` is the number of the commit that has the record.
    `before` and `after` are the windows before and after the cut. `titles` maps entry ids to
    titles."""
    scored = isinstance(record, Compressed | Renewed)
    certificate: Certificate | None = getattr(record, "certificate", None)
    was, now = before.tokens.total, after.tokens.total
    full = rho(was, before.limits)
    stood = [e for e in before.history.stream.entries if isinstance(e, Digest)]
    made = (e for e in after.history.stream.entries if isinstance(e, Digest) and e not in stood)
    digest = next(made, None)
    other = {Renewed: "renewal", Undone: "undo", Repaired: "repair"}
    level = record.level if isinstance(record, Compressed) else other[type(record)]
    policy, name = _known_policy(before), LEVELS.get(level)
    # No pressure calls for the others.
    mark: float | None = getattr(policy, name) if policy and isinstance(name, str) else None
    # By `compact_now`, or a renewal far below its mark.
    asked = bool(before.sent.requested) or (level == "renewal" and full < (mark or 0) - NEAR)
    return CutRow(
        turn=before.sent.turn + 1,
        commit=commit,
        level=level,
        rho=round(full, 4),
        mark=mark,
        before=certificate.before.total if certificate else was,
        after=certificate.after.total if certificate else now,
        target=certificate.target if certificate else 0,
        reusable=certificate.reusable if certificate else 0,
        left=tuple(_cut_item_rows(before, after, titles, lanes, scores if scored else None)),
        digest=name_of(digest) if digest else "",
        page=digest.page if digest else "",
        generation=after.sent.generation if level == "renewal" else 0,
        asked=asked and mark is not None,
    )


def _cut_item_rows(
    before: Window,
    after: Window,
    titles: Mapping[int, str],
    lanes: Lanes,
    scores: EntryScores | None,
) -> Iterator[CutItemRow]:
    """Yield a row for each text that the cut took out or shortened, in the order of the request."""
    less = [
        (entry_id(change.name), part.name, change.before, change.after)
        for part in window_difference(before, after).partitions
        for change in part.changes
        if change.before and (not change.after or change.after.tokens < change.before.tokens)
    ]
    found = scores.entry_scores(before, {id for id, *_ in less}) if scores else {}
    for id, partition, was, now in less:
        yield CutItemRow(
            entry=was.name,
            partition=partition,
            title=titles.get(id) or was.summary,
            before=was.tokens,
            after=now.tokens if now else 0,
            detail_before=was.detail,
            detail_after=now.detail if now else "out",
            pages=tuple(dict.fromkeys(was.pages.values())),
            lanes=lanes.lanes_of_entry(id),
            score=found.get(id),
        )


def _known_policy(window: Window) -> Policy | None:
    """Return the policy of a window, None if this version of Loom does not know the policy."""
    try:
        return recorded_policy(window)
    except LoomError:
        return None


def with_returns(cut: CutRow, lanes: Sequence[LaneRow]) -> CutRow:
    """Return a copy of a cut's row. For each text that came back, `back` is set to the first later
    request that shows the text, and `way` to how it came back."""

    def again(row: CutItemRow) -> CutItemRow:
        came: dict[int, Way] = {
            at: way for one in row.lanes for at, way in reversed(lanes[one].came) if at >= cut.turn
        }
        first = min(came, default=0)
        return replace(row, back=first, way=came[first]) if came else row

    return replace(cut, left=tuple(map(again, cut.left)))


class EntryScores:
    """Computes the scores of a session's entries from a catalog of all entries added so far."""

    def __init__(self, workspace: Workspace) -> None:
        window = workspace.window
        self._reader = PageReader(workspace, window)
        self._catalog = WorkingSet(counter_for(window.config.model, window.config.encoding).many)
        self._requests = [0]  # those that steps replied to, the first at 1

    def take_in(self, window: Window) -> None:
        """Add the window's new entries, except a step whose calls have no results yet. Call this
        method before a cut shortens these entries."""
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
        self._requests += [window.sent.turn] * (self._catalog.steps + 1 - len(self._requests))

    def entry_scores(self, window: Window, wanted: Collection[int]) -> dict[int, ScoreRow]:
        """Return a dict from entry id to score for the entries `wanted`. `window` is the window
        right before a cut."""
        if (policy := _known_policy(window)) is None:
            return {}
        catalog, fitted = self._catalog, constants_for_policy(policy)
        capacity = window.limits.capacity
        worths = Worths(catalog, window.working, fitted, capacity, policy.ageing)
        best: dict[int, EntryUnit] = {}
        used: dict[int, int] = {}  # the step that last used any part of it
        for entry in window.history.stream.entries:
            units = () if isinstance(entry, Digest) else catalog.of(entry)
            known = [unit for unit in units if unit.key in catalog.units]
            if known:
                best[entry.id] = max(known, key=lambda unit: worths.of(unit.key))
                used[entry.id] = max(catalog.columns.last_use(unit.key)[1] for unit in known)
        order = sorted(best, key=lambda id: -worths.density_of(best[id].key))

        def row(id: int, rank: int) -> ScoreRow:
            unit = best[id]
            key, worth = unit.key, worths.of(unit.key)
            k = fitted.kinds.get(unit.kind, 1.0)
            rel = (1.0 + worths.relevance_of(key)) ** fitted.focus
            stale = fitted.stale if key in catalog.stale else 1.0
            return ScoreRow(
                kind=unit.kind,
                k=round(k, DIGITS),
                rel=round(rel, DIGITS),
                recency=round(worth / (k * rel * stale), DIGITS) if k and rel and stale else 0.0,
                stale=round(stale, DIGITS),
                worth=round(worth, DIGITS),
                used=self._requests[used[id]],
                rank=rank,
                of=len(order),
            )

        return {id: row(id, rank) for rank, id in enumerate(order, 1) if id in wanted}
