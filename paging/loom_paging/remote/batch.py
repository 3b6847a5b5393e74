"""One object of the log: a batch of changes, whole or nothing; and the fold of all batches.

    LOOM<version>                    8 bytes
    body                             bytes that were put or appended, one after the other
    head                             msgpack: who wrote it, and the changes with places in the body
    length of the head, crc32        4 + 4 bytes

The body stands first, so that a place in it is known before the batch is complete. The state of a
store is the fold of its batches: which bytes lie under which names. A cell holds the bytes of a
name, as a list of spans of objects; names that were linked share one cell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Annotated, TypeAlias
from zlib import crc32

import msgspec
from msgspec import Meta
from msgspec.structs import astuple

from loom_paging.errors import CorruptJournal, MissingPage, PageExists
from loom_paging.names import checked_name, is_lawful, parent_folders

# What decoding bytes that somebody else wrote may raise.
UNREADABLE = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, OverflowError)
MAGIC = b"LOOMlog\x01"
# In the place of a batch that a checkpoint has made needless: its number stays taken, so that a
# writer who was taken over long ago still finds it so.
LET_GO = b"LOOMgone"
START = len(MAGIC)  # where the body of a batch begins
LAST = 10**12 - 1  # the highest number of a batch: keys have so many digits, and sort by them
_LARGEST = 1 << 40  # bytes: no object is so long
# Where bytes may lie, and how many: of a forged batch that names others nothing is read.
Key = Annotated[str, Meta(pattern=r"^(log/\d{12}|(pages|merged)/[0-9a-f]{64}(-\d{1,12})?)\Z")]
Size = Annotated[int, Meta(ge=0, le=_LARGEST)]


def bad_batch_error(key: str, why: str) -> CorruptJournal:
    """Return the error for the unreadable batch under `key`; `why` says what is wrong."""
    advice = "restore it from the bucket's versions or a backup, or have `loom repair` save all"
    return CorruptJournal(key, 0, why, f"{key}: {why}; nothing was changed: {advice} that is whole")


class ObjectSpan(msgspec.Struct, frozen=True, array_like=True):
    """A range of bytes in one object: the object's key, offset of the first byte, length."""

    key: Key
    offset: Size
    length: Size


class PutChange(msgspec.Struct, frozen=True, array_like=True, tag="put"):
    """Change: a new name gets the bytes of the span `at`."""

    name: str
    at: ObjectSpan


class AppendChange(msgspec.Struct, frozen=True, array_like=True, tag="append"):
    """Change: the bytes of the span `at` are added to the end of a log. A missing log is made."""

    name: str
    at: ObjectSpan


class CutChange(msgspec.Struct, frozen=True, array_like=True, tag="cut"):
    """Change: a log is shortened to its first `size` bytes."""

    name: str
    size: Size


class RemoveChange(msgspec.Struct, frozen=True, array_like=True, tag="remove"):
    """Change: a name is removed from the store."""

    name: str


class LinkChange(msgspec.Struct, frozen=True, array_like=True, tag="link"):
    """Change: the bytes of the name `existing` get a second name, `new`."""

    existing: str
    new: str


Change: TypeAlias = PutChange | AppendChange | CutChange | RemoveChange | LinkChange


class BatchHead(msgspec.Struct, frozen=True):
    """The header of a batch: its number, its writer, and its changes. `epoch` counts the takeovers
    of the log up to this batch. `before` is the crc of the previous batch. `nonce` is random: no
    two batches of a writer are equal."""

    number: int
    epoch: int
    writer: str
    nonce: str
    before: int
    changes: list[Change] = []


def log_key(number: int) -> str:
    """Return the key of batch `number`: `log/000000000001`."""
    return f"log/{number:012d}"


def encode_batch(head: BatchHead, body: bytes) -> bytes:
    """Return the bytes of a batch: `body`, the bytes that its changes refer to, then the header."""
    said = msgspec.msgpack.encode(head)
    whole = b"".join((MAGIC, body, said, len(said).to_bytes(4, "big")))
    return whole + crc32(whole).to_bytes(4, "big")


