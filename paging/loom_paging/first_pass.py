"""The one pass over a journal at opening: every commit that stands, and where the journal ends.

Theory of operation. From the first line to the last every crc and number is checked. Then:

- The last line of the last segment may be torn: incomplete, or with a crc that does not match. Only
  the write in flight when the machine stopped can be so, and nobody was told it had succeeded.
- Every other fault (a bad line with anything after it, a line that swallowed another commit, a
  number out of order, a missing segment) is damage, not a crash: CorruptJournal names segment and
  line, and nothing on disk is changed.

Earlier versions could sync once a turn, and a power cut keeps any part of several lines that were
not synced. So each of their lines, except the first of a segment and of a writer, names the last
commit that was durable when the line was written (its claim); any other line claims its own number.
Bad bytes behind a line with such a claim are a torn end, whatever lies behind them, as long as no
whole line there claims the commit that the first bad bytes held."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from loom_paging import extent as extents
from loom_paging.errors import CorruptJournal, PagingError
from loom_paging.line import Commit, commits_in, decode, holds_commit
from loom_paging.segments import Sealed, lines_of_segment, missing_segment
from loom_paging.store import ReadableStore


class HeldCommit(msgspec.Struct, frozen=True):
    """A commit that was read. `segment` is the index of its segment, `line` the number of its line
    there, from 1, and `size` the number of bytes of this line."""

    commit: Commit
    segment: int
    line: int
    size: int


class TornTail(NamedTuple):
    """The torn tail of a journal: its last bytes, which a crash cut short. `where` names the
    segment and line at which it begins, `size` is its number of bytes, `why` says what is wrong."""

    where: str = ""
    size: int = 0
    why: str = ""


class FirstPass:
    """One read of the journal lines of a store, oldest first, without the segments that `sealed`
    describes.

    Afterwards `torn` is the torn tail; its size is 0 when there is none. `at` names the segment
    that was read last."""

    def __init__(self, store: ReadableStore, segments: Sequence[str], sealed: Sealed) -> None:
        self.torn = TornTail()
        self.at = ""
        self._store, self._segments = store, segments
        self._first, self._last = len(sealed.firsts), sealed.last

    def found(self) -> Iterator[HeldCommit | Exception]:
        """Yield a HeldCommit for each valid commit, in order, and an error (not raised) for each
        damage."""
        if missing := missing_segment(self._segments):
            yield CorruptJournal(missing, 0, "the segment is missing and later ones are there")
        try:
            extents.check(self._store, extents.load(self._store))
        except CorruptJournal as error:
            yield error
        for index in range(self._first, len(self._segments)):
            self.at = self._segments[index]
            try:
                yield from self._pass_segment(index)
            except (PagingError, OSError) as error:
                yield error

    def _pass_segment(self, index: int) -> Iterator[HeldCommit | CorruptJournal]:
        """Yield the commits of the segment with this index, and an error for each damage. A torn
        tail is stored in `torn` instead."""
        ahead, number, loose = lines_of_segment(self._store, self.at), 0, False
        while (found := next(ahead, None)) is not None:
            line, number = found[1], number + 1
            try:
                commit = decode(line)
            except CorruptJournal as bad:
                if self.at == self._segments[-1]:
                    behind = [*ahead]
                    ahead, rest = iter(behind), [line, *(later for _, later in behind)]
                    if bad.torn and self._is_torn(rest, loose=loose):
                        where = f"{self.at}, line {number}"
                        self.torn = TornTail(where, sum(map(len, rest)), str(bad))
                        return
                yield CorruptJournal(self.at, number, str(bad))
                self._last += 1
                continue
            if commit.number != self._last + 1:
                why = f"commit {commit.number} stands where {self._last + 1} should"
                yield CorruptJournal(self.at, number, why)
            self._last, loose = commit.number, commit.durable is not None
            yield HeldCommit(commit, index, number, len(line))

    def _is_torn(self, rest: Sequence[bytes], *, loose: bool) -> bool:
        """Return True when a power cut can have left the bad line `rest[0]` and the lines behind
        it. `loose` is True when the line before `rest` came from an earlier version of Loom that
        did not sync each line."""
        if not loose:
            return len(rest) == 1 and not holds_commit(rest[0])
        whole = (commit for line in rest for commit in commits_in(line))
        claims = (one.number if one.durable is None else one.durable for one in whole)
        return max(claims, default=0) <= self._last
