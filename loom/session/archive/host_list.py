"""The list of messages a host keeps (`Context.sync`), as the journal has it at each commit.

Going back brings back the list of then, and what follows goes on from it: so a state of the list is
a chain that shares its beginning with the states before it, and one is kept for each commit. Any
list that was known once is found again by a hash of it, whichever branch it stood on.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from loom_partitions.journaled import SyncedMessage
from loom_partitions.records import Synced, Undone

# The messages before, the last one, how many there are, a hash of all; None for an empty list.
Chain = tuple["Chain | None", SyncedMessage, int, int]


class HostListRow(Struct, frozen=True, array_like=True, omit_defaults=True):
    """A change of the list by a commit: `back` is the commit it went back to, -1 where it grew.
    `kept` is that of the record (`Synced`)."""

    commit: int
    keep: int = 0
    messages: tuple[SyncedMessage, ...] = ()
    back: int = -1
    kept: int = -1


class Compaction(Struct, frozen=True):
    """What a client did to its list: behind the first `keep` messages `instead` stand for others,
    then the `kept` ones. `before` is the commit the list before that was told by."""

    keep: int
    instead: int
    kept: int
    before: int

    @property
    def head(self) -> int:
        """How many messages stand before those it kept."""
        return self.keep + self.instead

    @property
    def whole(self) -> int:
        """How many messages it left."""
        return self.head + self.kept


class ListState(Struct, frozen=True):
    """The list behind one commit. `newest` is the entry up to which it is told of each whether it
    is in a list: a summary is newer than what it sums up, and than replies no list has yet."""

    commit: int
    chain: Chain | None = None
    newest: int = 0
    compaction: Compaction | None = None


class KnownHead(Struct, frozen=True):
    """The first `many` messages of a list: they were all of the list behind the commit of `then`,
    until the state `after` it; None for the state of now."""

    many: int
    then: ListState
    after: ListState | None


class HostList:
    """Made by the fold; what is new in it is kept as rows until a checkpoint has them.

    `messages` is the list as it is known now, `keys` are the hashes of its messages, `listed` their
    entries. `entries` are by hash the entries of all messages that ever were in a list.
    """

    def __init__(self) -> None:
        self.messages: list[SyncedMessage] = []
        self.keys: list[str] = []
        self.listed: Counter[int] = Counter()
        self.entries: dict[str, list[int]] = {}
        self._states = [ListState(0)]
        self._commits = [0]
        self._newest = {0: 0}  # by the hash of a list the place of its newest state
        self.fresh: list[HostListRow] = []  # what no checkpoint holds yet

    def note(
        self, number: int, record: Synced | Undone, went_back: Callable[[Undone], int]
    ) -> None:
        """Take in a commit; `went_back` tells the last commit before those that were undone."""
        if isinstance(record, Synced):
            row = HostListRow(number, record.keep, record.messages, kept=record.kept)
        elif len(self._states) > 1:
            row = HostListRow(number, back=went_back(record))
        else:
            return
        self.enter(row)
        self.fresh.append(row)

    def enter(self, row: HostListRow) -> None:
        """Take in a change of the list."""
        if row.back >= 0:
            then = self._state_at(row.back)
            self._add_state(row.commit, then.chain, then.newest, then.compaction)
            self.messages = self.at(row.back)
            self.keys = [one.key for one in self.messages]
            self.listed = Counter(one.entry for one in self.messages)
            return
        if row.keep > len(self):  # what it goes on from is lost: the host will tell it again
            return
        now = self._current_state
        chain, newest, compaction = now.chain, now.newest, now.compaction
        for gone in self.messages[row.keep :]:
            chain = chain[0] if chain else None
            self.listed[gone.entry] -= 1
        del self.messages[row.keep :], self.keys[row.keep :]
        for one in row.messages:
            many, before = (chain[2], chain[3]) if chain else (0, 0)
            chain = (chain, one, many + 1, hash((before, one.key)))
            newest = newest if row.kept >= 0 else max(newest, one.entry)
            self.messages.append(one)
            self.keys.append(one.key)
            self.listed[one.entry] += 1
            if one.entry:
                self.entries.setdefault(one.key, []).append(one.entry)
        if row.kept >= 0:
            instead = len(row.messages) - row.kept
            compaction = Compaction(row.keep, instead, row.kept, now.commit)
        elif compaction is not None and row.keep < compaction.head:
            compaction = None
        self._add_state(row.commit, chain, newest, compaction)

    def __len__(self) -> int:
        return len(self.messages)

    @property
    def last_entry(self) -> int:
        """The entry behind which there may be some that no list has; 0 for none."""
        return self._current_state.newest

    @property
    def compaction(self) -> Compaction | None:
        """The compaction a client made of the list last, where that stands."""
        return self._current_state.compaction

    def known_heads(self, keys: Sequence[str]) -> Iterator[KnownHead]:
        """Yield the heads of a list that were known, the longest first, each as it was last."""
        hashes = [0]
        for key in keys:
            hashes.append(hash((hashes[-1], key)))
        for many in range(len(keys), -1, -1):
            if (place := self._newest.get(hashes[many])) is not None:
                then, *after = self._states[place : place + 2]
                yield KnownHead(many, then, after[0] if after else None)

    def goes_on(self, keys: Sequence[str]) -> bool:
        """True where a longer list than the one of now was known, and these `keys` begin with it,
        as they do with the one of now."""
        last = self._current_state.chain[3] if self._current_state.chain else 0
        for key in keys[len(self) :]:
            last = hash((last, key))
            if last in self._newest:
                return True
        return False

    def at(self, commit: int) -> list[SyncedMessage]:
        """The list behind a commit."""
        chain, found = self._state_at(commit).chain, list[SyncedMessage]()
        while chain is not None:
            found.append(chain[1])
            chain = chain[0]
        return found[::-1]

    @property
    def _current_state(self) -> ListState:
        return self._states[-1]

    def _state_at(self, commit: int) -> ListState:
        return self._states[bisect_right(self._commits, commit) - 1]

    def _add_state(
        self, commit: int, chain: Chain | None, newest: int, compaction: Compaction | None
    ) -> None:
        self._newest[chain[3] if chain else 0] = len(self._states)
        self._states.append(ListState(commit, chain, newest, compaction))
        self._commits.append(commit)
