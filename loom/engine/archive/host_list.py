"""The list of messages a host keeps (`Context.sync`), as the journal has it at each commit.

Going back brings back the list of then, and what follows goes on from it: so a state of the list is
a chain that shares its beginning with the states before it, and one is kept for each commit.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from loom_partitions.records import Record, Synced, Undone
from loom_partitions.synced import SyncedMessage

# The messages before, the last one, how many there are; None for an empty list.
Chain = tuple["Chain | None", SyncedMessage, int]


class HostListRow(Struct, frozen=True, array_like=True, omit_defaults=True):
    """A change of the list by a commit: `back` is the commit it went back to, -1 where it grew."""

    commit: int
    keep: int = 0
    messages: tuple[SyncedMessage, ...] = ()
    back: int = -1


class HostList:
    """Made by the fold; what is new in it is kept as rows until a checkpoint has them.

    `messages` is the list as it is known now, `keys` are the hashes of its messages, `entries` are
    by hash the entries of all messages that ever were in a list.
    """

    def __init__(self) -> None:
        self.messages: list[SyncedMessage] = []
        self.keys: list[str] = []
        self.entries: dict[str, list[int]] = {}
        self._commits: list[int] = []
        self._states: list[Chain | None] = []  # after each of these commits
        self._newest: list[int] = []  # entry of the list then, and of the lists before it
        self._fresh: list[HostListRow] = []

    def note(
        self, number: int, records: Sequence[Record], went_back: Callable[[Undone], int]
    ) -> None:
        """Take in a commit; `went_back` tells the last commit before those that were undone."""
        for record in records:
            if isinstance(record, Synced):
                self._take(row := HostListRow(number, record.keep, record.messages))
            elif isinstance(record, Undone) and self._states:
                self._take(row := HostListRow(number, back=went_back(record)))
            else:
                continue
            self._fresh.append(row)

    def enter(self, rows: Sequence[HostListRow]) -> None:
        """Take in what was written down, in the order it was."""
        for row in rows:
            self._take(row)

    def fresh(self) -> list[HostListRow]:
        """The rows added since `forget_fresh`."""
        return self._fresh

    def forget_fresh(self) -> None:
        """Forget the rows added so far: a checkpoint holds them."""
        self._fresh = []

    def __len__(self) -> int:
        return len(self.messages)

    @property
    def state(self) -> object:
        """The list as a value that is told from any other by `is`."""
        return self._last

    @property
    def last_entry(self) -> int:
        """The newest entry of its messages, and of those a client put others in the place of; 0
        for none."""
        return self._newest[-1] if self._newest else 0

    def states(self) -> Iterator[tuple[int, int | None]]:
        """Yield, the newest first, a commit and how many messages were all of the list behind it,
        of those that head it now; None where it was another list, which a client compacted since,
        or which was undone."""
        lengths = {id(None): 0}
        chain = self._last
        while chain is not None:
            lengths[id(chain)] = chain[2]
            chain = chain[0]
        for commit, state in zip(reversed(self._commits), reversed(self._states), strict=True):
            yield commit, lengths.get(id(state))

    @property
    def _last(self) -> Chain | None:
        return self._states[-1] if self._states else None

    def _at(self, commit: int) -> Chain | None:
        place = bisect_right(self._commits, commit)
        return self._states[place - 1] if place else None

    def _take(self, row: HostListRow) -> None:
        newest = self.last_entry
        if row.back >= 0:
            place = bisect_right(self._commits, row.back)
            chain, newest = self._at(row.back), self._newest[place - 1] if place else 0
            self.messages = [*_backwards(chain)][::-1]
            self.keys = [one.key for one in self.messages]
        elif row.keep > len(self):  # what it goes on from is lost: the host will tell it again
            return
        else:
            chain = self._last
            for _ in range(len(self) - row.keep):
                chain = chain[0] if chain else None
            del self.messages[row.keep :], self.keys[row.keep :]
        for one in row.messages:
            chain, newest = (chain, one, chain[2] + 1 if chain else 1), max(newest, one.entry)
            self.messages.append(one)
            self.keys.append(one.key)
            if one.entry:
                self.entries.setdefault(one.key, []).append(one.entry)
        self._commits.append(row.commit)
        self._states.append(chain)
        self._newest.append(newest)


def _backwards(chain: Chain | None) -> Iterator[SyncedMessage]:
    while chain is not None:
        yield chain[1]
        chain = chain[0]
