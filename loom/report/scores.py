"""The scores of entries when a cut was made, worked out again from the journal.

No record tells them. They follow from what came in and what it touched, which the journal has, so
that the catalog of the session is made again entry by entry, as the engine made it.
"""

from __future__ import annotations

from collections.abc import Collection

from loom.compress.worth.catalog import Catalog
from loom.compress.worth.fitted import ScoreConstants, constants_of
from loom.compress.worth.worth import Worths
from loom.engine.archive.reading import Reader
from loom.engine.archive.workspace import Workspace
from loom.errors import LoomError
from loom.policy import Policy, policy_of
from loom.providers.counts import counter_for
from loom.report.data import ScoreRow
from loom_partitions.message import Digest, Entry, Step, UserTurn
from loom_partitions.window import Window

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
        standing = [e for e in window.history.stream.entries if not isinstance(e, Digest)]
        scored = _Scored(self._catalog, window, policy)
        rows = {entry.id: row for entry in standing if (row := scored.row(entry)) is not None}
        order = sorted(rows, key=lambda id: -rows[id][1])
        ranks = {id: rank for rank, id in enumerate(order, 1)}
        return {id: _ranked(rows[id][0], ranks[id], len(order)) for id in wanted if id in rows}


def _ranked(row: ScoreRow, rank: int, of: int) -> ScoreRow:
    return ScoreRow(
        row.kind, row.k, row.rel, row.recency, row.stale, row.worth, row.age_steps,
        row.age_tokens, rank, of,
    )  # fmt: skip


class _Scored:
    """The worths of all units at one moment, told entry by entry."""

    def __init__(self, catalog: Catalog, window: Window, policy: Policy) -> None:
        self.catalog = catalog
        self.fitted: ScoreConstants = constants_of(policy)
        capacity = window.limits.capacity
        self.worths = Worths(catalog, window.working, self.fitted, capacity, policy.ageing)

    def row(self, entry: Entry) -> tuple[ScoreRow, float] | None:
        """The score of an entry's best unit and its worth per token; None where it has no unit."""
        if isinstance(entry, Digest):
            return None
        units = (unit for unit in self.catalog.of(entry) if unit.key in self.catalog.units)
        best = max(units, key=lambda unit: self.worths.of(unit.key), default=None)
        if best is None:
            return None
        catalog, fitted, key = self.catalog, self.fitted, best.key
        k = fitted.kinds.get(best.kind, 1.0)
        rel = (1.0 + self.worths.relevance.of(key)) ** fitted.focus
        stale = fitted.stale if key in catalog.stale else 1.0
        worth = self.worths.of(key)
        last = catalog.uses_of(key)[-1][0]
        row = ScoreRow(
            best.kind,
            round(k, DIGITS),
            round(rel, DIGITS),
            round(worth / (k * rel * stale), DIGITS) if k and rel and stale else 0.0,
            round(stale, DIGITS),
            round(worth, DIGITS),
            catalog.steps - catalog.used_at[key],
            catalog.clock - last,
            0,
            0,
        )
        return row, self.worths.density(key)
