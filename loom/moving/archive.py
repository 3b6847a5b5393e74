"""An archive to be read: a plain tar of plain files, each under a name a store could have given.

Whoever made it may mean harm. So all of its table is read and judged before anything is made of it:
no links, devices, sparse files or folders that lead out; no size the file does not hold; no two
names that some file system takes for one. Nothing is compressed, so nothing is larger unpacked.
"""

from __future__ import annotations

import os
import tarfile
from pathlib import Path
from typing import BinaryIO, NamedTuple

from loom.disk import plain_descriptor
from loom.moving.errors import BadArchive
from loom.moving.layout import DistinctNames, goes_along
from loom_paging import MissingPage

LARGEST = 1 << 30  # bytes of one file: a store reads no larger one
BLOCK = 512
HARMLESS = frozenset({"path", "mtime", "atime", "ctime", "uname", "gname", "uid", "gid"})
MAGIC_AT, MAGIC = 257, b"ustar"


class ArchivePlace(NamedTuple):
    """Where the bytes of a file lie in an archive."""

    offset: int
    size: int


class ArchiveStore:
    """The files of an archive below `home`; see ReadableStore."""

    def __init__(self, file: BinaryIO, places: dict[str, ArchivePlace], home: str = "") -> None:
        self.places = places
        self._file = file
        self._home = home

    def below(self, home: str) -> ArchiveStore:
        """The files of one home, by their names there."""
        return ArchiveStore(self._file, self.places, home)

    def names(self, prefix: str = "") -> list[str]:
        """List the names that start with a prefix, sorted."""
        start = self._home + prefix
        return sorted(name[len(self._home) :] for name in self.places if name.startswith(start))

    def get(self, name: str) -> bytes:
        """Return all bytes under a name; MissingPage when there are none."""
        return self.read(name, 0, LARGEST)

    def read(self, name: str, offset: int, length: int) -> bytes:
        """Return bytes from an offset; fewer, or none, at the end."""
        place = self._place(name)
        self._file.seek(place.offset + offset)
        return self._file.read(max(min(length, place.size - offset), 0))

    def size(self, name: str) -> int:
        """Return the number of bytes under a name; MissingPage when there are none."""
        return self._place(name).size

    def _place(self, name: str) -> ArchivePlace:
        place = self.places.get(self._home + name)
        if place is None:
            raise MissingPage(name, "the archive")
        return place


def is_archive(path: Path) -> bool:
    """True for a plain file that begins as a tar does."""
    with os.fdopen(plain_descriptor(path), "rb") as file:
        head = file.read(BLOCK)
    return head[MAGIC_AT : MAGIC_AT + len(MAGIC)] == MAGIC


def opened(path: Path, file: BinaryIO) -> ArchiveStore:
    """The files of the archive at `path`, which is open as `file`. Raises BadArchive."""
    places: dict[str, ArchivePlace] = {}
    file.seek(0)
    distinct, size = DistinctNames(), os.fstat(file.fileno()).st_size
    try:
        with tarfile.open(fileobj=file, mode="r:") as tar:
            before, end = -1, 0
            while (member := tar.next()) is not None:
                why = _unlawful(tar, member, size, before)
                before, end = member.offset, member.offset_data + member.size
                if not why and member.type == tarfile.DIRTYPE:
                    continue  # folders are made as they are needed
                known = "" if why else distinct.clash(member.name)
                if known:
                    why = f"it cannot be told from {known!r} on every file system"
                if why:
                    raise BadArchive(path, f"{member.name[:200]!r}: {why}")
                places[member.name] = ArchivePlace(member.offset_data, member.size)
            _check_end(path, file, end)
    except (tarfile.TarError, ValueError, OverflowError, RecursionError, EOFError) as error:
        raise BadArchive(path, f"it cannot be read ({error})") from error
    return ArchiveStore(file, places)


def _check_end(path: Path, file: BinaryIO, end: int) -> None:
    """Raise BadArchive where anything but the mark of its end follows the last file: tarfile takes
    a header that it cannot read for the end."""
    file.seek(-(-end // BLOCK) * BLOCK)
    zeros, left = 0, file.read(BLOCK)
    while left and not left.strip(b"\0"):
        zeros, left = zeros + len(left), file.read(1 << 20)
    if left or zeros < 2 * BLOCK:
        raise BadArchive(path, "it is cut off, or goes on behind its last file")


def _unlawful(tar: tarfile.TarFile, member: tarfile.TarInfo, size: int, before: int) -> str:
    """Why a member is none that an archive of a workspace has; "" for one that is."""
    if member.offset <= before:
        return "it lies before the one before it"
    if member.type not in (tarfile.REGTYPE, tarfile.DIRTYPE):
        return f"it is no plain file (type {member.type!r})"
    if not HARMLESS.issuperset(member.pax_headers) or tar.pax_headers:
        return "its header says more than a name"
    if not goes_along(member.name) or not member.name.isprintable():
        return "no file of a workspace has such a name"
    if not 0 <= member.size <= LARGEST or (member.size and member.type == tarfile.DIRTYPE):
        return f"its size is {member.size:,} bytes"
    if member.offset_data + member.size > size:
        return f"its {member.size:,} bytes are not in the file"
    return ""
