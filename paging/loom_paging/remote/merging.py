"""What lies in many batches of the log is put into one object, so that batches can go.

A name that is appended to for long gets a piece in each merged object. So pieces before the new
ones come along while they are no longer than what follows them: of n pieces about log n are left,
and each byte is moved about as often. Opening reads a journal in as few requests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from loom_paging.remote.batch import ObjectSpan
from loom_paging.remote.bucket import Bucket
from loom_paging.remote.fold import NamedCell
from loom_paging.remote.hashed import MERGED, key_of, put_hashed
from loom_paging.remote.state import LogState

MOST = 8 << 20  # bytes of a merged object


def merge(
    bucket: Bucket,
    state: LogState,
    cells: Iterable[NamedCell],
    read: Callable[[ObjectSpan], bytes],
) -> None:
    """Move every extent that lies in the log into merged objects, in the fold, and what is small
    before it.

    The fold is changed once an object is there.
    """
    body, moves = bytearray(), list[tuple[NamedCell, int, int]]()

    def put() -> None:
        nonlocal body, moves
        if not moves:
            return
        data = bytes(body)
        put_hashed(bucket, key := key_of(MERGED, data, state.epoch), data)
        for cell, at, offset in moves:
            cell.extents[at] = ObjectSpan(key, offset, cell.extents[at].length)
        body, moves = bytearray(), []

    for cell in cells:
        for at in range(_first(cell.extents), len(cell.extents)):
            moves.append((cell, at, len(body)))
            body += read(cell.extents[at])
        if len(body) >= MOST:
            put()
    put()
    for cell in state.fold.cells.values():
        cell.extents[:] = _joined(cell.extents)


def _first(extents: list[ObjectSpan]) -> int:
    """The first of the extents that are moved: those of the log are the last ones."""
    first = next((at for at, one in enumerate(extents) if one.key.startswith("log/")), None)
    if first is None:
        return len(extents)
    total = sum(one.length for one in extents[first:])
    while first and extents[first - 1].length <= total:
        first -= 1
        total += extents[first].length
    return first


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
