"""The one pass over a journal that opening makes: every commit that stands, and where it ends.

Theory of operation. From the first line to the last every crc and number is checked. Then:

- The last line of the last segment may be torn: incomplete, or with a crc that does not match.
  Only the write in flight when the machine stopped can be so, and nobody was told it had succeeded.
- Everything else that is wrong (a bad line with anything after it, a line that swallowed another
  commit, a number out of order, a missing segment) is damage, not a crash: CorruptJournal names
  segment and line, and nothing on disk is changed.

Earlier versions could sync once a turn. A power cut keeps any part of what was not synced, of
several lines and of the pages they name. So each of their lines carries a claim: the number of the
last commit that was durable, pages and all, when the line was written. A line without one claims
itself. What is wrong at commit k, a line that does not verify or a page that is missing or other
than the commit says, is a torn end exactly if nothing claims k: no whole line at or after it, no
later segment (one is begun when all before it is durable), no note of how far all was durable.
Nobody was told then that k would last: it and all after it is left out, and a writer cuts it off.
What is claimed is never cut: there it is damage. Bad bytes with more behind them are a torn end
only after a line that carries a claim, for the first such line of a segment and of a writer was
synced by itself.

Commits are held back until they are claimed. Those that never are, of one turn as a rule, have
their pages read and verified at the end, but for pages that a later one of them retired: their
files may be gone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

import msgspec

from loom_paging import extent as extents
from loom_paging.errors import CorruptJournal, CorruptPage, MissingPage, PagingError
from loom_paging.line import Commit, commits_in, decode, holds_commit
from loom_paging.page import PageRef, fetch
from loom_paging.segments import Sealed, lines, missing_segment
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


class TornPart(NamedTuple):
    """Bytes of the torn tail of a journal: the line they begin at, how many, and what is wrong."""

    where: str
    size: int
    why: str


class FirstPass:
    """The pass over the `segments` of a store, but for those of `sealed`.

    After it `torn` is the torn tail, `cut` the pages that whole commits in it name, `unclaimed` the
    commits that stand, and which nothing claims. `at` is the segment that is read.
    """

    def __init__(
        self,
        store: ReadableStore,
        segments: Sequence[str],
        sealed: Sealed,
        retired: RetiredBy,
    ) -> None:
        self.torn: list[TornPart] = []
        self.cut: list[PageRef] = []
        self.unclaimed: list[Commit] = []
        self.at = ""
        self._store, self._segments, self._retired = store, segments, retired
        self._first, self._last = len(sealed.firsts), sealed.last
        self._tail = Unclaimed()

    def commits(self) -> Iterator[HeldCommit]:
        """Yield every commit that stands, in order. Raises CorruptJournal for damage, once those
        before it were given."""
        for found in self.found():
            if not isinstance(found, HeldCommit):
                yield from self._tail.begin()
                raise found
            yield found

    def found(self) -> Iterator[HeldCommit | Exception]:
        """Yield the same, and all damage as the errors for it, however much there is."""
        if missing := missing_segment(self._segments):
            yield CorruptJournal(missing, 0, "the segment is missing and later ones are there")
        extent = extents.load(self._store)
        try:
            extents.check(self._store, extent)
        except CorruptJournal as error:
            yield error
        self._tail = tail = Unclaimed(self._last, extent.last)
        for index in range(self._first, len(self._segments)):
            self.at = self._segments[index]
            yield from tail.begin()
            try:
                yield from self._segment(index, tail)
            except (PagingError, OSError) as error:
                yield error
        left = tail.end(self._store, self._retired)
        self.unclaimed = [one.commit for one in left]
        for one in tail.held:
            self.cut += one.commit.pages
            where = f"{self._segments[one.segment]}, line {one.line}"
            why = "it, or one before it, names a page that is not there"
            self.torn.append(TornPart(where, one.size, why))
        yield from left

    def _segment(self, index: int, tail: Unclaimed) -> Iterator[HeldCommit | CorruptJournal]:
        """Yield what is claimed by then of one segment; in the last one find the torn tail."""
        segment = self._segments[index]
        ahead, number = lines(self._store, segment), 0
        while (found := next(ahead, None)) is not None:
            line, number = found[1], number + 1
            try:
                commit = decode(line)
            except CorruptJournal as bad:
                if segment == self._segments[-1]:
                    behind = [*ahead]
                    ahead, rest = iter(behind), [line, *(later for _, later in behind)]
                    if tail.torn(bad, rest):
                        part = TornPart(f"{segment}, line {number}", sum(map(len, rest)), str(bad))
                        self.torn.append(part)
                        return
                yield CorruptJournal(segment, number, str(bad))
                tail.last += 1
                continue
            if commit.number != tail.last + 1:
                why = f"commit {commit.number} stands where {tail.last + 1} should"
                yield CorruptJournal(segment, number, why)
            yield from tail.take(HeldCommit(commit, index, number, len(line)))
