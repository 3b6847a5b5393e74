"""A tree of files as it stands: what lies in it, and what tells one state of an entry from another.

No symbolic link is followed, and nothing is opened that could make the reader wait.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from loom.capabilities.plain_file import contents

HASHED = 1_000_000  # bytes up to which a file's content is compared
FILE, FOLDER, LINK = "file", "folder", "link"
_KINDS = {stat.S_IFREG: FILE, stat.S_IFDIR: FOLDER, stat.S_IFLNK: LINK}


class Stamp(Struct, frozen=True, gc=False):
    """The state of one entry: times in ns, `digest` b"" where the content was not read."""

    kind: str
    size: int
    mtime: int
    ctime: int
    digest: bytes = b""

    def same(self, other: Stamp) -> bool:
        """True when both are the same content; by size and time where one was not read."""
        if self.kind != other.kind or self.kind == FOLDER:
            return self.kind == other.kind
        if self.digest and other.digest:
            return self.digest == other.digest
        return self.unmoved(other)

    def unmoved(self, other: Stamp) -> bool:
        """True when kind, size and time are the same; a folder always is one."""
        if self.kind == other.kind == FOLDER:
            return True
        return (self.kind, self.size, self.mtime) == (other.kind, other.size, other.mtime)


def stamp(path: str, hashed: int = HASHED) -> Stamp | None:
    """The state of `path`, with a digest up to `hashed` bytes; None when no entry is to be seen.

    Devices, pipes and sockets are no entries.
    """
    try:
        found = os.lstat(path)
    except (OSError, ValueError):
        return None
    made = bare(found)
    if made is None or made.kind == FOLDER:
        return made
    try:
        if made.kind == LINK:
            data = os.fsencode(Path(path).readlink())
        elif made.size <= hashed:
            data = contents(path, hashed)
        else:
            return made
    except FileNotFoundError:
        return None
    except OSError:
        return made  # not ours to read: size and time must do
    digest = hashlib.blake2b(data, digest_size=16).digest()
    return replace(made, digest=digest)


def bare(found: os.stat_result) -> Stamp | None:
    """The state by a stat alone; None for devices, pipes and sockets."""
    kind = _KINDS.get(stat.S_IFMT(found.st_mode))
    if kind is None:
        return None
    return Stamp(kind, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def walk(root: str, wanted: Callable[[str], bool]) -> Iterator[tuple[str, Stamp]]:
    """(path, state by stat alone) of everything wanted under `root`; unwanted folders are left out.

    Folders that cannot be read, or go meanwhile, count as empty.
    """
    folders = [root]
    while folders:
        try:
            with os.scandir(folders.pop()) as entries:
                found = [entry for entry in entries if wanted(entry.path)]
        except OSError:
            continue
        for entry in found:
            try:
                made = bare(entry.stat(follow_symlinks=False))
            except OSError:
                continue
            if made is not None:
                yield entry.path, made
                if made.kind == FOLDER:
                    folders.append(entry.path)
