"""Objects of a store that nothing needs any more: old batches, checkpoints, unnamed pages.

Opening reads the newest checkpoint that verifies and the log behind it. So these may go: the
batches up to a checkpoint, older checkpoints, and pages and merged objects that neither the state
nor a remaining checkpoint names (a crash between a page and its batch leaves one, and so does every
deletion). A reader may still need what it saw when it opened the store. So objects younger than a
time of grace stay, and a reader that misses an object reads the newest checkpoint.

Bytes in many batches of the log are first merged into one object, so that the batches can go. A
name that is appended to for long gets a piece in each merged object. So a merge also moves the
earlier pieces of a name while they are no longer than the pieces behind them: of n pieces about log
n are left, and each byte is moved about log n times. Opening reads a journal in as few requests.

The number of a batch fences a writer that was taken over, however late it wakes. So a batch is not
removed: a mark of eight bytes takes its place, and its number stays taken."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

from msgspec import Struct

from loom_paging.remote.batch import LET_GO, NamedCell, ObjectSpan, extend_spans, log_key
from loom_paging.remote.bucket import Bucket, ListedObject
from loom_paging.remote.hashed import MERGED, PAGES, hashed_key, put_hashed
from loom_paging.remote.log_state import FOLDER, LogCheckpoint, LogState, read_checkpoint

GRACE = 3_600.0  # seconds: longer than any command takes to read what it has opened
MOST = 8 << 20  # bytes of a merged object
NO_GRACE = float("-inf")  # all of it, now: for what holds a secret


class StoreLeftovers(Struct, frozen=True):
    """Objects that may be removed: their keys (batches first), and their total size in bytes."""

    keys: tuple[str, ...] = ()
    bytes: int = 0

    def count(self, folder: str) -> int:
        """Return how many of the objects lie in the folder `folder`."""
        return sum(key.startswith(f"{folder}/") for key in self.keys)


def list_leftovers(bucket: Bucket, state: LogState, grace: float = GRACE) -> StoreLeftovers:
    """Return the objects of a store that nothing needs any more and that are older than `grace`
    seconds. `state` must include the newest batch."""
    before = time.time() - grace
    checkpoints = bucket.listed(FOLDER)
    kept, first = _kept_checkpoints(bucket, checkpoints, before)
    stays = {one.key for cell in state.fold.cells.values() for one in cell.extents}
    stays |= {one.key for fold in kept for cell in fold.cells for one in cell.extents}
    batches = [one for one in bucket.listed("log") if one.size > len(LET_GO)]
    gone = [one for one in batches if one.key <= log_key(first)]
    gone += [one for one in checkpoints if one.key < f"{FOLDER}/{first:012d}"]
    if grace == NO_GRACE:  # one that does not verify may hold what it should not
        whole = {f"{FOLDER}/{fold.number:012d}" for fold in kept}
        gone += [one for one in checkpoints if one.key not in whole and one not in gone]
    for folder in (PAGES, MERGED):
        gone += [one for one in bucket.listed(folder) if one.modified < before]
    gone = [one for one in gone if one.key not in stays]
    return StoreLeftovers(tuple(one.key for one in gone), sum(one.size for one in gone))


def remove_leftovers(bucket: Bucket, found: StoreLeftovers) -> None:
    """Remove these objects; a mark takes the place of a batch. Only for the store's writer."""
    for key in found.keys:
        if key.startswith("log/"):
            bucket.replace(key, LET_GO)
        else:
            bucket.remove([key])


def _kept_checkpoints(
    bucket: Bucket, checkpoints: list[ListedObject], before: float
) -> tuple[list[LogCheckpoint], int]:
    """Return (checkpoints to keep, newest first; number of the oldest). All valid checkpoints put
    after the time `before` are kept, and one older checkpoint. The number is 0 without an older
    checkpoint."""
    kept = []
    for one in reversed(checkpoints):
        if (fold := read_checkpoint(bucket, one.key)) is None:
            continue
        kept.append(fold)
        if one.modified <= before:
            return kept, fold.number
    return kept, 0


def merge_log(
    bucket: Bucket, state: LogState, cells: Iterable[NamedCell], read: Callable[[ObjectSpan], bytes]
) -> None:
    """Copy the bytes of `cells` that lie in batches into merged objects, together with small spans
    before them. `read` returns the bytes of a span."""
    body, moves = bytearray(), list[tuple[NamedCell, int, int]]()

    def put() -> None:
        nonlocal body, moves
        if not moves:
            return
        data = bytes(body)
        put_hashed(bucket, key := hashed_key(MERGED, data, state.epoch), data)
        for cell, at, offset in moves:
            cell.extents[at] = ObjectSpan(key, offset, cell.extents[at].length)
        body, moves = bytearray(), []

    for cell in cells:
        for at in range(_first_span_to_move(cell.extents), len(cell.extents)):
            moves.append((cell, at, len(body)))
            body += read(cell.extents[at])
        if len(body) >= MOST:
            put()
    put()
    for cell in state.fold.cells.values():
        joined = list[ObjectSpan]()
        for one in cell.extents:
            extend_spans(joined, one)
        cell.extents[:] = joined


def _first_span_to_move(extents: list[ObjectSpan]) -> int:
    """Return the index of the first span of a cell that is to be moved into a merged object. All
    spans in the log are moved, and each span before them that is no longer than all later spans
    together."""
    first = next((at for at, one in enumerate(extents) if one.key.startswith("log/")), None)
    if first is None:
        return len(extents)
    total = sum(one.length for one in extents[first:])
    while first and extents[first - 1].length <= total:
        first -= 1
        total += extents[first].length
    return first
