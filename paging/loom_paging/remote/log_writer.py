"""The writer of a log: gathers changes, and puts them as one batch when they are to be durable.

A batch that was closed to be put keeps its number and its bytes for good: where its put was not
answered, the next try puts the same bytes, finds them there, or finds those of another writer.

Theory of operation. A call may be interrupted between any two steps, by Ctrl-C for one, and the
writer is gone on with. So no step is trusted to have followed another. What is gathered, what is
closed and what was put are told apart by numbers: a batch that is gathered under the number of a
closed one was closed, a closed one of no higher number than the state's was put. A change stands
once it is in the list of what is gathered; the fold follows, and where an interrupt came between
the two it is made anew, of the log and of what is not in it yet.
"""

from __future__ import annotations

from secrets import token_hex
from time import sleep

from loom_paging.errors import CorruptJournal, StoreReplaced
from loom_paging.remote.batch import (
    LAST,
    START,
    BatchHead,
    Change,
    ObjectSpan,
    bad_batch_error,
    batch_crc,
    decode_head,
    encode_batch,
    log_key,
)
from loom_paging.remote.bucket import Bucket
from loom_paging.remote.lease import new_writer_name, running_lease
from loom_paging.remote.log_state import LogState, follow_log, load_state

MOST = 4 << 20  # bytes of a body: a larger turn is put in several batches
TAKEOVERS = 100  # tries of a takeover: each but the last found that another writer came first
LOOK = 0.05  # seconds until a number that is taken, and not listed yet, is looked for again


class GatheredBatch:
    """The changes that are gathered for a number, and the bytes they place in the body."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.body = bytearray()
        self.changes: list[Change] = []


class LogWriter:
    """Writes the log of a store after its last batch, from the takeover on. For one thread.

    The fold of `state` is ahead of the log by what was not put yet. `since` is the number of the
    batch that took it over.
    """

    def __init__(self, bucket: Bucket, state: LogState) -> None:
        self.writer = new_writer_name()
        self._bucket = bucket
        self._state = state
        self._closed: list[tuple[int, bytes]] = []  # batches that were not put yet
        self._busy = False  # a change was begun, and is not in the fold yet
        self._stale = ""
        self.epoch = self._take_over()
        self.since = state.number
        self._gathered = GatheredBatch(state.number + 1)

    def _take_over(self) -> int:
        """Put the batch that fences every writer before; returns its epoch."""
        for _ in range(TAKEOVERS):
            number, epoch = self._state.number + 1, self._state.epoch + 1
            if number > LAST:
                break
            head = BatchHead(number, epoch, self.writer, token_hex(8), self._state.crc)
            data = encode_batch(head, b"")
            if self._bucket.create(log_key(number), data):
                self._state.take(data)
                return epoch
            try:
                follow_log(self._bucket, self._state)
            except CorruptJournal:  # it was let go meanwhile, or it is damaged: reloading tells
                self._state.reload(self._bucket)
            if self._state.number < number:
                sleep(LOOK)
        raise bad_batch_error(self._state.key(self._state.number + 1), "nothing can be put there")

    @property
    def _batch(self) -> GatheredBatch:
        """Return the batch that is gathered now; a new one where the last was closed."""
        last = self._closed[-1][0] if self._closed else self._state.number
        if self._gathered.number <= last:
            self._gathered = GatheredBatch(last + 1)
        return self._gathered

    def body(self, data: bytes) -> ObjectSpan:
        """Where bytes will lie that go into the batch at hand."""
        if self._batch.body and len(self._batch.body) + len(data) > MOST:
            self._close_batch()
        batch = self._batch
        at = ObjectSpan(log_key(batch.number), START + len(batch.body), len(data))
        batch.body += data
        return at

    def add(self, change: Change) -> None:
        """One more change, taken into the fold at once; raises StoreReplaced."""
        self.check()
        self.settle()
        batch = self._batch
        self._busy = True
        batch.changes.append(change)
        self._state.fold.apply(change)
        self._busy = False

    def settle(self) -> None:
        """Make the fold anew where an interrupt may have left a change out of it, or half in it.

        Raises StoreReplaced, and StoreUnreachable: it is still to be done then.
        """
        if not self._busy:
            return
        fresh = load_state(self._bucket)
        if fresh.epoch != self.epoch:
            self._raise_taken_over(fresh.writer)
        waiting = [decode_head(log_key(at), data).changes for at, data in self._closed
                   if at > fresh.number]  # fmt: skip
        if self._gathered.number > fresh.number:
            waiting.append(self._batch.changes)
        for change in (change for changes in waiting for change in changes):
            fresh.fold.apply(change)
        self._state.become(fresh)
        self._busy = False

    def pending(self, at: ObjectSpan) -> bytes | None:
        """The bytes of an extent that is not in the store yet; None when it is."""
        if at.key == log_key(self._batch.number):
            return bytes(self._batch.body[at.offset - START : at.offset - START + at.length])
        for number, data in self._closed:
            if at.key == log_key(number):
                return data[at.offset : at.offset + at.length]
        return None

    def check(self) -> None:
        """Raise StoreReplaced when another took over, as far as this one has found out."""
        if self._stale:
            raise StoreReplaced(self._bucket.place, f"{self._stale} took it over")

    def flush(self, *, sure: bool = False) -> int:
        """Put what was gathered, to be `sure` of being the writer an empty batch where there is
        nothing; returns how many batches that took.

        Raises StoreReplaced when another took over, StoreUnreachable when it is unknown whether it
        arrived: the next flush tries the same bytes again.
        """
        self.check()
        self.settle()
        if self._batch.changes or (sure and not self._closed):
            self._close_batch()
        count = 0
        while self._closed:
            number, data = self._closed[0]
            if number > self._state.number:
                if not self._bucket.create(log_key(number), data):
                    self._raise_fenced(log_key(number))
                self._state.extend(number, data, self.writer)
            del self._closed[0]
            count += 1
        return count

    def _close_batch(self) -> None:
        """The batch at hand takes no more changes: give it its bytes."""
        batch = self._batch
        if batch.number > LAST:
            raise bad_batch_error(self._state.key(batch.number), "nothing can be put there")
        before = batch_crc(self._closed[-1][1]) if self._closed else self._state.crc
        head = BatchHead(batch.number, self.epoch, self.writer, token_hex(8), before, batch.changes)
        self._closed.append((batch.number, encode_batch(head, bytes(batch.body))))

    def _raise_fenced(self, key: str) -> None:
        try:
            writer = decode_head(key, self._bucket.read(key)).writer
        except CorruptJournal:  # taken over so long ago that the batch was let go
            held = running_lease(self._bucket)
            writer = held.writer if held is not None else ""
        self._raise_taken_over(writer)

    def _raise_taken_over(self, writer: str) -> None:
        """Another writer took over: this one has nothing to write any more."""
        self._stale = writer.rpartition(" ")[0] or writer or "another writer"
        self.check()