def decode_head(key: str, data: bytes) -> BatchHead:
    """Return the header of a batch. Raises CorruptJournal when it is damaged or of a newer Loom."""
    if data == LET_GO:
        raise bad_batch_error(
            key, "it was let go, and the checkpoint that holds what it did is damaged"
        )
    if data[:4] != MAGIC[:4] or len(data) < START + 8:
        raise bad_batch_error(key, "it is no batch of changes")
    if data[:START] != MAGIC:
        raise bad_batch_error(key, "a newer Loom wrote it: update this one")
    if crc32(data[:-4]) != int.from_bytes(data[-4:], "big"):
        raise bad_batch_error(key, "its bytes are not as they were written")
    length = int.from_bytes(data[-8:-4], "big")
    try:
        head = msgspec.msgpack.decode(data[-8 - length : -8], type=BatchHead)
    except UNREADABLE as error:
        raise bad_batch_error(key, f"its head cannot be read: {error}") from error
    for change in head.changes:
        names = astuple(change) if isinstance(change, LinkChange) else (change.name,)
        if not all(map(is_lawful, names)):
            raise bad_batch_error(key, "Loom did not write it: it has a name that Loom never gives")
    return head


def batch_crc(data: bytes) -> int:
    """Return the crc of a batch, from its last four bytes."""
    return int.from_bytes(data[-4:], "big")


class NamedCell(msgspec.Struct):
    """The bytes of one name, or of several linked names. `extents` lists the spans of objects that
    hold the bytes, in order. `links` counts the names."""

    extents: list[ObjectSpan]
    links: int = 1

    @property
    def size(self) -> int:
        """The number of bytes in all spans together."""
        return sum(one.length for one in self.extents)


class FoldedLog:
    """The state of a store after all batches of its log. `cells` maps names to NamedCells."""

    def __init__(self, place: str) -> None:
        self.cells: dict[str, NamedCell] = {}
        self._place = place
        self._folders: Counter[str] = Counter()

    def cell(self, name: str) -> NamedCell:
        """Return the cell of a name. Raises MissingPage for an unknown, OutsideStore for a bad
        name."""
        try:
            return self.cells[checked_name(name)]
        except KeyError:
            raise MissingPage(name, self._place) from None

    def check_free(self, name: str) -> None:
        """Raise PageExists when `name` is taken, when other names lie below it, or when a name has
        the path of a folder above it."""
        folders = parent_folders(checked_name(name))
        if self._folders[name] or any(one in self.cells for one in (*folders, name)):
            raise PageExists(name)

    def log(self, name: str) -> NamedCell:
        """Return the cell of a log. Raises PageExists when the log has a second name."""
        cell = self.cell(name)
        if cell.links > 1:
            raise PageExists(name)
        return cell

    def apply(self, change: Change) -> None:
        """Apply one change to `cells`. Raises LookupError when the change does not fit."""
        match change:
            case PutChange(name, at):
                self.add_name(name, NamedCell([at] if at.length else []))
            case AppendChange(name, at):
                if name not in self.cells:
                    self.add_name(name, NamedCell([]))
                extend_spans(self.cells[name].extents, at)
            case CutChange(name, size):
                extents = self.cells[name].extents
                extents[:] = spans_covering(extents, 0, size)
            case RemoveChange(name):
                self.cells.pop(name).links -= 1
                self._folders.subtract(parent_folders(name))
            case LinkChange(existing, new):
                cell = self.cells[existing]
                self.add_name(new, cell)
                cell.links += 1

    def distinct_cells(self) -> Iterator[NamedCell]:
        """Return an iterator over all cells. A cell with several names comes once."""
        return iter({id(cell): cell for cell in self.cells.values()}.values())

    def add_name(self, name: str, cell: NamedCell) -> None:
        """Give a cell a new name. Raises LookupError when the name is taken."""
        try:
            self.check_free(name)
        except PageExists:
            raise LookupError(f"{name}, which is taken") from None
        self.cells[name] = cell
        self._folders.update(parent_folders(name))


def spans_covering(extents: Iterable[ObjectSpan], offset: int, length: int) -> list[ObjectSpan]:
    """Return the spans that hold `length` bytes from `offset` on, counted in the joined bytes of
    `extents`. The first and last span are cut to fit."""
    found, end = [], offset + length
    at = 0
    for one in extents:
        start, stop = max(offset, at), min(end, at + one.length)
        if start < stop:
            found.append(ObjectSpan(one.key, one.offset + start - at, stop - start))
        at += one.length
        if at >= end:
            break
    return found


def extend_spans(extents: list[ObjectSpan], at: ObjectSpan) -> None:
    """Add the span `at` to the end of `extents`, joined with the last span when it directly follows
    that span in the same object."""
    if not at.length:
        return
    last = extents[-1] if extents else None
    if last is not None and last.key == at.key and last.offset + last.length == at.offset:
        extents[-1] = ObjectSpan(last.key, last.offset, last.length + at.length)
    else:
        extents.append(at)
