"""The journal of a workspace another process writes, read on from where the last look ended.

Theory of operation. A look takes no lock and keeps no file open. It reads from the end of the last
whole commit to the end of the journal, so it costs what is new. The writer may be anywhere:

- in the middle of an append: the last line is not whole yet, and is read again at the next look;
- sealing: whether a later segment is there is asked *before* this one is read to its end, so what
  was appended before the seal is not missed;
- gone, its folder too, with another journal in its place: the last commit that was read no longer
  stands where it stood, and the reading starts again (`Replaced`).

A bad line with something after it is damage. It is read twice before it is called that: a torn tail
may have been cut off and written over between two reads of one look.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from loom_paging import Commit, CorruptJournal, FileStore, MissingPage, Store
from loom_paging.line import BadLine, decode
from loom_paging.segments import lines, segment_name
from loom_paging.unclaimed import HeldCommit, Unclaimed

MARK = 64  # bytes of the last line that tell whether it is still the same: crc, number, time


class Replaced(Exception):
    """The journal that was read is no longer there: start again with a new Tail."""


class Tail:
    """Where the reading of a journal stands.

    `last` is the number of the last commit read, `torn` the bytes behind it that are no whole
    commit yet, `read` the bytes read in all looks together (counted work).
    """

    def __init__(self, folder: Path) -> None:
        self.last = self.torn = self.read = 0
        self._folder = folder
        self._segment, self._line, self._offset = 1, 0, 0
        self._end = Unclaimed()
        self._mark = ("", 0, b"")  # segment, offset and beginning of the last line read

    def news(self) -> Iterator[Commit]:
        """The commits since the last look, oldest first; none where there is no journal (yet).

        Raises Replaced, and CorruptJournal for damage before the tail.
        """
        for again in (True, False):
            try:
                yield from self._look()
                return
            except CorruptJournal:
                if not again:
                    raise

    def _look(self) -> Iterator[Commit]:
        self.torn = 0
        try:
            store = FileStore(self._folder, create=False)
            self._check(store)
            sealed = True
            while sealed:
                segment = segment_name(self._segment)
                sealed = store.has(segment_name(self._segment + 1))
                yield from self._rest(store, segment, sealed)
                if sealed:
                    self._segment, self._line, self._offset = self._segment + 1, 0, 0
                    self._end.begin()
        except MissingPage:
            if self.last:
                raise Replaced from None

    def _check(self, store: Store) -> None:
        """Raise Replaced when the last commit read is no longer where it was."""
        segment, offset, begins = self._mark
        if begins and store.read(segment, offset, len(begins)) != begins:
            raise Replaced

    def _rest(self, store: Store, segment: str, sealed: bool) -> Iterator[Commit]:
        """The whole commits of a segment from where the reading stands."""
        if sealed and not store.has(segment):
            raise CorruptJournal(segment, 0, "the segment is missing and later ones are there")
        found = lines(store, segment, self._offset)
        for _, line in found:
            self.read += len(line)
            try:
                commit = decode(line)
            except BadLine as bad:
                rest = [line, *(later for _, later in found)]
                if not sealed and self._end.torn(bad, rest):
                    self.torn = sum(map(len, rest))
                    return
                raise CorruptJournal(segment, self._line + 1, str(bad)) from None
            if commit.number != self.last + 1:
                why = f"commit {commit.number} stands where {self.last + 1} should"
                raise CorruptJournal(segment, self._line + 1, why)
            self._mark = (segment, self._offset, line[:MARK])
            self._line, self._offset = self._line + 1, self._offset + len(line)
            self.last = commit.number
            self._end.take(HeldCommit(commit, self._segment, self._line, len(line)))
            yield commit
