"""The end of a journal that may not have reached the disk whole, told from damage.

Theory of operation. A writer that syncs once a turn (`loom_paging.waiting_syncs`) writes several
lines between two syncs, and a power cut keeps any part of them and of the pages they name. So each
of these lines carries a claim: the number of the last commit that was durable, pages and all, when
the line was written. A line without one, as every other writer makes them, claims itself.

What is wrong at commit k, a line that does not verify or a page that is missing or other than the
commit says, is a torn end exactly if nothing claims k: no whole line at or after it, no later
segment (one is begun when all before it is durable), no note of how far all was durable. Nobody was
told then that k would last. It and all after it is left out, and a writer cuts it off. What is
claimed is never cut: there it is damage.

Such lines may be torn several at a time, and a line whose writer syncs each cannot. So bad bytes
with more behind them are a torn end only after a line that carries a claim; the first such line of
a segment and of a writer is synced by itself.

Commits are held back until they are claimed. Those that never are, of one turn as a rule, have
their pages read and verified at the end, but for pages that a later one of them retired: their
files may be gone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress

import msgspec

from loom_paging.errors import CorruptJournal, CorruptPage, MissingPage, PagingError
from loom_paging.line import Commit, commits_in, holds_commit
from loom_paging.page import PageRef, fetch
from loom_paging.store import ReadableStore

RetiredBy = Callable[[Commit], Iterable[str]]  # the names of the pages a commit retires


class HeldCommit(msgspec.Struct, frozen=True):
    """A commit that was read: the index of its segment, its line there from 1, and its bytes."""

    commit: Commit
    segment: int
    line: int
    size: int


class Unclaimed:
    """The commits of a journal that is being read, held back until they are claimed.

    `last` is the number of the last that was read, `claimed` of the last that is claimed.
    """

    def __init__(self, last: int = 0, claimed: int = 0) -> None:
        self.last = last
        self.claimed = max(last, claimed)
        self.held: list[HeldCommit] = []
        self._loose = False  # the line before carries a claim

    def begin(self) -> list[HeldCommit]:
        """Begin with the next segment, which claims all before it; return those that were held."""
        self._loose = False
        return self._let_go(self.last)

    def take(self, one: HeldCommit) -> list[HeldCommit]:
        """Take in the next commit, and return those that are claimed now, in their order."""
        self.last, claim = one.commit.number, one.commit.durable
        self._loose = claim is not None
        if claim is None and not self.held:  # as in every journal of another writer: no lists
            self.claimed = max(self.claimed, self.last)
            return [one]
        self.held.append(one)
        return self._let_go(_claim(one.commit))

    def _let_go(self, claimed: int) -> list[HeldCommit]:
        self.claimed = max(self.claimed, claimed)
        count = sum(one.commit.number <= self.claimed for one in self.held)
        found, self.held = self.held[:count], self.held[count:]
        return found

    def torn(self, bad: CorruptJournal, rest: Sequence[bytes]) -> bool:
        """Tell whether a power cut can have left the bad line that `rest` begins with, and the
        lines behind it to the end of the journal."""
        if not bad.torn:
            return False
        if not self._loose:
            return len(rest) == 1 and not holds_commit(rest[0])
        claims = (_claim(commit) for line in rest for commit in commits_in(line))
        return max(self.claimed, *claims, 0) <= self.last

    def end(self, store: ReadableStore, retired: RetiredBy) -> list[HeldCommit]:
        """Those that are left and stand, once the last line was read; `held` are the rest, which
        do not."""
        bad = [
            [ref.name for ref in one.commit.pages if not _holds(store, ref)] for one in self.held
        ]
        count = len(self.held)
        while True:  # what is cut off retires nothing
            gone = {name for one in self.held[:count] for name in retired(one.commit)}
            lost = (at for at in range(count) if not gone.issuperset(bad[at]))
            if (first := next(lost, count)) == count:
                break
            count = first
        found, self.held = self.held[:count], self.held[count:]
        return found


def _claim(commit: Commit) -> int:
    """The last commit that was durable when this one was written."""
    return commit.number if commit.durable is None else commit.durable


def _holds(store: ReadableStore, ref: PageRef) -> bool:
    """True for a page that is there as a commit names it, or that cannot be read just now."""
    try:
        with suppress(OSError):
            fetch(store, ref)
    except (CorruptPage, MissingPage):
        return False
    except PagingError:
        return True
    return True
