"""The store of one workspace on an object store; see the theory of operation of this package."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256

from loom_paging.errors import MissingPage, PageExists, PagingError, StoreLocked
from loom_paging.names import checked
from loom_paging.remote.batch import (
    AppendChange,
    CutChange,
    LinkChange,
    ObjectSpan,
    PutChange,
    RemoveChange,
)
from loom_paging.remote.bucket import Bucket, NoObject
from loom_paging.remote.fold import NamedCell, covered
from loom_paging.remote.lease import SECONDS, Lease, holder_of, told
from loom_paging.remote.log_writer import LogWriter
from loom_paging.remote.merging import merge
from loom_paging.remote.state import LogState, follow, keep, loaded
from loom_paging.resident import ResidentSet
from loom_paging.store import span
from loom_paging.waiting_syncs import TURN

INLINE = 16 << 10  # bytes of a page at most that stand in the log itself
EVERY = 64  # batches after which a checkpoint is put
PUTTERS = 8  # pages put at once
RESIDENT = 32 << 20  # bytes kept in memory
KEPT_VIEWS = "checkpoints/"  # views that make opening quick: they are kept like pages


class RemoteStore:
    """Names and bytes of one workspace below a prefix; see Store. For one thread.

    To write it takes the store over: StoreLocked when the lease of another runs, unless `take`.
    What is written is durable once a log was appended to with no bytes, as `durable` says.
    """

    durable = TURN

    def __init__(
        self, bucket: Bucket, *, write: bool, take: bool = False, lease: float = SECONDS
    ) -> None:
        self._bucket = bucket
        self.path = bucket.place
        self._views: dict[str, bytes] = {}
        self._pages: dict[str, bytes] = {}  # sha256 → bytes that are not put yet
        self._resident: ResidentSet[bytes] = ResidentSet(RESIDENT)
        self._lease: Lease | None = None
        self._log: LogWriter | None = None
        if write and not take and (held := holder_of(bucket)) is not None:
            raise StoreLocked(bucket.place, told(held))
        self._state: LogState = loaded(bucket)
        if write:
            self._log = LogWriter(bucket, self._state)
            self._lease = Lease(bucket, self._log.writer, self._log.epoch, lease)

    # Reading.

    def get(self, name: str) -> bytes:
        """Return all bytes under a name; see Store."""
        if checked(name) in self._views:
            return self._views[name]
        return b"".join(map(self._bytes, self._state.fold.cell(name).extents))

    def has(self, name: str) -> bool:
        """Tell whether a name holds bytes; see Store."""
        return checked(name) in self._views or name in self._state.fold.cells

    def names(self, prefix: str = "") -> list[str]:
        """List names that start with a prefix; see Store."""
        known = {*self._state.fold.cells, *self._views}
        return sorted(name for name in known if name.startswith(prefix))

    def size(self, name: str) -> int:
        """Return the number of bytes under a name; see Store."""
        if checked(name) in self._views:
            return len(self._views[name])
        return self._state.fold.cell(name).size

    def read(self, name: str, offset: int, length: int) -> bytes:
        """Return bytes from an offset; see Store."""
        part = span(offset, length)
        if checked(name) in self._views:
            return self._views[name][part]
        cell = self._state.fold.cell(name)
        return b"".join(map(self._bytes, covered(cell.extents, offset, length)))

    def refresh(self) -> None:
        """Take in what another writer has written since; for a reader."""
        follow(self._bucket, self._state)

    def _bytes(self, at: ObjectSpan) -> bytes:
        """The bytes of an extent: not put yet, at hand, or read; a page is verified."""
        if self._log is not None and (held := self._log.pending(at)) is not None:
            return held
        folder, _, sha = at.key.partition("/")
        if folder == "pages" and sha in self._pages:
            return self._pages[sha][at.offset : at.offset + at.length]
        if at.key in self._state.recent:
            return self._state.recent[at.key][at.offset : at.offset + at.length]
        known = self._resident.get(at)
        if known is None:
            known = self._read(at)
            self._resident.keep(at, known, len(known))
        return known

    def _read(self, at: ObjectSpan) -> bytes:
        try:
            return self._bucket.part(at.key, at.offset, at.length)
        except NoObject:
            raise MissingPage(at.key, self.path) from None

    # Writing.

    def put(self, name: str, data: bytes) -> None:
        """Write a page; see Store."""
        if self.has(name) and self.get(name) == data:
            return
        self._free(name)
        self._writer.add(PutChange(name, self._placed(bytes(data))))

    def link(self, existing: str, new: str) -> None:
        """Make a second name; see Store."""
        checked(new)
        cell = self._state.fold.cell(existing)
        if self.has(new) and (
            self._state.fold.cells.get(new) is cell or self.get(new) == self.get(existing)
        ):
            return
        self._free(new)
        self._writer.add(LinkChange(existing, new))

    def delete(self, name: str) -> None:
        """Forget one name; see Store."""
        if checked(name) in self._views:
            del self._views[name]
            return
        self._state.fold.cell(name)
        self._writer.add(RemoveChange(name))

    def append(self, name: str, data: bytes) -> None:
        """Add to the end of a log; with no bytes all that was written is durable; see Store."""
        if not self.has(name):
            self._free(name)
        elif name in self._views:
            raise PageExists(name)
        else:
            self._state.fold.log(name)
        if data or not self.has(name):
            self._writer.add(AppendChange(name, self._writer.body(bytes(data))))
        if not data:
            self.flush()

    def truncate(self, name: str, size: int) -> None:
        """Cut a log back; see Store."""
        held = self.size(name)
        if not 0 <= size <= held:
            raise ValueError(f"{name!r} has {held} bytes and cannot be cut to {size}")
        self._state.fold.log(name)
        if size != held:
            self._writer.add(CutChange(name, size))

    def sketch(self, name: str, data: bytes) -> None:
        """Write a derived view; see Store. It is kept here alone, but for those of KEPT_VIEWS."""
        if name in self._state.fold.cells:
            self._writer.add(RemoveChange(name))
        if checked(name) not in self._views:
            self._free(name)
        if name.startswith(KEPT_VIEWS):
            self._writer.add(PutChange(name, self._placed(bytes(data))))
        else:
            self._views[name] = bytes(data)

    def flush(self) -> None:
        """Make durable all that was written: pages that are too large for the log, then the log.

        Raises StaleWriter, and StoreUnreachable: the next flush goes on where this one ended.
        """
        self._writer.check()
        with ThreadPoolExecutor(PUTTERS) as pool:
            for sha in pool.map(self._put_page, list(self._pages)):
                del self._pages[sha]
        if self._writer.flush() and self._state.number - self._state.kept >= EVERY:
            self._keep()

    def close(self) -> None:
        """End the lease; what was not made durable is not written. Again: no-op."""
        lease, self._lease, self._log = self._lease, None, None
        if lease is not None:
            lease.release()

    @property
    def _writer(self) -> LogWriter:
        if self._log is None:
            raise PagingError(f"{self.path} is open for reading, or closed")
        return self._log

    def _placed(self, data: bytes) -> ObjectSpan:
        """Where bytes of a page will lie: in the log, or under their sha256."""
        if len(data) <= INLINE:
            return self._writer.body(data)
        sha = sha256(data).hexdigest()
        self._pages[sha] = data
        return ObjectSpan(f"pages/{sha}", 0, len(data))

    def _put_page(self, sha: str) -> str:
        if not self._bucket.create(f"pages/{sha}", self._pages[sha]):
            raise PagingError(f"{self.path}: pages/{sha} holds other bytes than its name says")
        return sha

    def _free(self, name: str) -> None:
        """Raise PageExists when a name, a folder of it, or a name below it is taken."""
        self._state.fold.free(name)
        if any(name == view or view.startswith(f"{name}/") or name.startswith(f"{view}/")
               for view in self._views):  # fmt: skip
            raise PageExists(name)

    def _keep(self) -> None:
        """Put a checkpoint, what lay in batches of the log merged before."""
        merge(self._bucket, self._state, self._cells(), self._bytes)
        keep(self._bucket, self._state)
        self._state.recent.clear()

    def _cells(self) -> Iterator[NamedCell]:
        seen: set[int] = set()
        for cell in self._state.fold.cells.values():
            if id(cell) not in seen:
                seen.add(id(cell))
                yield cell
