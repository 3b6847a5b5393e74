"""The segments of a journal: their names, and where in them each commit lies.

A sealed segment takes no more commits, so a checkpoint can say in a few numbers which sealed
segments it stands for (`Sealed`), and opening need not read them. The places of their commits are
read when one of them is asked for."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from loom_paging.errors import CorruptJournal, MissingPage, StoreReplaced
from loom_paging.store import Markable, ReadableStore, Store

_SEGMENT = re.compile(r"journal/[0-9]{6,}\.jsonl")
_CHUNK = 1 << 20


class Sealed(msgspec.Struct, frozen=True, omit_defaults=True):
    """A description of the first segments of a journal, which take no more commits.

    `firsts` are the numbers of their first commits, `sizes` their sizes in bytes. `last` is the
    number of the last commit in them; `tail` is the length in bytes of this commit's line, `crc`
    the line's checksum."""

    firsts: tuple[int, ...] = ()
    sizes: tuple[int, ...] = ()
    last: int = 0
    tail: int = 0
    crc: str = ""


NONE_SEALED = Sealed()


class CommitPlace(NamedTuple):
    """Where a commit lies: the index of its segment, its line number there (from 1), and the offset
    and length of this line in bytes."""

    segment: int
    line: int
    offset: int
    length: int


class JournalEnd(NamedTuple):
    """Where a journal ends: the number of its last commit, how many segments it has, and the size
    of the last segment in bytes."""

    last: int
    segments: int
    size: int


def segment_name(number: int) -> str:
    """Return the name of the segment with this number, counted from 1."""
    return f"journal/{number:06d}.jsonl"


def segment_names(store: ReadableStore) -> list[str]:
    """Return the names of the segments in a store, in order."""
    found = filter(_SEGMENT.fullmatch, store.names("journal/"))
    return sorted(found, key=lambda name: (len(name), name))


def missing_segment(segments: Sequence[str]) -> str:
    """Return the first missing name in a sorted list of segment names, "" for none."""
    wanted = (segment_name(number) for number in range(1, len(segments) + 1))
    return next((name for name, held in zip(wanted, segments, strict=True) if name != held), "")


def lines_of_segment(
    store: ReadableStore, segment: str, offset: int = 0
) -> Iterator[tuple[int, bytes]]:
    """Yield (offset, line) for each line from byte `offset` on. A line includes its newline; the
    last line of a segment may lack it."""
    rest = b""
    while chunk := store.read(segment, offset + len(rest), _CHUNK):
        *whole, rest = (rest + chunk).split(b"\n")
        for line in whole:
            yield offset, line + b"\n"
            offset += len(line) + 1
    if rest:
        yield offset, rest


def line_crc(line: bytes) -> str:
    """Return the checksum at the beginning of a journal line, as 8 hex digits."""
    return line[8:16].decode("ascii", "replace")


class CommitPlaces:
    """The places of all commits of a journal. `last` is the number of the last commit."""

    def __init__(self, store: Store, sealed: Sealed = NONE_SEALED) -> None:
        self._store = store
        self._firsts, self._sizes = [*sealed.firsts], [*sealed.sizes]
        self._starts: dict[int, array[int]] = {}  # by segment; of sealed ones when asked for
        self.last = sealed.last

    def add(self, segment: int, length: int) -> None:
        """Add the next commit, a line of `length` bytes at the end of the segment with index
        `segment`."""
        self.last += 1
        while segment >= len(self._firsts):
            self._starts[len(self._firsts)] = array("Q")
            self._firsts.append(self.last)
            self._sizes.append(0)
        self._line_starts(segment).append(self._sizes[segment])
        self._sizes[segment] += length

    def place_of(self, number: int) -> CommitPlace:
        """Return the place of commit `number`. Raises CorruptJournal if its segment changed."""
        segment = bisect_right(self._firsts, number) - 1
        starts, at = self._line_starts(segment), number - self._firsts[segment]
        end = starts[at + 1] if at + 1 < len(starts) else self._sizes[segment]
        return CommitPlace(segment, at + 1, starts[at], end - starts[at])

    def size(self, segment: int) -> int:
        """Return the number of bytes of all commits in the segment with this index."""
        return self._sizes[segment] if segment < len(self._sizes) else 0

    def last_commit_in(self, segment: int) -> int:
        """Return the number of the last commit in all segments up to the index `segment`."""
        later = max(segment + 1, 0)
        return self._firsts[later] - 1 if later < len(self._firsts) else self.last

    def sealed_segments(self, count: int) -> Sealed:
        """Return a description of the first `count` segments, by which they can be recognized."""
        if not (last := self.last_commit_in(count - 1)):
            return Sealed(sizes=(0,) * count)
        place = self.place_of(last)
        line = self._store.read(segment_name(place.segment + 1), place.offset, place.length)
        firsts, sizes = tuple(self._firsts[:count]), tuple(map(self.size, range(count)))
        return Sealed(firsts, sizes, last, place.length, line_crc(line))

    def back_to(self, last: int) -> None:
        """Forget the places of all commits after commit `last`."""
        kept = bisect_right(self._firsts, last)
        for segment in range(kept, len(self._firsts)):
            self._starts.pop(segment, None)
        if kept and last < self.last:
            place = self.place_of(last)
            self._sizes[kept - 1] = place.offset + place.length
            del self._line_starts(kept - 1)[place.line :]
        del self._firsts[kept:], self._sizes[kept:]
        self.last = last

    def _line_starts(self, segment: int) -> array[int]:
        """Return the offsets of all lines in the segment with the index `segment`."""
        if segment not in self._starts:
            name = segment_name(segment + 1)
            starts = array("Q", (offset for offset, _ in lines_of_segment(self._store, name)))
            if len(starts) != self.last_commit_in(segment) - self._firsts[segment] + 1:
                raise CorruptJournal(
                    name, 0, "it has another number of lines than when it was sealed"
                )
            self._starts[segment] = starts
        return self._starts[segment]


class LogMarks:
    """The marks that the logs of a store had when this writer last wrote to them.

    A store of files gives each log a mark: its size, inode, and time of the last change. A mark
    that changed shows that someone else changed the log. Two changes within one tick of the file
    system's clock may leave the same mark. In a store without marks no change is noticed."""

    def __init__(self, store: Store) -> None:
        self._of = store.mark if isinstance(store, Markable) else lambda name: ()
        self._marks: dict[str, tuple[int, ...]] = {}

    def keep(self, *names: str) -> None:
        """Remember the current marks of these logs, after this writer has changed them."""
        self._marks.update((name, self._mark(name)) for name in names)

    def drop(self, name: str) -> None:
        """Forget the mark of a log, before this writer changes the log."""
        self._marks.pop(name, None)

    def check(self, *names: str) -> None:
        """Raise StoreReplaced when the mark of one of these logs is not the remembered mark."""
        for name in names:
            if name in self._marks and self._mark(name) != self._marks[name]:
                raise StoreReplaced(name, "it was changed, replaced or removed")

    def _mark(self, name: str) -> tuple[int, ...]:
        try:
            return self._of(name)
        except MissingPage:
            return ()
