"""Objects of a store that nothing needs any more: old batches, checkpoints, unnamed pages.

Opening reads the newest checkpoint that verifies and the log behind it. So the batches up to a
checkpoint may go, and checkpoints before it; and pages and merged objects that neither the state
nor a checkpoint that stays names: a crash between a page and its batch leaves one, and so does all
that is deleted. A reader may be behind by what it read when it was opened: what is younger than a
time of grace stays, and a reader that misses an object reads the newest checkpoint.

The number of a batch is what fences a writer that was taken over, however late it wakes. So a batch
is not removed: a mark of eight bytes takes its place, and its number stays taken.
"""

from __future__ import annotations

import time

from msgspec import Struct

from loom_paging.remote.batch import LET_GO, log_key
from loom_paging.remote.bucket import Bucket, ListedObject
from loom_paging.remote.hashed import MERGED, PAGES
from loom_paging.remote.state import FOLDER, KeptFold, LogState, kept_fold

GRACE = 3_600.0  # seconds: longer than any command takes to read what it has opened
NO_GRACE = float("-inf")  # all of it, now: for what holds a secret


class StoreLeftovers(Struct, frozen=True):
    """Objects that may go, those of the log first, and their bytes together."""

    keys: tuple[str, ...] = ()
    bytes: int = 0

    def count(self, folder: str) -> int:
        """How many of them are in one folder."""
        return sum(key.startswith(f"{folder}/") for key in self.keys)


def leftovers(bucket: Bucket, state: LogState, grace: float = GRACE) -> StoreLeftovers:
    """List the objects that may go. `state` is that of the newest batch."""
    before = time.time() - grace
    checkpoints = bucket.listed(FOLDER)
    kept, first = _kept(bucket, checkpoints, before)
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


def remove(bucket: Bucket, found: StoreLeftovers) -> None:
    """Remove what may go; for the writer."""
    for key in found.keys:
        if key.startswith("log/"):
            bucket.replace(key, LET_GO)
        else:
            bucket.remove([key])


def _kept(
    bucket: Bucket, checkpoints: list[ListedObject], before: float
) -> tuple[list[KeptFold], int]:
    """The checkpoints that stay, the newest first, and the number of the oldest of them; 0 for
    none. That is the newest one which verifies and was put before that time."""
    kept = []
    for one in reversed(checkpoints):
        if (fold := kept_fold(bucket, one.key)) is None:
            continue
        kept.append(fold)
        if one.modified <= before:
            return kept, fold.number
    return kept, 0
