"""Where things stand in the journal: which commits made an entry or an item of a surface."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from loom.engine.archive.since import Seal, Since
from loom_partitions.message import Text
from loom_partitions.records import (
    Acknowledged,
    Belated,
    Evidenced,
    Heard,
    Joined,
    Prefetched,
    Questioned,
    Record,
    Replied,
    Returned,
    Signalled,
    Spawned,
    Tasked,
)


class Index:
    """Numbers only; rebuilt while the journal is read, so it is never stored.

    `commits` is by entry id, `items` by (surface, id): the last commit that told of it. `calls`
    are the steps of all calls ever made, by the call's id, `goals` all that were ever set,
    `spawned` and `joined` are of agents, by name. `since` knows what befell files after their
    pages were made.
    """

    def __init__(self) -> None:
        self.commits: dict[int, list[int]] = {}
        self.items: dict[tuple[str, str], int] = {}
        self.calls: dict[str, int] = {}
        self.goals: list[Text] = []
        self.spawned: dict[str, Spawned] = {}
        self.joined: dict[str, Joined] = {}
        self.since = Since()
        self.steps = 0
        self.turns = 0

    def note(self, number: int, records: Sequence[Record], seal: Seal) -> None:
        """Remember which entries a commit speaks of. `seal` tells a page's bytes from others."""
        for record in records:
            self.since.note(record, seal)
            entry = entry_of(record)
            if entry:
                self._add(entry, number)
            if isinstance(record, Heard | Belated):
                self.turns += 1
            elif isinstance(record, Replied):
                self.calls |= {call.id: record.step.id for call in record.step.calls}
                self.steps += 1
            elif isinstance(record, Spawned):
                self.spawned[record.child] = record
            elif isinstance(record, Joined):
                self.joined[record.child] = record
            elif isinstance(record, Tasked):
                self.goals.append(record.goal)
            else:
                item = item_of(record)
                if item is not None:
                    self.items[item] = number

    def _add(self, entry: int, number: int) -> None:
        numbers = self.commits.setdefault(entry, [])
        if not numbers or numbers[-1] != number:
            numbers.append(number)

    def __contains__(self, entry: int) -> bool:
        """True when the journal holds the entry."""
        return entry in self.commits


def entry_of(record: Record) -> int:
    """The entry a record makes or adds to; 0 for none."""
    if isinstance(record, Heard | Belated | Prefetched):
        return record.turn.id
    if isinstance(record, Replied):
        return record.step.id
    return record.step if isinstance(record, Returned) else 0


def by_entry(records: Iterable[Record]) -> dict[int, list[Record]]:
    """Records by the entry they make or add to, in their order."""
    made: dict[int, list[Record]] = {}
    for record in records:
        if entry := entry_of(record):
            made.setdefault(entry, []).append(record)
    return made


def item_of(record: Record) -> tuple[str, str] | None:
    """(surface, id) of what a record puts on a surface."""
    if isinstance(record, Signalled):
        return "events", record.event.ids[0]
    if isinstance(record, Questioned) and record.text:
        return "questions", record.id
    if isinstance(record, Evidenced):
        return "evidence", record.evidence.id
    if isinstance(record, Acknowledged):
        return "decisions", record.id
    return None
