"""The store of one workspace on an object store; see the theory in `loom_paging.remote`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from loom_paging import errors
from loom_paging.errors import MissingPage, PageExists, PagingError
from loom_paging.names import checked_name
from loom_paging.remote import hashed
from loom_paging.remote.batch import (
    AppendChange,
    CutChange,
    FoldedLog,
    LinkChange,
    NamedCell,
    ObjectSpan,
    PutChange,
    RemoveChange,
    bad_batch_error,
    spans_covering,
)
from loom_paging.remote.bucket import Bucket
from loom_paging.remote.hashed import ObjectCache, hashed_key, put_hashed
from loom_paging.remote.lease import SECONDS, Lease, admit_writer
from loom_paging.remote.leftovers import StoreLeftovers, list_leftovers, merge_log, remove_leftovers
from loom_paging.remote.log_state import LogState, follow_log, load_state, put_checkpoint
from loom_paging.remote.log_writer import LogWriter
from loom_paging.resident import ResidentSet
from loom_paging.store import span

INLINE = 16 << 10  # bytes of a page at most that stand in the log itself
EVERY = 64  # batches after which a checkpoint is put: opening reads as many at most, 8 at a time
SEALS = "journal/"  # where a new log means that the one before is finished: it is merged at once
PUTTERS = 8  # pages put at once
WHOLE = 1 << 30  # bytes of one name that are read at once, at most
RESIDENT = 32 << 20  # bytes kept in memory
KEPT_VIEWS = "checkpoints/"  # views that make opening quick: they are kept like pages


class RemoteStore:
    """The store of one workspace, kept as objects below a prefix. For one thread. Writes are
    gathered; an append of no bytes makes them durable. `write` takes the store over: StoreLocked is
    raised while another writer's lease runs, unless `take`. With `salvage` damaged batches are left
    out, and listed in `damage`."""

    gathers = True

    def __init__(
        self,
        bucket: Bucket,
        *,
        write: bool,
        take: bool = False,
        lease: float = SECONDS,
        cache: ObjectCache | None = None,
        salvage: bool = False,
    ) -> None:
        self._bucket = bucket
        self._cache = cache
        self.path = bucket.place
        self._views: dict[str, bytes] = {}
        self._pages: dict[str, bytes] = {}  # by key, those that are not put yet
        self._resident: ResidentSet[bytes] = ResidentSet(RESIDENT)
        self._lease: Lease | None = None
        self._log: LogWriter | None = None
        self._state: LogState = load_state(bucket, salvage=salvage)
        self.damage = self._state.damage  # what a salvage left out: objects, and why
        if write:
            admit_writer(bucket, self._state, take=take)
            self._log = LogWriter(bucket, self._state)
            self._lease = Lease(bucket, self._log.writer, self._log.epoch, lease)

    def get(self, name: str) -> bytes:
        """Return all bytes under a name. Raises MissingPage for an unknown name."""
        if checked_name(name) in self._views:
            return self._views[name]
        if self._fold.cell(name).size > WHOLE:
            raise bad_batch_error(f"{self.path}: {name}", "it is longer than anything Loom writes")
        return self._read_spans(name, lambda cell: cell.extents)

    def has(self, name: str) -> bool:
        """Return True when a name holds bytes."""
        return checked_name(name) in self._views or name in self._fold.cells

    def names(self, prefix: str = "") -> list[str]:
        """Return the names that start with a prefix, sorted."""
        return sorted(n for n in {*self._fold.cells, *self._views} if n.startswith(prefix))

    def size(self, name: str) -> int:
        """Return the number of bytes under a name."""
        if checked_name(name) in self._views:
            return len(self._views[name])
        return self._fold.cell(name).size

    def read(self, name: str, offset: int, length: int) -> bytes:
        """Return up to `length` of the bytes under a name, from byte `offset` on."""
        part = span(offset, length)
        if checked_name(name) in self._views:
            return self._views[name][part]
        return self._read_spans(name, lambda cell: spans_covering(cell.extents, offset, length))

    def refresh(self) -> None:
        """Read the batches that another writer has put since the last read. For a reader."""
        try:
            follow_log(self._bucket, self._state)
        except errors.CorruptJournal:  # what it had not read yet may be in a checkpoint by now
            self._state.reload(self._bucket)

    def _read_spans(self, name: str, spans: Callable[[NamedCell], Iterable[ObjectSpan]]) -> bytes:
        """Return the joined bytes of the spans that `spans(cell)` chooses from a name's cell."""
        for again in (self._log is None, False):
            try:
                return b"".join(map(self._read_span, spans(self._fold.cell(name))))
            except KeyError as gone:
                if not again:
                    raise MissingPage(gone.args[0], self.path) from None
            self._state.reload(self._bucket)
        raise AssertionError("unreachable")

    def _read_span(self, at: ObjectSpan) -> bytes:
        """Return the bytes of a span. Raises CorruptPage, and KeyError when its object is gone."""
        if self._log is not None and (held := self._log.pending_bytes(at)) is not None:
            return held
        part = slice(at.offset, at.offset + at.length)
        whole = self._pages.get(at.key) or self._state.recent.get(at.key)
        if (whole := whole or self._resident.get(at.key)) is None:
            whole = hashed.read_object(self._bucket, at.key, self._cache)
            self._resident.keep(at.key, whole, len(whole))
        if len(found := whole[part]) != at.length:
            raise bad_batch_error(f"{self.path}/{at.key}", "it ends before what is named in it")
        return found

    # Writing.

    def put(self, name: str, data: bytes) -> None:
        """Write a page. Raises PageExists when the name has other bytes."""
        if name in self._fold.cells and self.get(name) == data:
            return
        if self._views.get(name) == data:
            del self._views[name]  # it is kept here alone
        self._check_free(name)
        self._writer.add(PutChange(name, self._place_bytes(bytes(data))))

    def link(self, existing: str, new: str) -> None:
        """Give the bytes of `existing` a second name, `new`."""
        checked_name(new)
        cell, held = self._fold.cell(existing), self._fold.cells.get(new)
        if held is cell or (self.has(new) and self.get(new) == self.get(existing)):
            return
        self._check_free(new)
        self._writer.add(LinkChange(existing, new))

    def delete(self, name: str) -> None:
        """Remove one name. Raises MissingPage for an unknown name."""
        if checked_name(name) in self._views:
            del self._views[name]
            return
        self._fold.cell(name)
        self._writer.add(RemoveChange(name))

    def append(self, name: str, data: bytes) -> None:
        """Add bytes to the end of a log. An append of no bytes makes all writes durable."""
        fresh = not self.has(name)
        if fresh:
            self._check_free(name)
        elif name in self._views:
            raise PageExists(name)
        else:
            self._fold.log(name)
        if data or fresh:
            self._writer.add(AppendChange(name, self._writer.body(bytes(data))))
        if not data:
            self.flush()
            if fresh and name.startswith(SEALS):
                self._try_checkpoint()

    def truncate(self, name: str, size: int) -> None:
        """Shorten a log to its first `size` bytes."""
        held = self.size(name)
        if not 0 <= size <= held:
            raise ValueError(f"{name!r} has {held} bytes and cannot be cut to {size}")
        self._fold.log(name)
        if size != held:
            self._writer.add(CutChange(name, size))

    def sketch(self, name: str, data: bytes) -> None:
        """Write or replace a file that can be rebuilt. Only the files of KEPT_VIEWS are stored."""
        if name in self._fold.cells:
            self._writer.add(RemoveChange(name))
        if checked_name(name) not in self._views:
            self._check_free(name)
        if name.startswith(KEPT_VIEWS):
            self._writer.add(PutChange(name, self._place_bytes(bytes(data))))
        else:
            self._views[name] = bytes(data)

    def flush(self) -> None:
        """Make all writes durable. Raises StoreReplaced and StoreUnreachable; the next flush puts
        the rest."""
        self._writer.check()
        with ThreadPoolExecutor(PUTTERS) as pool:
            keys, held = list(self._pages), list(self._pages.values())
            for key in pool.map(put_hashed, [self._bucket] * len(keys), keys, held):
                del self._pages[key]
        if self._writer.flush() and self._state.number - self._state.kept >= EVERY:
            self._try_checkpoint()

    def replace(self, changed: Mapping[str, bytes], removed: Iterable[str]) -> None:
        """Put bytes under names and remove names, in one batch. Raises the errors of `flush`."""
        self.flush()
        for name in removed:
            self.delete(name)
        for name, data in changed.items():
            if name in self._fold.cells:
                self._writer.add(RemoveChange(name))
            self._writer.add(PutChange(name, self._place_bytes(data, inline=0)))
        self.flush()

    def checkpoint(self) -> None:
        """Make all writes durable, and put a checkpoint. Raises the errors of `flush`."""
        self.flush()
        self._put_checkpoint()

    def leftovers(self, grace: float) -> StoreLeftovers:
        """Return the objects older than `grace` seconds that nothing needs any more."""
        return list_leftovers(self._bucket, self._state, grace)

    def sweep(self, grace: float) -> StoreLeftovers:
        """Remove the objects that `leftovers` lists, with their local copies, and return them.
        Raises StoreReplaced, with nothing removed, when another writer has taken over."""
        self.flush()
        if self._state.kept < self._writer.since:  # a writer before may still put one, and be read
            self._put_checkpoint()
        found = self.leftovers(grace)
        self._writer.flush(sure=True)
        remove_leftovers(self._bucket, found)
        if self._cache is not None:
            self._cache.forget(
                [hashed.sha_in_key(key) for key in found.keys if hashed.is_hashed(key)]
            )
        return found

    def close(self) -> None:
        """End the lease. Writes that are not durable yet are lost. After an interrupt, call it
        again."""
        self._log = None
        if self._lease is not None:
            self._lease.release()
        self._lease = None

    @property
    def _writer(self) -> LogWriter:
        if self._log is None:
            raise PagingError(f"{self.path} is open for reading, or closed")
        return self._log

    @property
    def _fold(self) -> FoldedLog:
        """The state of the store, including writes that have not been put yet."""
        if self._log is not None:
            self._log.rebuild_if_interrupted()
        return self._state.fold

    def _place_bytes(self, data: bytes, inline: int = INLINE) -> ObjectSpan:
        """Keep a page's bytes for the next flush, and return the span at which they will lie. Up to
        `inline` bytes go into the open batch, more into an object of their own."""
        if len(data) <= inline:
            return self._writer.body(data)
        key = hashed_key(hashed.PAGES, data, self._state.epoch)
        self._pages[key] = data
        return ObjectSpan(key, 0, len(data))

    def _check_free(self, name: str) -> None:
        """Raise PageExists unless a name can be given to new bytes."""
        self._fold.check_free(name)
        if any(name == view or view.startswith(f"{name}/") or name.startswith(f"{view}/")
               for view in self._views):  # fmt: skip
            raise PageExists(name)

    def _try_checkpoint(self) -> None:
        """Put a checkpoint; go on without it if the store does not answer."""
        with suppress(errors.StoreUnreachable):
            self._put_checkpoint()

    def _put_checkpoint(self) -> None:
        """Move bytes from batches into merged objects, then put a checkpoint unless it is there."""
        if self._state.kept == self._state.number:
            return
        merge_log(self._bucket, self._state, self._fold.distinct_cells(), self._read_span)
        put_checkpoint(self._bucket, self._state)
        self._state.recent.clear()
