"""One pack: many cold files of a store in one file, compressed, written once.

    magic, index, blocks, index again, magic

Theory of operation. The bytes of all members stand one after another. That run is cut into blocks
of about BLOCK bytes, and each block is compressed by itself (xz), so reading a member takes only
the blocks it lies in, and damage to one block leaves the others. A member that fits into a block
lies in one. Equal or nearly equal members that stand side by side, as the listings of digests do,
take little room: the caller chooses the order.

The index says where each member begins and where each block lies. The index stands at both ends,
each time with its length and sha256, so that one damaged place does not hide all members. All
bytes are verified: the index by its hash, a block by the checksum that xz keeps."""

from __future__ import annotations

import lzma
import os
from bisect import bisect_right
from collections.abc import Iterable
from hashlib import sha256
from io import FileIO
from pathlib import Path

import msgspec

from loom_paging.errors import CorruptPage
from loom_paging.plain import open_plain_file
from loom_paging.resident import ResidentSet

BLOCK = 1 << 18  # bytes of a block before it is compressed
PRESET = 1  # of xz: at most a mebibyte of dictionary, four times a block
_MAGIC = b"LoomPk1\n"
_LENGTH = 8
_TOLD = _LENGTH + sha256().digest_size  # what is told of an index: its length and its hash
_END = len(_MAGIC) + _TOLD
_LARGEST = 1 << 28  # bytes of an index
_MEMORY = 1 << 26  # bytes xz may take to read a block
TOLD = 8  # members a message names


class PackIndex(msgspec.Struct, frozen=True, array_like=True):
    """The index of a pack. `members` maps a name to (start, size) in the joined, uncompressed bytes
    of all members. `starts` lists where each block begins in these bytes; its last number is their
    end. `places` lists where each compressed block begins in the file, counted from the first
    block; its last number is where the blocks end."""

    members: dict[str, tuple[int, int]]
    starts: list[int]
    places: list[int]


def pack_bytes(members: Iterable[tuple[str, bytes]]) -> bytes:
    """Return the bytes of a pack with these members, each a pair (name, bytes), in this order."""
    found: dict[str, tuple[int, int]] = {}
    starts, places, blocks = [0], [0], list[bytes]()
    held = bytearray()

    def flush() -> None:
        for at in range(0, len(held), BLOCK):
            raw = bytes(held[at : at + BLOCK])
            blocks.append(lzma.compress(raw, preset=PRESET))
            starts.append(starts[-1] + len(raw))
            places.append(places[-1] + len(blocks[-1]))
        held.clear()

    for name, data in members:
        if held and len(held) + len(data) > BLOCK:
            flush()
        found[name] = starts[-1] + len(held), len(data)
        held += data
    flush()
    index = msgspec.msgpack.encode(PackIndex(found, starts, places))
    told = len(index).to_bytes(_LENGTH, "little") + sha256(index).digest()
    return b"".join((_MAGIC, told, index, *blocks, index, told, _MAGIC))


def damaged_pack_error(pack: str, name: str, why: str) -> CorruptPage:
    """Return the error for the file `pack`, which cannot be read. `name` is the member that was
    asked for; "" means all members."""
    held = f"{name!r}, which lies in it," if name else "its members"
    said = f"packs/{pack} is damaged ({why}): {held} cannot be read"
    return CorruptPage(name, "", "", said, why)


class PackFile:
    """A pack on disk, with its index in memory. `resident` caches blocks that were read."""

    def __init__(self, path: Path, resident: ResidentSet[bytes]) -> None:
        """Read the index. Raises CorruptPage when both copies of it are damaged."""
        self.path = path
        self._resident = resident
        with open_plain_file(path) as file:
            self.mark = file_mark(os.fstat(file.fileno()))
            found = _read_index(file, tail=False) or _read_index(file, tail=True)
        if found is None:
            raise damaged_pack_error(path.name, "", "its list of members cannot be read")
        self._begin, self.index = found

    def size(self, name: str) -> int:
        """Return the number of bytes of a member."""
        return self.index.members[name][1]

    def read(self, name: str, offset: int, length: int) -> bytes:
        """Return up to `length` bytes of a member, from byte `offset` on. Raises CorruptPage."""
        start, size = self.index.members[name]
        first, last = start + min(offset, size), start + min(offset + length, size)
        parts = []
        at = bisect_right(self.index.starts, first) - 1
        while first < last:
            begin, end = self.index.starts[at : at + 2]
            parts.append(self._read_block(name, at)[first - begin : last - begin])
            first, at = end, at + 1
        return b"".join(parts)

    def problems(self) -> str:
        """Read the whole pack, and return what is wrong with it in words, "" for nothing."""
        with open_plain_file(self.path) as file:
            copies = _read_index(file, tail=False), _read_index(file, tail=True)
            size = file.seek(0, 2)
        if None in copies:
            return "one of its two lists of members is damaged"
        if copies[0] != copies[1]:
            return "its two lists of members differ"
        if size != 2 * self._begin + self.index.places[-1]:
            return "it has another size than was packed"
        bad: dict[int, str] = {}
        for at in range(len(self.index.places) - 1):
            try:
                self._read_block("", at)
            except CorruptPage as error:
                bad[at] = error.why
        if not bad:
            return ""
        starts = self.index.starts
        names = [
            name
            for name, (start, size) in self.index.members.items()
            if any(start < starts[at + 1] and starts[at] < start + size for at in bad)
        ]
        return f"{', '.join(names[:TOLD])} cannot be read: {next(iter(bad.values()))}"

    def _read_block(self, name: str, at: int) -> bytes:
        """Return the decompressed bytes of the block with index `at`. Raises CorruptPage, with the
        member `name` in its message, when the block is damaged."""
        key = (self.mark, at)
        block = self._resident.get(key)
        if block is None:
            place, end = self.index.places[at : at + 2]
            with open_plain_file(self.path) as file:
                file.seek(self._begin + place)
                data = file.read(end - place)
            size = self.index.starts[at + 1] - self.index.starts[at]
            try:
                block = lzma.LZMADecompressor(lzma.FORMAT_XZ, _MEMORY).decompress(data, size + 1)
            except lzma.LZMAError as error:
                raise damaged_pack_error(self.path.name, name, str(error)) from None
            if len(block) != size:
                raise damaged_pack_error(
                    self.path.name, name, "a block has another size than was packed"
                )
            self._resident.keep(key, block, size)
        return block


def file_mark(about: os.stat_result) -> tuple[int, int]:
    """Return (inode, time of the last change): another file at the same path has another pair."""
    return about.st_ino, about.st_mtime_ns


def _read_index(file: FileIO, *, tail: bool) -> tuple[int, PackIndex] | None:
    """Return (offset in the file at which the blocks begin, index), read from the copy of the index
    at the start of the file, with `tail` at its end. Return None when this copy is damaged."""
    end = file.seek(0, 2)
    file.seek(max(end - _END, 0) if tail else 0)
    told = file.read(_END)
    magic, told = (told[-len(_MAGIC) :], told) if tail else (told[: len(_MAGIC)], told[-_TOLD:])
    size = int.from_bytes(told[:_LENGTH], "little")
    if magic != _MAGIC or not 0 < size <= _LARGEST:
        return None
    begin = max(end - _END - size, 0) if tail else _END
    file.seek(begin)
    data = file.read(size)
    if sha256(data).digest() != told[_LENGTH:_TOLD]:
        return None
    try:
        index = msgspec.msgpack.decode(data, type=PackIndex)
    except msgspec.MsgspecError:
        return None
    return (begin - index.places[-1] if tail else begin + size), index
