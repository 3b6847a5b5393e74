"""The one pass over a journal that opening makes: every commit that stands, and where it ends.

Theory of operation. From the first line to the last every crc and number is checked. Then:

- The last line of the last segment may be torn: incomplete, or with a crc that does not match.
  Only the write in flight when the machine stopped can be so, and nobody was told it had
  succeeded. Of a turn that was not synced it may be several lines, and whole ones that name pages
  which are not there (`loom_paging.unclaimed`).
- Everything else that is wrong (a bad line with anything after it, a line that swallowed another
  commit, a number out of order, a missing segment) is damage, not a crash: CorruptJournal names
  segment and line, and nothing on disk is changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from loom_paging import extent as extents
from loom_paging.errors import CorruptJournal
from loom_paging.line import Commit, decode
from loom_paging.page import PageRef
from loom_paging.segments import Sealed, lines, missing_segment
from loom_paging.store import Store
from loom_paging.unclaimed import HeldCommit, RetiredBy, Unclaimed


class FirstPass:
    """The pass over the `segments` of a store, but for those of `sealed`.

    After it `torn` are the bytes of the torn tail, `cut` the pages that whole commits in it name,
    `unclaimed` the commits that stand, and which nothing claims (`loom_paging.unclaimed`).
    """

    def __init__(
        self, store: Store, segments: Sequence[str], sealed: Sealed, retired: RetiredBy
    ) -> None:
        self.torn = 0
        self.cut: list[PageRef] = []
        self.unclaimed: list[Commit] = []
        self._store, self._segments, self._retired = store, segments, retired
        self._first, self._last = len(sealed.firsts), sealed.last

    def commits(self) -> Iterator[HeldCommit]:
        """Yield every commit that stands, in order. Raises CorruptJournal for damage, once those
        before it were given."""
        missing = missing_segment(self._segments)
        if missing:
            raise CorruptJournal(missing, 0, "the segment is missing and later ones are there")
        extents.check(self._store, extent := extents.load(self._store))
        tail = Unclaimed(self._last, extent.last)
        for index in range(self._first, len(self._segments)):
            yield from tail.begin()
            yield from self._segment(index, tail)
        left = tail.end(self._store, self._retired)
        self.unclaimed = [one.commit for one in left]
        self.cut = [ref for one in tail.held for ref in one.commit.pages]
        self.torn += sum(one.size for one in tail.held)
        yield from left

    def _segment(self, index: int, tail: Unclaimed) -> Iterator[HeldCommit]:
        """Yield what is claimed by then of one segment; in the last one find the torn tail."""
        segment = self._segments[index]
        found = lines(self._store, segment)
        for number, (_, line) in enumerate(found, 1):
            try:
                commit = decode(line)
                why = f"commit {commit.number} stands where {tail.last + 1} should"
            except CorruptJournal as bad:
                rest = [line, *(later for _, later in found)]
                if segment == self._segments[-1] and tail.torn(bad, rest):
                    self.torn = sum(map(len, rest))
                    return
                commit, why = None, str(bad)
            if commit is None or commit.number != tail.last + 1:
                yield from tail.begin()
                raise CorruptJournal(segment, number, why)
            yield from tail.take(HeldCommit(commit, index, number, len(line)))
