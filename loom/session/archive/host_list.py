"""The list of messages that a host keeps itself (`Context.sync`), as it was at each commit.

An undo brings back the list of an earlier commit, and later messages are added to that. So the list
at a commit is stored as a linked list that shares its beginning with earlier ones. Any list that
was known once is found again by a hash of its messages' keys, also after an undo."""

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
    """A change of the host's message list, made by the commit `commit`: the first `keep` messages
    stay, and `messages` replaces the rest.

    For an undo, `back` is the commit whose list came back, otherwise -1. For a compaction by the
    client, the last `kept` of `messages` were kept from the old list; otherwise `kept` is -1."""

    commit: int
    keep: int = 0
    messages: tuple[SyncedMessage, ...] = ()
    back: int = -1
    kept: int = -1


class Compaction(Struct, frozen=True):
    """A compaction of the host's message list by the client. The new list has the first `keep`
    messages of the old list, then `instead` new messages, then the last `kept` messages of the old
    list. `before` is the last commit with the old list."""

    keep: int
    instead: int
    kept: int
    before: int

    @property
    def head(self) -> int:
        """The number of messages before the last `kept` messages."""
        return self.keep + self.instead

    @property
    def whole(self) -> int:
        """The number of messages in the list right after the compaction."""
        return self.head + self.kept


class ListState(Struct, frozen=True):
    """The host's message list after the commit `commit`. `chain` is the list as a linked list, None
    for an empty list. `compaction` is the last compaction whose new messages are still in the list.

    `newest` is the highest entry id that the list has ever had, not counting summaries. An entry
    with a lower id that is missing from the list was dropped by the host."""

    commit: int
    chain: Chain | None = None
    newest: int = 0
    compaction: Compaction | None = None


class KnownBeginning(Struct, frozen=True):
    """The first `many` messages of a list, which were the host's whole list in the state `then`.
    `after` is the next state, None if `then` is the current state."""

    many: int
    then: ListState
    after: ListState | None


class HostList:
    """The host's message list at every commit. `fresh` holds the changes that are in no checkpoint
    yet.

    `messages` is the current list and `keys` the hashes of its messages. `listed` counts its
    messages by entry id. `entries` maps the hash of every message ever listed to entry ids."""

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
        """Apply a record of commit `number` to the list. `went_back` takes an undo and returns the
        commit to which the undo went back."""
        if isinstance(record, Synced):
            row = HostListRow(number, record.keep, record.messages, kept=record.kept)
        elif len(self._states) > 1:
            row = HostListRow(number, back=went_back(record))
        else:
            return
        self.enter(row)
        self.fresh.append(row)

    def enter(self, row: HostListRow) -> None:
        """Apply a change to the list. A change that keeps more messages than known is ignored."""
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
        """The highest entry id that the list has ever had, 0 for none."""
        return self._current_state.newest

    @property
    def compaction(self) -> Compaction | None:
        """The client's last compaction, while its new messages are still in the list; else None."""
        return self._current_state.compaction

    def known_beginnings(self, keys: Sequence[str]) -> Iterator[KnownBeginning]:
        """Yield each beginning of a list that once was the host's whole list, the longest first.
        `keys` are the hashes of the list's messages."""
        hashes = [0]
        for key in keys:
            hashes.append(hash((hashes[-1], key)))
        for many in range(len(keys), -1, -1):
            if (place := self._newest.get(hashes[many])) is not None:
                then, *after = self._states[place : place + 2]
                yield KnownBeginning(many, then, after[0] if after else None)

    def goes_on(self, keys: Sequence[str]) -> bool:
        """True when `keys` begin with an earlier list of the host that is longer than the current
        list. `keys` must begin with the current list's keys."""
        last = self._current_state.chain[3] if self._current_state.chain else 0
        for key in keys[len(self) :]:
            last = hash((last, key))
            if last in self._newest:
                return True
        return False

    def at(self, commit: int) -> list[SyncedMessage]:
        """Return the messages of the list as it was after a commit."""
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
        """Add the state of the list after a commit. The parameters are fields of `ListState`."""
        self._newest[chain[3] if chain else 0] = len(self._states)
        self._states.append(ListState(commit, chain, newest, compaction))
        self._commits.append(commit)
