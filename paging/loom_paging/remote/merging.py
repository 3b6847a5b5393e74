"""What lies in many batches of the log is put into one object, so that batches can go."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from loom_paging.errors import PagingError
from loom_paging.remote.batch import ObjectSpan
from loom_paging.remote.bucket import Bucket
from loom_paging.remote.fold import NamedCell
from loom_paging.remote.state import LogState

MOST = 8 << 20  # bytes of a merged object


def merge(
    bucket: Bucket,
    state: LogState,
    cells: Iterable[NamedCell],
    read: Callable[[ObjectSpan], bytes],
) -> None:
    """Move every extent that lies in the log into merged objects, in the fold.

    The fold is changed once an object is there. Its name is the number of the last batch it has
    something of: another writer with that number would have been fenced.
    """
    body, moves, part = bytearray(), list[tuple[NamedCell, int, int]](), 0

    def put() -> None:
        nonlocal body, moves, part
        if not moves:
            return
        key = f"merged/{state.number:012d}-{part:04d}"
        if not bucket.create(key, bytes(body)):
            raise PagingError(f"{bucket.place}: {key} is there, with other bytes")
        for cell, at, offset in moves:
            cell.extents[at] = ObjectSpan(key, offset, cell.extents[at].length)
        body, moves, part = bytearray(), [], part + 1

    for cell in cells:
        for at, extent in enumerate(cell.extents):
            if extent.key.startswith("log/"):
                moves.append((cell, at, len(body)))
                body += read(extent)
        if len(body) >= MOST:
            put()
    put()
    for cell in state.fold.cells.values():
        cell.extents[:] = _joined(cell.extents)


def _joined(extents: list[ObjectSpan]) -> list[ObjectSpan]:
    """Extents of which those that follow one another in one object are one."""
    made: list[ObjectSpan] = []
    for one in extents:
        last = made[-1] if made else None
        if last is not None and last.key == one.key and last.offset + last.length == one.offset:
            made[-1] = ObjectSpan(last.key, last.offset, last.length + one.length)
        else:
            made.append(one)
    return made
