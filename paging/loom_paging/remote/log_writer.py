"""The writer of a log: gathers changes, and puts them as one batch when they are to be durable.

A batch that was closed to be put keeps its number and its bytes for good: where its put was not
answered, the next try puts the same bytes, finds them there, or finds those of another writer.
"""

from __future__ import annotations

from secrets import token_hex

from loom_paging.remote.batch import (
    START,
    BatchHead,
    Change,
    ObjectSpan,
    crc_of,
    decoded,
    encoded,
    log_key,
)
from loom_paging.remote.bucket import Bucket
from loom_paging.remote.errors import BadBatch, StaleWriter
from loom_paging.remote.lease import holder_of
from loom_paging.remote.state import LogState, follow

MOST = 4 << 20  # bytes of a body: a larger turn is put in several batches


class LogWriter:
    """Writes the log of a store after its last batch, from the takeover on. For one thread.

    The fold of `state` is ahead of the log by what was not put yet. `since` is the number of the
    batch that took it over.
    """

    def __init__(self, bucket: Bucket, state: LogState) -> None:
        self.writer = token_hex(8)
        self._bucket = bucket
        self._state = state
        self._closed: list[tuple[int, bytes]] = []  # batches that were not put yet
        self._body = bytearray()
        self._changes: list[Change] = []
        self._stale = ""
        self.epoch = self._taken_over()
        self.since = state.number

    def _taken_over(self) -> int:
        """Put the batch that fences every writer before; returns its epoch."""
        while True:
            number, epoch = self._state.number + 1, self._state.epoch + 1
            head = BatchHead(number, epoch, self.writer, token_hex(8), self._state.crc)
            data = encoded(head, b"")
            if self._bucket.create(log_key(number), data):
                self._state.take(data)
                return epoch
            try:
                follow(self._bucket, self._state)
            except BadBatch:  # it was let go meanwhile, or it is damaged: reloading tells
                self._state.reload(self._bucket)

    @property
    def number(self) -> int:
        """The number of the batch that is being gathered."""
        return self._state.number + len(self._closed) + 1

    def body(self, data: bytes) -> ObjectSpan:
        """Where bytes will lie that go into the batch at hand."""
        if self._body and len(self._body) + len(data) > MOST:
            self._close()
        at = ObjectSpan(log_key(self.number), START + len(self._body), len(data))
        self._body += data
        return at

    def add(self, change: Change) -> None:
        """One more change, taken into the fold at once; raises StaleWriter."""
        self.check()
        self._changes.append(change)
        self._state.fold.apply(change)

    def pending(self, at: ObjectSpan) -> bytes | None:
        """The bytes of an extent that is not in the store yet; None when it is."""
        if at.key == log_key(self.number):
            return bytes(self._body[at.offset - START : at.offset - START + at.length])
        for number, data in self._closed:
            if at.key == log_key(number):
                return data[at.offset : at.offset + at.length]
        return None

    def check(self) -> None:
        """Raise StaleWriter when another took over, as far as this one has found out."""
        if self._stale:
            raise StaleWriter(self._bucket.place, self._stale)

    def flush(self, *, sure: bool = False) -> int:
        """Put what was gathered, to be `sure` of being the writer an empty batch where there is
        nothing; returns how many batches that took.

        Raises StaleWriter when another took over, StoreUnreachable when it is unknown whether it
        arrived: the next flush tries the same bytes again.
        """
        self.check()
        if self._changes or (sure and not self._closed):
            self._close()
        count = 0
        while self._closed:
            number, data = self._closed[0]
            if not self._bucket.create(log_key(number), data):
                self._fenced(log_key(number))
            state = self._state
            state.number, state.crc, state.writer = number, crc_of(data), self.writer
            state.recent[log_key(number)] = data
            self._closed.pop(0)
            count += 1
        return count

    def _close(self) -> None:
        """The batch at hand takes no more changes: give it its bytes."""
        before = crc_of(self._closed[-1][1]) if self._closed else self._state.crc
        head = BatchHead(self.number, self.epoch, self.writer, token_hex(8), before, self._changes)
        data = encoded(head, bytes(self._body))
        self._closed.append((head.number, data))
        self._body, self._changes = bytearray(), []

    def _fenced(self, key: str) -> None:
        held = holder_of(self._bucket)
        try:
            other = decoded(key, self._bucket.read(key)).writer
        except BadBatch:  # taken over so long ago that the batch was let go
            other = held.writer if held is not None else "another writer"
        self._stale = held.holder if held is not None and held.writer == other else other
        raise StaleWriter(self._bucket.place, self._stale)
