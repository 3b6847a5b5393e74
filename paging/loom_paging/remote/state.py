"""The state of a store as it is read: the newest checkpoint, and the log behind it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256

import msgspec

from loom_paging.remote.batch import BatchHead, crc_of, decoded, log_key
from loom_paging.remote.bucket import Bucket, NoObject
from loom_paging.remote.errors import BadBatch
from loom_paging.remote.fold import FoldedLog, NamedCell

FOLDER = "folds"
READERS = 8  # objects read at once
_SEAL = 32  # bytes of a sha256 in front


class KeptFold(msgspec.Struct, frozen=True):
    """A checkpoint: the fold of the log up to batch `number`, whose crc is `crc`.

    `cells` are those of each name, by number, since names that are linked share one.
    """

    number: int
    epoch: int
    crc: int
    names: dict[str, int]
    cells: list[NamedCell]


class LogState:
    """The fold of a log, and where it ends. `recent` are batches that were just read, by key."""

    def __init__(self, place: str) -> None:
        self.fold = FoldedLog(place)
        self.number = self.epoch = self.crc = 0
        self.writer = ""
        self.kept = 0  # the number of the newest checkpoint
        self.recent: dict[str, bytes] = {}

    def reload(self, bucket: Bucket) -> None:
        """Be the newest state; for who is behind what was let go. Raises BadBatch."""
        vars(self).update(vars(loaded(bucket)))

    def take(self, data: bytes) -> BatchHead:
        """Take in the next batch; BadBatch when it is damaged, or does not follow."""
        head = decoded(log_key(self.number + 1), data)
        if head.number != self.number + 1 or head.before != self.crc or head.epoch < self.epoch:
            raise BadBatch(log_key(self.number + 1), "it does not follow the one before")
        for change in head.changes:
            self.fold.apply(change)
        self.number, self.epoch, self.crc = head.number, head.epoch, crc_of(data)
        self.writer = head.writer
        self.recent[log_key(head.number)] = data
        return head


def loaded(bucket: Bucket, *, salvage: bool = False) -> LogState:
    """Read a store; one that is empty where there is nothing. Raises BadBatch for damage, but to
    `salvage`: what stands before it counts then."""
    state = LogState(bucket.place)
    for key in reversed(bucket.keys(FOLDER)):
        if (kept := kept_fold(bucket, key)) is not None:
            _place(state, kept)
            break
    try:
        follow(bucket, state)
    except BadBatch:
        if not salvage:
            raise
    return state


def follow(bucket: Bucket, state: LogState) -> None:
    """Take in the batches that were put since."""
    keys = bucket.keys("log", after=log_key(state.number) if state.number else "")
    with ThreadPoolExecutor(READERS) as pool:
        for key, data in zip(keys, pool.map(bucket.read, keys), strict=True):
            if key != log_key(state.number + 1):
                raise BadBatch(log_key(state.number + 1), f"it is missing, and there is {key}")
            state.take(data)


def keep(bucket: Bucket, state: LogState) -> None:
    """Put a checkpoint of the state as it is; another writer's equal one is no matter."""
    cells: dict[int, int] = {}
    kept: list[NamedCell] = []
    names = {}
    for name, cell in state.fold.cells.items():
        if id(cell) not in cells:
            cells[id(cell)] = len(kept)
            kept.append(cell)
        names[name] = cells[id(cell)]
    data = msgspec.msgpack.encode(KeptFold(state.number, state.epoch, state.crc, names, kept))
    bucket.create(f"{FOLDER}/{state.number:012d}", sha256(data).digest() + data)
    state.kept = state.number


def kept_fold(bucket: Bucket, key: str) -> KeptFold | None:
    """A checkpoint; None where it does not verify: an older one is taken then."""
    try:
        data = bucket.read(key)
    except NoObject:
        return None
    if sha256(data[_SEAL:]).digest() != data[:_SEAL]:
        return None
    try:
        return msgspec.msgpack.decode(data[_SEAL:], type=KeptFold)
    except msgspec.MsgspecError:
        return None


def _place(state: LogState, kept: KeptFold) -> None:
    state.fold.place({name: kept.cells[at] for name, at in kept.names.items()})
    state.number, state.epoch, state.crc = kept.number, kept.epoch, kept.crc
    state.kept = kept.number
