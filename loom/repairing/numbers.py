"""Numbers of requests in a damaged journal: which stand, which are gone, and where to go on; and
those of commits, which are others in the new one."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from msgspec.structs import replace

from loom_partitions.records import Record, Repaired, Turned, Undone


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


class CommitNumbers:
    """The numbers commits had in the old journal; in the new one they have no gap."""

    def __init__(self) -> None:
        self._kept: list[int] = []  # by the new number, from 1 on

    def kept(self, number: int) -> None:
        """The next commit of the new journal had this number."""
        self._kept.append(number)

    def added(self) -> None:
        """The next commit of the new journal is none of the old one."""
        self._kept.append(self._kept[-1] if self._kept else 0)

    def renumbered(self, record: Record) -> Record:
        """A record that names a commit by its old number, with the new one of the last commit
        there is up to it."""
        if not isinstance(record, Undone) or not record.at:
            return record
        return replace(record, at=bisect_right(self._kept, record.at))
