"""The writer of a log: gathers changes, and puts them as one batch when they are to be durable.

A batch that was closed to be put keeps its number and its bytes for good: when its put was not
answered, the next try puts the same bytes, finds them there, or finds those of another writer.

Theory of operation. A call may be interrupted between any two steps, for example by Ctrl-C, and the
writer is used further. So no step relies on another having followed. Numbers tell what is gathered,
closed and put: if the gathered batch has the number of a closed one, it was closed; if a closed
one's number is not above the state's, it was put. A change counts once it is in the list of
gathered changes; the fold follows. When an interrupt came between the two, the fold is made anew
from the log and from the changes that are not in the log yet."""

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
    """An open batch: its number, its changes so far, and the bytes they refer to (`body`)."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.body = bytearray()
        self.changes: list[Change] = []


class LogWriter:
    """The writer of a store's log, from its takeover on. For one thread. The fold of `state`
    includes changes that have not been put yet. `since` is the number of the batch of the takeover.
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
        """Take the log over from every earlier writer by putting an empty batch. Return the new
        epoch."""
        for _ in range(TAKEOVERS):
            number, epoch = self._state.number + 1, self._state.epoch + 1
            if number > LAST:
                break
            head = BatchHead(number, epoch, self.writer, token_hex(8), self._state.crc)
            data = encode_batch(head, b"")
            if self._bucket.create(log_key(number), data):
                self._state.fold_batch(data)
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
        """The open batch, begun here when the last batch was closed."""
        last = self._closed[-1][0] if self._closed else self._state.number
        if self._gathered.number <= last:
            self._gathered = GatheredBatch(last + 1)
        return self._gathered

    def body(self, data: bytes) -> ObjectSpan:
        """Add bytes to the open batch, and return the span at which they will lie."""
        if self._batch.body and len(self._batch.body) + len(data) > MOST:
            self._close_batch()
        batch = self._batch
        at = ObjectSpan(log_key(batch.number), START + len(batch.body), len(data))
        batch.body += data
        return at

    def add(self, change: Change) -> None:
        """Add a change to the open batch and apply it to the state. Raises StoreReplaced."""
        self.check()
        self.rebuild_if_interrupted()
        batch = self._batch
        self._busy = True
        batch.changes.append(change)
        self._state.fold.apply(change)
        self._busy = False

    def rebuild_if_interrupted(self) -> None:
        """Rebuild the state from the log and the gathered changes, if an interrupt may have left it
        incomplete. Raises StoreReplaced and StoreUnreachable; the next call then tries again."""
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
        self._state.copy_from(fresh)
        self._busy = False

    def pending_bytes(self, at: ObjectSpan) -> bytes | None:
        """Return the bytes of a span in a batch that is not put yet, None for any other span."""
        if at.key == log_key(self._batch.number):
            return bytes(self._batch.body[at.offset - START : at.offset - START + at.length])
        for number, data in self._closed:
            if at.key == log_key(number):
                return data[at.offset : at.offset + at.length]
        return None

    def check(self) -> None:
        """Raise StoreReplaced if another writer is known to have taken over. Makes no request."""
        if self._stale:
            raise StoreReplaced(self._bucket.place, f"{self._stale} took it over")

    def flush(self, *, sure: bool = False) -> int:
        """Put the gathered changes as a batch, and return how many batches were put. With `sure` an
        empty batch is put when there are no changes, to prove that no other writer took over.

        Raises StoreReplaced when another writer took over, StoreUnreachable when it is unknown
        whether a batch arrived. The next flush then puts the same bytes again."""
        self.check()
        self.rebuild_if_interrupted()
        if self._batch.changes or (sure and not self._closed):
            self._close_batch()
        count = 0
        while self._closed:
            number, data = self._closed[0]
            if number > self._state.number:
                if not self._bucket.create(log_key(number), data):
                    self._raise_fenced(log_key(number))
                self._state.note_batch(number, data, self.writer)
            del self._closed[0]
            count += 1
        return count

    def _close_batch(self) -> None:
        """Close the open batch: its bytes are final, and later changes go into a new batch."""
        batch = self._batch
        if batch.number > LAST:
            raise bad_batch_error(self._state.key(batch.number), "nothing can be put there")
        before = batch_crc(self._closed[-1][1]) if self._closed else self._state.crc
        head = BatchHead(batch.number, self.epoch, self.writer, token_hex(8), before, batch.changes)
        self._closed.append((batch.number, encode_batch(head, bytes(batch.body))))

    def _raise_fenced(self, key: str) -> None:
        """Raise StoreReplaced, which names the writer of the batch under `key`."""
        try:
            writer = decode_head(key, self._bucket.read(key)).writer
        except CorruptJournal:  # taken over so long ago that the batch was let go
            held = running_lease(self._bucket)
            writer = held.writer if held is not None else ""
        self._raise_taken_over(writer)

    def _raise_taken_over(self, writer: str) -> None:
        """Remember that another writer took over, and raise StoreReplaced."""
        self._stale = writer.rpartition(" ")[0] or writer or "another writer"
        self.check()
