"""The state of a store: the newest checkpoint, folded on over the log behind it."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256

import msgspec

from loom_paging.errors import CorruptJournal, PagingError
from loom_paging.names import is_lawful
from loom_paging.remote.batch import (
    LAST,
    UNREADABLE,
    BatchHead,
    FoldedLog,
    NamedCell,
    bad_batch_error,
    batch_crc,
    decode_head,
    log_key,
)
from loom_paging.remote.bucket import Bucket

FOLDER = "folds"
READERS = 8  # objects read at once
_BATCH = re.compile("log/[0-9]{12}")
_SEAL = 32  # bytes of a sha256 in front


class LogCheckpoint(msgspec.Struct, frozen=True):
    """A checkpoint of an object store: its state after batch `number` of the log, whose crc is
    `crc`. `names` maps each name to an index in `cells`. `epoch` counts the takeovers of the log.
    """

    number: int
    epoch: int
    crc: int
    names: dict[str, int]
    cells: list[NamedCell]


class LogState:
    """The state of a store after a number of batches (`fold`), with the number, epoch, writer and
    crc of the last batch. `recent` maps keys to the bytes of batches that were just read. `damage`
    lists (key, reason) for each object that a salvage left out."""

    def __init__(self, place: str) -> None:
        self.place = place
        self.fold = FoldedLog(place)
        self.number = self.epoch = self.crc = 0
        self.writer = ""
        self.kept = 0  # the number of the newest checkpoint
        self.recent: dict[str, bytes] = {}
        self.damage: list[tuple[str, str]] = []  # what a salvage left out, and why

    def key(self, number: int) -> str:
        """Return the full address of batch `number`, for messages."""
        return f"{self.place}/{log_key(number)}"

    def reload(self, bucket: Bucket) -> None:
        """Replace this state by the newest state in the store. Raises CorruptJournal."""
        self.copy_from(load_state(bucket))

    def copy_from(self, other: LogState) -> None:
        """Replace all values of this state by those of `other`, in one step."""
        vars(self).update(vars(other))

    def fold_batch(self, data: bytes) -> BatchHead:
        """Apply the next batch, given as bytes, and return its header. Raises CorruptJournal when
        the batch is damaged, or does not follow the last batch."""
        key = self.key(self.number + 1)
        head = decode_head(key, data)
        follows = head.number == self.number + 1 and head.before == self.crc
        if not follows or head.epoch - self.epoch not in (0, 1):  # each takeover puts one
            raise bad_batch_error(key, "it does not follow the one before")
        try:
            for change in head.changes:
                self.fold.apply(change)
        except LookupError as error:
            raise bad_batch_error(key, f"a change of it cannot be: {error}") from error
        self.epoch = head.epoch
        self.note_batch(head.number, data, head.writer)
        return head

    def note_batch(self, number: int, data: bytes, writer: str) -> None:
        """Record a batch as the last batch; its changes are in `fold` already."""
        self.recent[log_key(number)] = data
        # The number is set last, so that another thread never sees half of it.
        self.crc, self.writer = batch_crc(data), writer
        self.number = number


def load_state(bucket: Bucket, *, salvage: bool = False) -> LogState:
    """Return the state of a store from its newest valid checkpoint and all later batches. Raises
    CorruptJournal for a damaged log. With `salvage` damaged batches are left out instead, and
    listed in `damage`."""
    state = LogState(bucket.place)
    for key in reversed(bucket.keys(FOLDER)):
        if (kept := read_checkpoint(bucket, key)) is not None and _begin_with(state, kept):
            break
        state.damage.append((key, "a checkpoint that is not as it was written"))
    if salvage:
        _salvage(bucket, state)
    else:
        state.damage.clear()  # the log behind an older one has all
        follow_log(bucket, state)
    return state


def follow_log(bucket: Bucket, state: LogState) -> None:
    """Apply to `state` all batches in the store that come after the last batch of `state`."""
    keys = bucket.keys("log", after=log_key(state.number) if state.number else "")
    with ThreadPoolExecutor(READERS) as pool:
        for key, data in zip(keys, pool.map(bucket.read, keys), strict=True):
            if key != log_key(state.number + 1):
                raise bad_batch_error(
                    state.key(state.number + 1), f"it is missing, and there is {key}"
                )
            state.fold_batch(data)


def _salvage(bucket: Bucket, state: LogState) -> None:
    """Apply to `state` all undamaged later batches, even when batches between them are missing."""
    refused: set[int] = set()  # the crcs of whole batches that are not of this log
    follows = True  # the one before was taken in
    for key in bucket.keys("log", after=log_key(state.number) if state.number else ""):
        if not _BATCH.fullmatch(key) or not (number := int(key[4:])):
            continue
        missing = number - state.number - 1
        if missing:
            told = f"missing: {missing:,} × batch, the first of them {state.number + 1}"
            state.damage.append(("log", told))
        follows = follows and not missing
        state.number = number - 1
        try:
            head = _checked_head(state, key, data := bucket.read(key), refused, missing, follows)
            _fold_what_applies(state, key, head, data)
            follows = True
        except CorruptJournal as error:
            state.damage.append((key, error.why))
            state.number, follows = number, False


def _checked_head(
    state: LogState, key: str, data: bytes, refused: set[int], missing: int, follows: bool
) -> BatchHead:
    """Return the header of a batch. Raises CorruptJournal when the batch is damaged or belongs to
    another log.

    `refused` collects the crcs of batches of other logs. `missing` is the number of batches missing
    before this batch. `follows` is True when the batch before it was applied."""
    head = decode_head(key, data)
    same = head.epoch == state.epoch and state.writer in ("", head.writer)
    known = same or 0 < head.epoch - state.epoch <= missing + 1 + (not follows)
    if head.before in refused or (follows and head.before != state.crc) or not known:
        if head.number == int(key[4:]) or not same:
            refused.add(batch_crc(data))
        raise bad_batch_error(key, "it is whole, and of another place or another log")
    if head.number != int(key[4:]):
        raise bad_batch_error(key, f"it is batch {head.number}, which belongs elsewhere")
    return head


def _fold_what_applies(state: LogState, key: str, head: BatchHead, data: bytes) -> None:
    """Apply those changes of a batch that fit, in a salvage. How many did not fit is noted in
    `damage`."""
    left = 0
    for change in head.changes:
        try:
            state.fold.apply(change)
        except (LookupError, PagingError):  # it is about what is missing
            left += 1
    if left:
        state.damage.append((key, f"{left:,} of its {len(head.changes):,} changes do not apply"))
    state.epoch = max(state.epoch, head.epoch)
    state.note_batch(head.number, data, head.writer)


def put_checkpoint(bucket: Bucket, state: LogState) -> None:
    """Put a checkpoint of the state into the store. No-op when it is there already."""
    kept = [*state.fold.distinct_cells()]
    places = {id(cell): at for at, cell in enumerate(kept)}
    names = {name: places[id(cell)] for name, cell in state.fold.cells.items()}
    data = msgspec.msgpack.encode(LogCheckpoint(state.number, state.epoch, state.crc, names, kept))
    bucket.create(f"{FOLDER}/{state.number:012d}", sha256(data).digest() + data)
    state.kept = state.number


def read_checkpoint(bucket: Bucket, key: str) -> LogCheckpoint | None:
    """Return the checkpoint under a key, None when it is missing or damaged."""
    try:
        data = bucket.read(key)
        if sha256(data[_SEAL:]).digest() != data[:_SEAL]:
            return None
        kept = msgspec.msgpack.decode(data[_SEAL:], type=LogCheckpoint)
    except (KeyError, *UNREADABLE):
        return None
    is_own = (  # Loom may have put it there
        key == f"{FOLDER}/{kept.number:012d}"
        and 0 < kept.epoch <= kept.number < LAST
        and all(map(is_lawful, kept.names))
        and all(0 <= at < len(kept.cells) for at in kept.names.values())
    )
    return kept if is_own else None


def _begin_with(state: LogState, kept: LogCheckpoint) -> bool:
    """Set the state to the checkpoint `kept`, and return True. Return False, and change nothing,
    when the checkpoint has one name both as a file and as a folder."""
    fold = FoldedLog(state.place)
    try:
        for name, at in kept.names.items():
            fold.add_name(name, kept.cells[at])
    except LookupError:
        return False
    state.fold, state.kept = fold, kept.number
    state.number, state.epoch, state.crc = kept.number, kept.epoch, kept.crc
    return True
