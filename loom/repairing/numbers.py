"""Numbers of requests in a damaged journal: which stand, which are gone, and where to go on."""

from __future__ import annotations

from collections.abc import Iterable

from loom_partitions.records import Record, Repaired, Turned


class RequestNumbers:
    """Numbers of requests, taken in commit by commit.

    `stand` are those of requests the new journal has, `last` is the highest number a request may
    have had: each commit that is gone may have held one, and none holds two.
    """

    def __init__(self) -> None:
        self.stand: set[int] = set()
        self.last = 0
        self._seen = 0  # the highest number a record tells of
        self._told: set[int] = set()  # as lost by an earlier repair
        self._recorded: set[int] = set()  # the same, by a record the new journal has

    def found(self, records: Iterable[Record]) -> None:
        """Take the numbers in that a commit tells of, whether it stands or not."""
        for record in records:
            if isinstance(record, Turned | Repaired):
                self.last = self._seen = max(self._seen, record.turn)
            if isinstance(record, Repaired):
                self._told.update(record.requests)

    def kept(self, record: Turned | Repaired) -> None:
        """Take in that a record stands."""
        if isinstance(record, Turned):
            self.stand.add(record.turn)
        else:
            self._recorded.update(record.requests)

    def commit_lost(self) -> None:
        """Take in that a commit is gone."""
        self.last += 1

    @property
    def gone(self) -> tuple[int, ...]:
        """Numbers that no request has and no record tells of: lost, or perhaps of a lost one."""
        known = self.stand | self._recorded
        return tuple(each for each in range(1, self.last + 1) if each not in known)

    @property
    def lost(self) -> tuple[int, ...]:
        """Numbers of requests that were made and are gone, and that no repair told of before."""
        return tuple(each for each in self.gone if each <= self._seen and each not in self._told)
