"""Where each entry stands in the journal: entry id → numbers of the commits that made it."""

from __future__ import annotations

from collections.abc import Sequence

from partitions.records import Belated, Heard, Record, Replied, Returned


class Index:
    """Two integers an entry; rebuilt while the journal is read, so it is never stored."""

    def __init__(self) -> None:
        self.commits: dict[int, list[int]] = {}
        self.steps = 0
        self.turns = 0

    def note(self, number: int, records: Sequence[Record]) -> None:
        """Remember which entries a commit speaks of."""
        for record in records:
            if isinstance(record, Heard | Belated):
                self._add(record.turn.id, number)
                self.turns += 1
            elif isinstance(record, Replied):
                self._add(record.step.id, number)
                self.steps += 1
            elif isinstance(record, Returned):
                self._add(record.step, number)

    def _add(self, entry: int, number: int) -> None:
        numbers = self.commits.setdefault(entry, [])
        if not numbers or numbers[-1] != number:
            numbers.append(number)

    def __contains__(self, entry: int) -> bool:
        """Whether the journal holds the entry."""
        return entry in self.commits
