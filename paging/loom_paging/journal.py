"""The append-only journal: every commit, in order, on plain lines of JSON.

Theory of operation. The journal is the truth; a window is a fold over it. It lies in segments
`journal/000001.jsonl`, `000002.jsonl`, … and one line is one atomic commit (`loom_paging.line` has
the format). Commit numbers run 1, 2, 3, … over all segments without a gap, so a lost line or a lost
segment shows.

Writing. `commit` appends one line and syncs it before it returns; pages it names must already be
durable. (In a store that gathers writes, `make_durable` puts both.) Before the append the segment
must be as this writer left it (`LogMarks`), and before a segment is sealed all of them must be: if
not, someone else wrote, and nothing is written. If the append does not return, because of an error
or an interrupt, the bytes that did arrive are cut off again; if even that fails, the journal
refuses further commits, since a line after a broken one would turn a torn tail into damage in the
middle. `back_to` does the same for whole commits nobody was told of. `seal` makes the next segment
at once, empty, so a sealed segment stays sealed after a restart.

Opening. One pass (`loom_paging.first_pass`) finds the end, fills the index and hands each commit to
`each`, so that folding costs no second parse. A writer cuts a torn tail off, a reader passes it by.

Reading. The index holds (segment, offset, length) per commit; each read checks the crc again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from loom_paging import extent as extents
from loom_paging.errors import CorruptJournal, MissingPage, PagingError, StoreReplaced
from loom_paging.first_pass import FirstPass, HeldCommit
from loom_paging.line import Commit, decode, encode
from loom_paging.page import PageRef
from loom_paging.segments import (
    NONE_SEALED,
    CommitPlaces,
    JournalEnd,
    LogMarks,
    Sealed,
    lines_of_segment,
    segment_name,
    segment_names,
)
from loom_paging.store import Store

_STUCK = "a failed write could not be undone; close the store and open it again"


class Journal:
    """The journal of one store, made by `Journal.open`. `segments` lists the names of its segments,
    in order. `torn` is the size in bytes of the torn tail found at opening, 0 for none."""

    def __init__(
        self, store: Store, *, write: bool, schema: int = 1, sealed: Sealed = NONE_SEALED
    ) -> None:
        self.schema = schema
        self.torn = 0
        self.segments = segment_names(store)
        self._store = store
        self._watch = LogMarks(store)
        self._wary = False  # all segments are looked at before a commit: one may have changed
        self._places = CommitPlaces(store, sealed)
        self._gathers = write and getattr(store, "gathers", False)
        self._durable = 0  # the last commit that is durable, in a store that gathers
        self._begun = False  # a commit of this writer was put in this segment: the next may wait
        self._noted = 0  # the last commit the note beside the journal may speak of
        self._most = 0  # bytes it may have while a commit is written, or cut off
        self._refusal = "" if write else "it was opened for reading; open it with write=True"

    @classmethod
    def open(
        cls,
        store: Store,
        *,
        write: bool,
        each: Callable[[Commit], None] | None = None,
        schema: int = 1,
        sealed: Sealed = NONE_SEALED,
    ) -> Journal:
        """Read the journal of a store from start to end, and return it. `each(commit)` is called
        for every commit that is read.

        The segments in `sealed` are not read; the caller must have checked that the journal begins
        with them (`extent.journal_begins_with`). With `write` a torn tail is cut off, and the
        caller must hold the lock of the store. `schema` is the version of the records of new
        commits.

        Raises CorruptJournal, after calling `each` for the commits before the damage, when the
        journal is damaged before its tail, or shorter than it once was."""
        journal = cls(store, write=write, schema=schema, sealed=sealed)
        reading = FirstPass(store, journal.segments, sealed)
        for one in reading.found():
            if not isinstance(one, HeldCommit):
                raise one
            if each is not None:
                each(one.commit)
            journal._places.add(one.segment, one.size)
        journal.torn = reading.torn.size
        if write:
            if journal.torn:
                store.truncate(journal.segments[-1], journal._end)
            journal._watch.keep(*journal.segments)
            journal._durable = journal.last
        return journal

    @property
    def last(self) -> int:
        """The number of the last commit; 0 when there is none."""
        return self._places.last

    @property
    def tail(self) -> int:
        """The number of commits in the current segment."""
        return self.last - self._places.last_commit_in(len(self.segments) - 2)

    @property
    def sealed(self) -> Sealed:
        """The description of the sealed segments (no commits are added to them): their sizes,
        commit numbers and checksum."""
        return self._places.sealed_segments(max(len(self.segments) - 1, 0))

    @property
    def _end(self) -> int:
        """The number of bytes of whole commits in the current segment."""
        return self._places.size(max(len(self.segments) - 1, 0))

    def commit(self, records: bytes, pages: Sequence[PageRef], at: int) -> int:
        """Append one commit durably and return its number.

        `records` is a JSON array, else ValueError; `pages` are the pages it names; `at` is the time
        in milliseconds since 1970. Raises PagingError when the journal is open for reading, or when
        an earlier write could not be undone. Raises StoreReplaced when someone else wrote to the
        journal. Any error leaves no part of the commit behind."""
        if self._refusal:
            raise PagingError(f"the journal takes no commits: {self._refusal}")
        line = encode(self.last + 1, at, pages, records, self.schema)
        before = self.end
        segment = self.segments[-1] if self.segments else segment_name(1)
        if self._wary:
            self.check()
        self._check_size(segment, self._end, self._end)
        try:
            self._most = self._end + len(line)
            self._watch.drop(segment)
            self._store.append(segment, line)
            self._watch.keep(segment)
            self._places.add(max(len(self.segments) - 1, 0), len(line))
            self.segments = self.segments or [segment]
            if not self._begun:
                self.make_durable()
        except StoreReplaced:
            raise  # it is not this journal that would be cut
        except BaseException:
            self.back_to(before)
            raise
        self._begun = True
        return self.last

    def make_durable(self) -> None:
        """Make all commits durable. No-op unless the store gathers writes."""
        if self._gathers and self._durable < self.last:
            self._check_size(self.segments[-1], self._end, self._end)
            self._store.append(self.segments[-1], b"")
            self._durable = self.last

    @property
    def end(self) -> JournalEnd:
        """The current end of the journal, as `back_to` takes it."""
        return JournalEnd(self.last, len(self.segments), self._end)

    def _check_size(self, segment: str, least: int, most: int) -> int:
        """Return the size of a segment in bytes, 0 when it is missing. Raises StoreReplaced when
        its size is below `least` or above `most`, or its file has changed."""
        try:
            held = self._store.size(segment)
        except MissingPage:
            held = 0
        if not least <= held <= most:
            raise StoreReplaced(segment, f"it had {least:,} bytes and has {held:,}")
        self._watch.check(segment)
        return held

    def sync(self) -> None:
        """Sync the last two segments. Call this before removing anything because a commit says that
        it is no longer needed."""
        # An earlier writer may have died before it synced them.
        for segment in self.segments[-2:]:  # the last may be new, and hold nothing yet
            self._store.append(segment, b"")

    def check(self) -> None:
        """Raise StoreReplaced when someone other than this writer has changed a segment."""
        self._wary = True  # after an error each new commit checks again
        self._watch.check(*self.segments)
        self._wary = False

    def keep_marks(self) -> None:
        """Accept the segment files as they are now, after this writer has moved them itself."""
        self._watch.keep(*self.segments)

    def back_to(self, end: JournalEnd) -> None:
        """Cut off every commit after `end`. Allowed only when nobody has been told of these
        commits.

        Raises StoreReplaced when someone else has written. When the store fails, its error is
        raised, and the journal takes no commits until a call of this method succeeds."""
        if self._refusal and self._refusal != _STUCK:
            raise PagingError(f"the journal cannot be cut: {self._refusal}")
        if self._wary:
            self.check()
        last = segment_name(kept := max(end.segments, 1))
        if not self._refusal:  # else a try before this one may have cut already
            if end.segments < len(self.segments):  # none is being written where it ends
                self._most = end.size
            self._most, self._refusal = max(self._places.size(kept - 1), self._most), _STUCK
        held = self._check_size(last, end.size, self._most)
        self._places.back_to(end.last)
        if self._noted > end.last:  # another line may come in the place of what it speaks of
            extents.save(self._store, self._places.sealed_segments(end.segments))
            self._noted = end.last
        for later in reversed(segment_names(self._store)[kept:]):
            self._watch.drop(later)
            self._store.delete(later)
        if held > end.size:
            self._watch.drop(last)
            self._store.truncate(last, end.size)
        self._watch.keep(last)
        self.segments = self.segments[: end.segments]
        self._most, self._begun, self._durable = end.size, False, min(self._durable, end.last)
        self._refusal = ""

    def seal(self) -> None:
        """End the current segment: the next commit starts a new segment. No-op when the segment is
        empty. Raises StoreReplaced when someone else changed a segment or began the next segment.
        """
        if self._refusal:
            raise PagingError(f"the journal cannot be sealed: {self._refusal}")
        if self._end:
            segment = segment_name(len(self.segments) + 1)
            self.check()
            self._check_size(segment, 0, 0)
            try:
                self._store.append(segment, b"")
                self._watch.keep(segment)
            except BaseException:
                self.back_to(self.end)  # the file may be there, and commits would go before it
                raise
            self.segments, self._most = [*self.segments, segment], 0
            self._durable, self._begun = self.last, False

    def note_extent(self) -> None:
        """Write a note of how far the journal reaches. No-op after a failed write, and in a store
        that gathers writes."""
        if not (self._refusal or self._gathers):
            self._noted = max(self._noted, self.last)  # an interrupt may come once it is left
            extents.save(self._store, self._places.sealed_segments(len(self.segments)))
            self._noted = self.last

    def scan(self, after: int = 0) -> Iterator[Commit]:
        """Yield every commit with a number above `after`, in order. Raises the errors of `read`."""
        number, last = max(after, 0), self.last
        while number < last:
            place = self._places.place_of(number + 1)
            following = self._places.last_commit_in(place.segment)
            found = lines_of_segment(self._store, self.segments[place.segment], place.offset)
            while number < min(following, last):
                number += 1
                yield self._parse_commit(number, next(found, (0, b""))[1])

    def read(self, number: int) -> Commit:
        """Return the commit with this number. Raises MissingPage for none, CorruptJournal for a
        changed line."""
        if not 0 < number <= self.last:
            raise MissingPage(f"commit {number}", f"a journal of {self.last} commits")
        place = self._places.place_of(number)
        line = self._store.read(self.segments[place.segment], place.offset, place.length)
        return self._parse_commit(number, line)

    def _parse_commit(self, number: int, line: bytes) -> Commit:
        """Return the commit with this number, decoded from its line. Raises CorruptJournal when the
        line is damaged or holds another commit."""
        try:
            commit = decode(line)
            if commit.number == number:
                return commit
            why = f"commit {commit.number} stands where {number} should"
        except CorruptJournal as bad:
            why = f"it is not as it was written: {bad}"
        self._wary = True
        place = self._places.place_of(number)
        raise CorruptJournal(self.segments[place.segment], place.line, why)
